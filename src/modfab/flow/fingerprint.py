# SPDX-License-Identifier: Apache-2.0
"""A fingerprint of an elaborated netlist that knows no name but those of the top's ports.

A walk from the top's outputs against the direction of the signals meets the cells in an order that
the circuit alone decides. The cells are numbered as they are met, and the fingerprint is the hash
of what the walk reads: of each cell its type, its parameters and the sources of the bits at its
inputs. Two netlists with the same fingerprint are the same graph as far as an output depends on it,
whatever their modules, instances, wires and files are called.

Yosys puts the inputs of commutative cells in the order of their wires' names. Here they are put in
the order of what drives them: a hash of the cells a few steps back. Inputs that are still alike are
left as they are, so that in rare cases one circuit may get two fingerprints; two circuits get the
same one only where they differ in nothing that an output depends on.

Cells that are kept though no output depends on them are read one by one, each with all that it
depends on. Which of them read the same such cell, and which read two alike, is not seen.

Yosys' mapping and nextpnr do look at names and their order: what they make of one circuit under two
texts differs by a few percent, as between seeds.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_CONSTANTS = {"0": 0, "1": 1, "x": 2, "z": 3}
_CONSTANT, _UNDRIVEN = 1 << 40, (1 << 41, 0)  # above every node's number
_COMMUTATIVE = frozenset(
    """$_AND_ $_OR_ $_XOR_ $_XNOR_ $_NAND_ $_NOR_ $and $or $xor $xnor $add $mul $eq $ne $eqx $nex
    $logic_and $logic_or""".split()
)
"""Cells whose inputs A and B may change places, where they are alike in width and sign."""
_REDUCTIONS = frozenset("$reduce_and $reduce_or $reduce_xor $reduce_xnor $reduce_bool".split())
"""Cells whose input bits may stand in any order."""
_STEPS = 12
"""Steps back that tell inputs of commutative cells apart."""
_MEANT = frozenset(
    """keep init no_rw_check ram_style rom_style ram_block rom_block ramstyle romstyle
    syn_ramstyle syn_romstyle logic_block""".split()
)
"""Attributes that decide what synthesis makes of a cell, wire or memory. All others are ignored."""

_DEFAULTS = frozenset(
    {("DP16KD", "REGMODE_A", "NOREG")}
    | {("DP16KD", f"INITVAL_{row:02X}", "0" * 320) for row in range(64)}
)
"""Values that a vendor's cell has where they are not given: given or not, it is the same cell."""

Module = Mapping[str, Any]
"""A module as Yosys' JSON describes it."""
_Bit = int | str
_Attributes = list[tuple[str, str]]


@dataclass(slots=True)
class _Node:
    """A cell or a memory.

    Attributes:
        label: Hash of what it is: type, parameters, widths of its ports, attributes.
        bits: Bits at its inputs, port by port.
        nodes: Of a cell at a memory: that memory. Of a memory: the cells that write it.
        group: Bits of an input that may change places with the next; 0 for none. A reduction's
            input is many of 1 bit.
    """

    label: int
    bits: list[_Bit] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    group: int = 0


@dataclass(frozen=True, slots=True)
class _Netlist:
    """Cells, then memories; and bit -> its node (an input port's is negative), place at it."""

    nodes: list[_Node]
    drivers: dict[_Bit, tuple[int, int]]


def fingerprint(module: Module) -> str:
    """The fingerprint of a flat module.

    Args:
        module: With its processes and assertions already gone.
    """
    netlist = _prepare(module)
    _order_inputs(netlist)
    ports = sorted(module["ports"].items())
    outputs = [bit for _, port in ports if port["direction"] == "output" for bit in port["bits"]]
    numbers: dict[int, int] = {}
    shape = [(name, port["direction"], len(port["bits"])) for name, port in ports]
    digest = hashlib.sha256(repr(shape).encode())
    digest.update(_walk(netlist, outputs, [], numbers, {}))
    # What no output depends on is there because somebody asked for it to be kept.
    rest = [number for number in range(len(module["cells"])) if number not in numbers]
    for walked in sorted(_walk(netlist, [], [number], {}, numbers) for number in rest):
        digest.update(walked)
    return digest.hexdigest()[:16]


def _order_inputs(netlist: _Netlist) -> None:
    """Put the inputs of commutative cells in an order that no name decides."""
    drivers, labels = netlist.drivers, [node.label for node in netlist.nodes]
    read = [[drivers.get(bit, _UNDRIVEN) for bit in node.bits] for node in netlist.nodes]
    seen = labels
    for _ in range(_STEPS):
        seen = [
            hash((label, _parts(node, sources, seen), tuple(seen[one] for one in node.nodes)))
            for node, sources, label in zip(netlist.nodes, read, labels, strict=True)
        ]
    for node, sources in zip(netlist.nodes, read, strict=True):
        if node.group:
            parts = _groups(node.group, _colours(sources, seen))
            order = sorted(range(len(parts)), key=parts.__getitem__)
            bits = _groups(node.group, node.bits)
            node.bits = [bit for at in order for bit in bits[at]]


def _groups(size: int, bits: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [tuple(bits[at : at + size]) for at in range(0, len(bits), size)]


def _colours(sources: Sequence[tuple[int, int]], seen: Sequence[int]) -> list[tuple[int, int]]:
    """What drives each bit, as far as it is known; negative for ports and constants."""
    return [(seen[node] if 0 <= node < _CONSTANT else ~node, at) for node, at in sources]


def _parts(node: _Node, sources: Sequence[tuple[int, int]], seen: Sequence[int]) -> int:
    colours = _colours(sources, seen)
    if not node.group:
        return hash(tuple(colours))
    return hash(tuple(sorted(_groups(node.group, colours))))


def _walk(
    netlist: _Netlist,
    bits: Sequence[_Bit],
    nodes: Sequence[int],
    numbers: dict[int, int],
    known: Mapping[int, int],
) -> bytes:
    """Hash of all that some bits and nodes depend on.

    Args:
        netlist: Where to walk.
        bits, nodes: Where to start.
        numbers: Gets the number of each node that is met.
        known: Numbers of nodes that need not be walked again.
    """
    words, met, drivers = array("q"), list[int](), netlist.drivers

    def number_of(node: int) -> int:
        number = numbers.get(node, known.get(node))
        if number is None:
            number = numbers[node] = len(known) + len(numbers)
            met.append(node)
        return number

    def read(bits: Iterable[_Bit], nodes: Iterable[int]) -> None:
        for bit in bits:
            node, at = drivers.get(bit, _UNDRIVEN)
            words.append(number_of(node) if 0 <= node < _CONSTANT else node)
            words.append(at)
        words.extend(map(number_of, nodes))

    read(bits, nodes)
    for node in met:
        entry = netlist.nodes[node]
        words.append(entry.label)
        read(entry.bits, entry.nodes)
    if sys.byteorder == "big":
        words.byteswap()
    return hashlib.sha256(words.tobytes()).digest()


def _prepare(module: Module) -> _Netlist:
    drivers: dict[_Bit, tuple[int, int]] = {
        text: (_CONSTANT + number, 0) for text, number in _CONSTANTS.items()
    }
    for rank, (_, port) in enumerate(sorted(module["ports"].items())):
        if port["direction"] != "output":
            drivers |= {bit: (-1 - rank, index) for index, bit in enumerate(port["bits"])}
    cells, marks = list(module["cells"].values()), _marks(module)
    nodes = [_Node(_label(cell, marks), group=_group(cell)) for cell in cells]
    for number, cell in enumerate(cells):
        for rank, (name, bits) in enumerate(sorted(cell["connections"].items())):
            if cell["port_directions"][name] == "input":
                nodes[number].bits += bits
            else:
                drivers |= {bit: (number, rank << 32 | at) for at, bit in enumerate(bits)}
    for name, memory in module.get("memories", {}).items():
        _add_memory(nodes, cells, name, memory)
    return _Netlist(nodes, drivers)


def _group(cell: Mapping[str, Any]) -> int:
    """`_Node.group` of a cell."""
    if cell["type"] in _REDUCTIONS:
        return 1
    if cell["type"] not in _COMMUTATIVE:
        return 0
    a, b = (len(cell["connections"][name]) for name in "AB")
    signs = {cell["parameters"].get(f"{name}_SIGNED", "0") for name in "AB"}
    return a if a == b and len(signs) == 1 else 0


def _add_memory(
    nodes: list[_Node], cells: Sequence[Module], name: str, memory: Mapping[str, Any]
) -> None:
    """Append a memory's node: contents and write ports in the order in which they count."""
    size = [memory[key] for key in ("width", "size", "start_offset")]
    node = _Node(_hash((size, _meant(memory["attributes"]))))
    writers = []
    for number, cell in enumerate(cells):
        parameters = cell["parameters"]
        if parameters.get("MEMID", "").removeprefix("\\") != name:
            continue
        nodes[number].nodes.append(len(nodes))
        if not cell["type"].startswith("$memrd"):
            place = "PORTID" if "PORTID" in parameters else "PRIORITY"
            writers.append((place, int(parameters[place], 2), number))
    node.nodes = [number for _, _, number in sorted(writers)]
    nodes.append(node)


def _marks(module: Module) -> dict[int, _Attributes]:
    """Bit -> the meant attributes of its wires, of an initial value its own bit."""
    marks: dict[int, set[tuple[str, str]]] = {}
    for net in module["netnames"].values():
        for name, value in _meant(net["attributes"]):
            own = value[::-1] if name == "init" else [value] * len(net["bits"])
            for bit, part in zip(net["bits"], own, strict=False):
                if isinstance(bit, int) and (name, part) != ("init", "x"):
                    marks.setdefault(bit, set()).add((name, part))
    return {bit: sorted(found) for bit, found in marks.items()}


def _label(cell: Mapping[str, Any], marks: Mapping[int, _Attributes]) -> int:
    parameters = sorted(
        (name, value)
        for name, value in cell["parameters"].items()
        if name != "MEMID" and (cell["type"], name, value) not in _DEFAULTS
    )
    connections = sorted(cell["connections"].items())
    widths = [(name, len(bits)) for name, bits in connections]
    marked = [
        (name, index, marks[bit])
        for name, bits in connections
        if cell["port_directions"][name] != "input"
        for index, bit in enumerate(bits)
        if bit in marks
    ]
    return _hash((cell["type"], parameters, widths, _meant(cell["attributes"]), marked))


def _meant(attributes: Mapping[str, str]) -> _Attributes:
    return sorted(item for item in attributes.items() if item[0] in _MEANT)


def _hash(words: object) -> int:
    """63 bits of the hash of plain data."""
    return int.from_bytes(hashlib.sha256(repr(words).encode()).digest()[:8], "big") >> 1
