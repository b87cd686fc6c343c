# SPDX-License-Identifier: Apache-2.0
"""The critical path in words: from which register of which module to which, logic and routing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modfab.errors import ToolError

_PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_INSTANCE = re.compile(rf"\b(mf_\w+)\s*(?:#\s*{_PARENTHESES}\s*)?(u_\w+)\s*\(")
_CELL_SUFFIX = re.compile(
    r"(_TRELLIS_|(\[\d+\])?\\[A-Z]|_LUT4|_CCU2C|_PFUMX|_L6MUX21|_DP16KD|_MULT18X18D|_DI_|_DO_|\$).*"
)


@dataclass(frozen=True, slots=True)
class Place:
    """A register or memory: the module it is in, the instance of that module, its name."""

    module: str
    instance: str
    name: str

    @property
    def text(self) -> str:
        """For people: `state_q of mf_mul_bit_serial (u_engine)`."""
        return f"{self.name} of {self.module} ({self.instance})"


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The slowest path between two registers.

    Attributes:
        start, end: Cells as nextpnr names them, without what synthesis appended.
        logic_ns, routing_ns: Where the time goes; clock-to-output and set-up are logic.
        levels: Cells that the path runs through.
        longest_ns, longest_net: The slowest single connection.
    """

    start: str
    end: str
    logic_ns: float
    routing_ns: float
    levels: int
    longest_ns: float
    longest_net: str

    @property
    def total_ns(self) -> float:
        """Length of the path."""
        return round(self.logic_ns + self.routing_ns, 3)

    def describe(self, modules: Mapping[str, str], top: str) -> str:
        """One sentence for people.

        Args:
            modules: Module name -> SystemVerilog text, to name the module of an instance.
            top: Module whose instance names the cells start with.
        """
        start, end = place_of(self.start, modules, top), place_of(self.end, modules, top)
        return (
            f"{start.text} -> {end.text}: {self.total_ns:.2f} ns, of them {self.logic_ns:.2f} in "
            f"{self.levels} cells and {self.routing_ns:.2f} routing; longest connection "
            f"{self.longest_ns:.2f} ns ({self.longest_net})"
        )


def plain_name(cell: str) -> str:
    r"""A cell's name without what synthesis and packing appended.

    >>> plain_name("u_dut.u_engine.state_q_TRELLIS_FF_Q_1")
    'u_dut.u_engine.state_q'
    >>> plain_name("u_dut.gen_copies[2].copy_q[1]\\TRELLIS_FF")
    'u_dut.gen_copies[2].copy_q'
    >>> plain_name("u_dut.u_slots.mem_q.1.0$DPRAM_COMB3")
    'u_dut.u_slots.mem_q'
    """
    return re.sub(r"(\.\d+)+$", "", _CELL_SUFFIX.sub("", cell))


def path_of(paths: Sequence[Mapping[str, Any]], clock: str) -> CriticalPath:
    """The critical path of a clock from nextpnr's report.

    Raises:
        ToolError: The report has no path from that clock to itself.
    """
    edge = f"posedge {clock}"
    for path in paths:
        if path["from"] == edge and path["to"] == edge and path["path"]:
            return _path(path["path"])
    raise ToolError(
        f"nextpnr's report has no path within the clock {clock}; the design has no register behind "
        "a register, so it has no frequency either."
    )


def _path(segments: Sequence[Mapping[str, Any]]) -> CriticalPath:
    routing = [segment for segment in segments if segment["type"] == "routing"]
    longest = max(routing, key=lambda segment: float(segment["delay"]), default=None)
    routing_ns = sum(float(segment["delay"]) for segment in routing)
    total_ns = sum(float(segment["delay"]) for segment in segments)
    return CriticalPath(
        start=plain_name(segments[0]["from"]["cell"]),
        end=plain_name(segments[-1]["to"]["cell"]),
        logic_ns=round(total_ns - routing_ns, 3),
        routing_ns=round(routing_ns, 3),
        levels=sum(1 for segment in segments if segment["type"] == "logic"),
        longest_ns=round(float(longest["delay"]), 3) if longest else 0.0,
        longest_net=_net_name(longest["net"]) if longest else "none",
    )


def _net_name(net: str) -> str:
    return "a net without a name" if net.startswith("$") else plain_name(net)


def instances_of(text: str) -> dict[str, str]:
    """Instance name -> module name of the modfab modules that one SystemVerilog text uses.

    >>> instances_of("mf_prim_mul #(.WidthA (18), .Stages (Depth + (2))) u_mul (.*);")
    {'u_mul': 'mf_prim_mul'}
    """
    return {found[2]: found[1] for found in _INSTANCE.finditer(text)}


def place_of(name: str, modules: Mapping[str, str], top: str) -> Place:
    """The module, instance and register that a hierarchical name stands for."""
    module, instances, words = top, [""], name.split(".")
    for index, word in enumerate(words):
        below = instances_of(modules.get(module, ""))
        if word in below:
            module = below[word]
            instances = words[: index + 1]
        elif not re.match(r"gen_|u_", word):
            break
    path = ".".join(instances)
    rest = name.removeprefix(path).lstrip(".") or "a cell without a name"
    return Place(module, path or "wrapper", rest)
