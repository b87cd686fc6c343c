# SPDX-License-Identifier: Apache-2.0
"""The cores that can be packaged, and in what their packages differ."""

from __future__ import annotations

from dataclasses import dataclass, replace

from modfab.build.header import vector_ports

_DRIVER = ("modfab_bus.h", "modfab_bus.c", "generated/mf_status.h")
_KEY_DRIVER = (*_DRIVER, "modfab_key.h", "modfab_key.c")

CLOCK, RESET, IRQ, ALARM = "s_axi_aclk", "s_axi_aresetn", "irq", "alarm"

_MEANING = {
    CLOCK: "the only clock",
    IRQ: "interrupt, level, high while an enabled cause is set",
    ALARM: "level, high from an alarm of the core until reset or zeroize",
}


Port = tuple[str, int, bool]
"""Name, bits, whether it is an input."""

_PROTECTION = ("s_axi_awaddr", "s_axi_araddr")
"""AXI4-Lite has awprot and arprot behind these; the cores treat every access alike."""


@dataclass(frozen=True, slots=True)
class Stream:
    """An AXI-Stream of words at the top.

    Attributes:
        name: The bus, and the beginning of its ports.
        ports: Its ports, in order.
    """

    name: str
    ports: tuple[Port, ...]

    @property
    def is_slave(self) -> bool:
        """Words come in."""
        return self.name.startswith("s_")


_RANDOM, _JOBS = "s_axis_rnd", "s_axis_job"
_STREAMS = {_RANDOM: "random words", _JOBS: "jobs", "m_axis_ans": "answers"}
"""The streams there are, and what goes over them, for people."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A core with its bus.

    Attributes:
        module: Its RTL module; `map_name` that of its register map.
        levels: Levels of measurements of this very core, with its bus first.
        title: What it is.
        driver: Files of its C driver below sw/c.
        takes_random: The RTL module's port for random words is one of the top's.
    """

    module: str
    map_name: str
    levels: tuple[str, ...]
    title: str
    driver: tuple[str, ...]
    takes_random: bool = True

    @property
    def ports(self) -> tuple[Port, ...]:
        """The bus and the streams of the top, in order, as the RTL module has them."""
        found: list[Port] = []
        for port in vector_ports(f"bus/{self.module}.sv"):
            if port[0].startswith(f"{_RANDOM}_") and not self.takes_random:
                continue
            if port[0].startswith(("s_axi", "m_axi")):
                found.append(port)
            if port[0] in _PROTECTION:
                found.append((port[0].replace("addr", "prot"), 3, True))
        return tuple(found)

    @property
    def streams(self) -> tuple[Stream, ...]:
        """Its AXI-Streams, in order."""
        names = dict.fromkeys(name.rpartition("_")[0] for name, _, _ in self.ports)
        return tuple(
            Stream(name, tuple(port for port in self.ports if port[0].startswith(f"{name}_")))
            for name in names
            if name in _STREAMS
        )

    @property
    def lines(self) -> tuple[Port, ...]:
        """What it says beside the bus: the interrupt, and an alarm where it has one."""
        names = [name for name, _, _ in vector_ports(f"bus/{self.module}.sv")]
        return tuple((line, 1, False) for line in (IRQ, ALARM) if f"{line}_o" in names)

    def port_lines(self) -> list[Port]:
        """Every port: clock, reset, interrupt, alarm, bus, streams."""
        return [(CLOCK, 1, True), (RESET, 1, True), *self.lines, *self.ports]

    @property
    def reset_cycles(self) -> str:
        """How long a reset has to be."""
        if any(stream.name == _JOBS for stream in self.streams):
            return "two cycles or more, and no access or job in the first cycle after it"
        return "one cycle or more, and no access in the first cycle after it"

    @property
    def has_entropy(self) -> bool:
        """Whether it takes random words from an AXI-Stream."""
        return any(stream.name == _RANDOM for stream in self.streams)

    def meaning(self, port: str) -> str:
        """What a port is, for people."""
        for stream in self.streams:
            if port.startswith(f"{stream.name}_"):
                role = "slave" if stream.is_slave else "master"
                return f"AXI-Stream {role}, {_STREAMS[stream.name]}"
        if port == RESET:
            return f"synchronous reset, active low; {self.reset_cycles}"
        return _MEANING.get(port, "AXI4-Lite slave")


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
)
PUBLIC = replace(RSA, title="RSA core for public operations", takes_random=False)
FARM = Kind(
    "mf_rsa_farm_axil",
    "mf_rsa_farm",
    ("farm_axil",),
    "Farm of RSA cores",
    (*_KEY_DRIVER, "modfab_farm.h", "modfab_farm.c", "generated/mf_rsa_farm_regs.h"),
)

KINDS = {"modexp": MODEXP, "rsa": RSA, "farm": FARM}
"""By the kind of core; an engine alone is not packed."""
