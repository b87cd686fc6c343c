# SPDX-License-Identifier: Apache-2.0
"""How many copies of a measured core a device holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from modfab.build.core import modexp_core
from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import Target, get_target


@dataclass(frozen=True, slots=True)
class Room:
    """What a device has.

    Attributes:
        lut, ff, multipliers, block_rams: As `modfab.flow.area.Area` counts them.
        lut_name: What its LUTs are called.
    """

    lut: int
    ff: int
    multipliers: int
    block_rams: int
    lut_name: str = "LUT4"


def _ecp5(lut: int, block_rams: int, multipliers: int) -> Room:
    """A device of the family: a LUT4 site has one flip-flop."""
    return Room(lut, lut, multipliers, block_rams)


def room_of(target: Target) -> Room | None:
    """What a target's device has; None for a target that is a family."""
    return ecp5_room(target.name) if target.capacity else None


def ecp5_room(name: str) -> Room:
    """What a device of the family has, by the name of its target."""
    capacity = get_target(name).capacity
    return _ecp5(*(capacity[cell] for cell in ("LUT4", "DP16KD", "MULT18X18D")))


SMALL_DEVICES: dict[str, Room] = {
    # The 12F and the 25F are one die; LUTs and RAM blocks by Lattice FPGA-DS-02012, Table 1.1.
    "LFE5U-12F": _ecp5(12_000, 32, 28),
    "LFE5U-25F": ecp5_room("ecp5-25k"),
}
"""Small devices of the family and what they have."""


def needed(area: Mapping[str, Any], room: Room) -> tuple[tuple[str, int, int], ...]:
    """Each resource of a device: its name, how much of it is needed and how much there is."""
    return (
        (room.lut_name, int(area["lut"]), room.lut),
        ("flip-flops", int(area["ff"]), room.ff),
        ("multipliers", int(area["multipliers"]), room.multipliers),
        ("block RAMs", int(area["block_rams"]), room.block_rams),
    )


def fitting(area: Mapping[str, Any], room: Room) -> tuple[int, str]:
    """How many copies fit, and the resource that ends first.

    Args:
        area: As stored with a measurement: `lut`, `ff`, `multipliers`, `block_rams`.
        room: What the device has.

    >>> area = {"lut": 2000, "ff": 1500, "multipliers": 7, "block_rams": 5}
    >>> fitting(area, SMALL_DEVICES["LFE5U-12F"])
    (4, 'multipliers')
    """
    counts = [(there // used, name) for name, used, there in needed(area, room) if used]
    return min(counts)


def cores_of(records: Iterable[Record], engine: str, num_bits: int) -> list[Measurement]:
    """The AXI4-Lite cores with an engine of that width on ECP5, one for each sequencer.

    The engine has its default parameters; a routed measurement comes before one that is not.
    """
    found: dict[str, Measurement] = {}
    for measured in current(records):
        request = measured.synthesis.request
        if (request.engine, request.level, request.num_bits) != (engine, "modexp_axil", num_bits):
            continue
        if not request.target.startswith("ecp5") or request.exp_bits != num_bits:
            continue
        usual = modexp_core(engine, num_bits, sequencer=request.sequencer).params
        if any(usual.get(name) != value for name, value in request.params.items()):
            continue
        known = found.get(request.sequencer)
        if known is None or measured.routings or not known.routings:
            found[request.sequencer] = measured
    return [found[name] for name in sorted(found)]
