# SPDX-License-Identifier: Apache-2.0
"""The two cores that can be packaged, and in what their packages differ."""

from __future__ import annotations

from dataclasses import dataclass

_BUS: tuple[tuple[str, int, bool], ...] = (
    ("s_axi_awaddr", 16, True),
    ("s_axi_awprot", 3, True),
    ("s_axi_awvalid", 1, True),
    ("s_axi_awready", 1, False),
    ("s_axi_wdata", 32, True),
    ("s_axi_wstrb", 4, True),
    ("s_axi_wvalid", 1, True),
    ("s_axi_wready", 1, False),
    ("s_axi_bresp", 2, False),
    ("s_axi_bvalid", 1, False),
    ("s_axi_bready", 1, True),
    ("s_axi_araddr", 16, True),
    ("s_axi_arprot", 3, True),
    ("s_axi_arvalid", 1, True),
    ("s_axi_arready", 1, False),
    ("s_axi_rdata", 32, False),
    ("s_axi_rresp", 2, False),
    ("s_axi_rvalid", 1, False),
    ("s_axi_rready", 1, True),
)
_ENTROPY: tuple[tuple[str, int, bool], ...] = (
    ("s_axis_rnd_tdata", 32, True),
    ("s_axis_rnd_tvalid", 1, True),
    ("s_axis_rnd_tready", 1, False),
)

_DRIVER = ("modfab_bus.h", "modfab_bus.c")
_KEY_DRIVER = (*_DRIVER, "modfab_key.h", "modfab_key.c")

CLOCK, RESET, IRQ = "s_axi_aclk", "s_axi_aresetn", "irq"

_MEANING = {
    CLOCK: "the only clock",
    RESET: "synchronous reset, active low; one clock is enough",
    IRQ: "interrupt, level, high while an enabled cause is set",
}


@dataclass(frozen=True, slots=True)
class Kind:
    """A core with its bus.

    Attributes:
        module: Its RTL module; `map_name` that of its register map.
        levels: Levels of measurements that say how fast it is, the best first.
        title: What it is.
        driver: Files of its C driver below sw/c.
        ports: Name, bits, input: the slaves of the top, in order.
    """

    module: str
    map_name: str
    levels: tuple[str, ...]
    title: str
    driver: tuple[str, ...]
    ports: tuple[tuple[str, int, bool], ...]

    def port_lines(self) -> list[tuple[str, int, bool]]:
        """Every port: clock, reset, interrupt, slaves."""
        return [(CLOCK, 1, True), (RESET, 1, True), (IRQ, 1, False), *self.ports]

    @property
    def has_entropy(self) -> bool:
        """Whether it takes random words from an AXI-Stream."""
        return len(self.ports) > len(_BUS)


def meaning(port: str) -> str:
    """What a port is, for people."""
    kind = "AXI-Stream slave, random words" if "axis" in port else "AXI4-Lite slave"
    return _MEANING.get(port, kind)


MODEXP = Kind(
    "mf_modexp_axil",
    "mf_modexp",
    ("axil", "modexp", "mul"),
    "Modular exponentiation core",
    (*_DRIVER, "modfab.h", "modfab.c", "generated/mf_modexp_regs.h"),
    _BUS,
)
RSA = Kind(
    "mf_rsa_axil",
    "mf_rsa",
    ("rsa_axil", "rsa", "mul"),
    "RSA core",
    (*_KEY_DRIVER, "modfab_rsa.h", "modfab_rsa.c", "generated/mf_rsa_regs.h"),
    (*_BUS, *_ENTROPY),
)
