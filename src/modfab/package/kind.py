# SPDX-License-Identifier: Apache-2.0
"""The cores that can be packaged, and in what their packages differ."""

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
_DRIVER = ("modfab_bus.h", "modfab_bus.c", "generated/mf_status.h")
_KEY_DRIVER = (*_DRIVER, "modfab_key.h", "modfab_key.c")

CLOCK, RESET, IRQ = "s_axi_aclk", "s_axi_aresetn", "irq"

_MEANING = {
    CLOCK: "the only clock",
    RESET: "synchronous reset, active low; one clock is enough",
    IRQ: "interrupt, level, high while an enabled cause is set",
}


Port = tuple[str, int, bool]
"""Name, bits, whether it is an input."""


@dataclass(frozen=True, slots=True)
class Stream:
    """An AXI-Stream of words at the top.

    Attributes:
        name: The bus, and the beginning of its ports.
        text: What goes over it, for people.
        is_slave: Words come in.
        has_last: It has packets, whose last word is marked.
    """

    name: str
    text: str
    is_slave: bool = True
    has_last: bool = False

    @property
    def signals(self) -> tuple[Port, ...]:
        """Signals by their AXI names, in order."""
        last = [("TLAST", 1, self.is_slave)] if self.has_last else []
        handshake = (("TVALID", 1, self.is_slave), ("TREADY", 1, not self.is_slave))
        return ("TDATA", 32, self.is_slave), *last, *handshake

    @property
    def ports(self) -> tuple[Port, ...]:
        """Its ports."""
        return tuple(
            (f"{self.name}_{signal.lower()}", bits, is_input)
            for signal, bits, is_input in self.signals
        )


@dataclass(frozen=True, slots=True)
class Kind:
    """A core with its bus.

    Attributes:
        module: Its RTL module; `map_name` that of its register map.
        levels: Levels of measurements of this very core, with its bus first.
        title: What it is.
        driver: Files of its C driver below sw/c.
        streams: Its AXI-Streams, in order.
    """

    module: str
    map_name: str
    levels: tuple[str, ...]
    title: str
    driver: tuple[str, ...]
    streams: tuple[Stream, ...] = ()

    @property
    def ports(self) -> tuple[Port, ...]:
        """The bus and the streams of the top, in order."""
        return (*_BUS, *(port for stream in self.streams for port in stream.ports))

    def port_lines(self) -> list[Port]:
        """Every port: clock, reset, interrupt, bus, streams."""
        return [(CLOCK, 1, True), (RESET, 1, True), (IRQ, 1, False), *self.ports]

    @property
    def has_entropy(self) -> bool:
        """Whether it takes random words from an AXI-Stream."""
        return _RANDOM in self.streams

    def meaning(self, port: str) -> str:
        """What a port is, for people."""
        for stream in self.streams:
            if port.startswith(f"{stream.name}_"):
                return f"AXI-Stream {'slave' if stream.is_slave else 'master'}, {stream.text}"
        return _MEANING.get(port, "AXI4-Lite slave")


_RANDOM = Stream("s_axis_rnd", "random words")

MODEXP = Kind(
    "mf_modexp_axil",
    "mf_modexp",
    ("modexp_axil", "modexp"),
    "Modular exponentiation core",
    (*_DRIVER, "modfab.h", "modfab.c", "generated/mf_modexp_regs.h"),
)
RSA = Kind(
    "mf_rsa_axil",
    "mf_rsa",
    ("rsa_axil", "rsa"),
    "RSA core",
    (*_KEY_DRIVER, "modfab_rsa.h", "modfab_rsa.c", "generated/mf_rsa_regs.h"),
    (_RANDOM,),
)
FARM = Kind(
    "mf_rsa_farm_axil",
    "mf_rsa_farm",
    ("farm_axil",),
    "Farm of RSA cores",
    (*_KEY_DRIVER, "modfab_farm.h", "modfab_farm.c", "generated/mf_rsa_farm_regs.h"),
    (
        Stream("s_axis_job", "jobs", has_last=True),
        Stream("m_axis_ans", "answers", is_slave=False, has_last=True),
        _RANDOM,
    ),
)

KINDS = {"modexp": MODEXP, "rsa": RSA, "farm": FARM}
"""By the kind of core; an engine alone is not packed."""
