# SPDX-License-Identifier: Apache-2.0
"""How many copies of a measured core a device holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from modfab.build.core import modexp_core
from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import get_target

SMALL_DEVICES: dict[str, Mapping[str, int]] = {
    # The 12F and the 25F are one die; LUTs and RAM blocks by Lattice FPGA-DS-02012, Table 1.1.
    "LFE5U-12F": {"LUT4": 12_000, "DP16KD": 32, "MULT18X18D": 28},
    "LFE5U-25F": get_target("ecp5-25k").capacity,
}
"""Small devices of the family and what they have."""


def fitting(area: Mapping[str, Any], capacity: Mapping[str, int]) -> tuple[int, str]:
    """How many copies fit, and the resource that ends first.

    Args:
        area: As stored with a measurement: `lut`, `ff`, `multipliers`, `block_rams`.
        capacity: As of a `Target`; a LUT4 site has one flip-flop.

    >>> area = {"lut": 2000, "ff": 1500, "multipliers": 7, "block_rams": 5}
    >>> fitting(area, SMALL_DEVICES["LFE5U-12F"])
    (4, 'multipliers')
    """
    needed = (
        ("LUT4", int(area["lut"]), capacity["LUT4"]),
        ("flip-flops", int(area["ff"]), capacity["LUT4"]),
        ("multipliers", int(area["multipliers"]), capacity["MULT18X18D"]),
        ("block RAMs", int(area["block_rams"]), capacity["DP16KD"]),
    )
    counts = [(there // used, name) for name, used, there in needed if used]
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
