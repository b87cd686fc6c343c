# SPDX-License-Identifier: Apache-2.0
"""Resources of a mapped netlist, from the cell counts that Yosys gives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from modfab.flow.targets import SliceRule

# LUTs that one memory cell occupies, from the libraries' descriptions of these cells.
_MEMORY_LUTS = {
    "TRELLIS_DPR16X4": 6,  # four hold the bits, two more are lost to the write port
    "RAM16X1S": 1,
    "RAM16X1D": 2,
    "RAM32X1S": 1,
    "RAM32X1D": 2,
    "RAM64X1S": 1,
    "RAM64X1D": 2,
    "RAM128X1S": 2,
    "RAM128X1D": 4,
    "RAM256X1S": 4,
    "RAM256X1D": 8,
    "RAM512X1S": 8,
    "RAM32M": 4,
    "RAM64M": 4,
    "RAM32M16": 8,
    "RAM64M8": 8,
    "SRL16": 1,
    "SRL16E": 1,
    "SRLC16E": 1,
    "SRLC32E": 1,
}
# Virtex-II Pro has LUTs of four inputs: a cell of 32 or 64 bits takes more of them there.
_LUT4_MEMORY_LUTS = {"RAM32X1S": 2, "RAM32X1D": 4, "RAM64X1S": 4, "RAM64X1D": 8}
_CARRY_LUTS = {"CCU2C": 2}
_INVERTER = "INV"  # of Xilinx: Yosys' name for a LUT of one input, as no pin that takes it inverts
_CARRIES = {"CCU2C", "CARRY4", "CARRY8", "MUXCY"}
_FLIP_FLOP = re.compile(r"TRELLIS_FF|FD[RSCPE]+(_1)?")
_MULTIPLIER = re.compile(r"MULT18X18\w*|DSP48\w*")
_BLOCK_RAM = re.compile(r"RAMB\d+\w*|DP16KD|PDPW16KD")
_LUT = re.compile(r"LUT\d(_[DL])?")


@dataclass(frozen=True, slots=True)
class Area:
    """Resources of a design.

    Attributes:
        lut: LUT sites: logic, carry chains that occupy LUTs, distributed memory.
        lut_memory: The part of `lut` that holds distributed memory or shift registers.
        ff: Flip-flops.
        carry: Carry cells, as the family counts them.
        multipliers: MULT18X18* or DSP48* cells.
        block_rams: Blocks of 16 or 18 kbit; a block of 36 kbit counts as two.
        cells: Every cell type with its number.
    """

    lut: int
    lut_memory: int
    ff: int
    carry: int
    multipliers: int
    block_rams: int
    cells: dict[str, int]

    def minus(self, other: Area) -> Area:
        """What is left without the other's resources; never below zero."""
        cells = {
            name: max(0, number - other.cells.get(name, 0)) for name, number in self.cells.items()
        }
        numbers = {
            f.name: max(0, getattr(self, f.name) - getattr(other, f.name))
            for f in fields(self)
            if f.name != "cells"
        }
        return Area(**numbers, cells={name: n for name, n in cells.items() if n})

    def slices(self, rule: SliceRule) -> int:
        """Estimate of the slices, by the rule of the family."""
        return rule.estimate(self.lut, self.ff)

    def to_json(self) -> dict[str, object]:
        """Plain data for the store."""
        return asdict(self)


def area_of(cells: Mapping[str, int]) -> Area:
    """Resources of a netlist, given the number of each of its cells.

    >>> area = area_of({"LUT4": 10, "CCU2C": 4, "TRELLIS_FF": 7, "TRELLIS_DPR16X4": 1})
    >>> area.lut, area.lut_memory, area.ff, area.carry
    (24, 6, 7, 4)
    >>> area_of({"LUT2": 10, "INV": 3}).lut
    13
    """
    memory = dict(_MEMORY_LUTS)
    if "MUXCY" in cells:  # no other family has it
        memory |= _LUT4_MEMORY_LUTS
    luts = memory_luts = ffs = carries = multipliers = rams = 0
    for name, number in cells.items():
        if _LUT.fullmatch(name):
            luts += number
        luts += number * (_CARRY_LUTS.get(name, 0) + (name == _INVERTER))
        memory_luts += number * memory.get(name, 0)
        ffs += number * bool(_FLIP_FLOP.fullmatch(name))
        carries += number * (name in _CARRIES)
        multipliers += number * bool(_MULTIPLIER.fullmatch(name))
        if _BLOCK_RAM.fullmatch(name):
            rams += number * (2 if name.startswith("RAMB36") else 1)
    ordered = dict(sorted(cells.items()))
    return Area(luts + memory_luts, memory_luts, ffs, carries, multipliers, rams, ordered)
