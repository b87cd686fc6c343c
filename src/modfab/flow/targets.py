# SPDX-License-Identifier: Apache-2.0
"""The devices and families that a design can be measured on."""

from __future__ import annotations

from dataclasses import dataclass, field

from modfab.errors import UsageError


@dataclass(frozen=True, slots=True)
class SliceRule:
    """How many LUTs and flip-flops one slice of a family holds, and what the family calls it."""

    name: str
    luts: int
    ffs: int

    def estimate(self, num_luts: int, num_ffs: int) -> int:
        """Slices when every slice is filled: a lower bound of what a packer reaches.

        >>> rule = SliceRule("slice", luts=4, ffs=8)
        >>> rule.estimate(100, 30), rule.estimate(9, 100)
        (25, 13)
        """
        return max(-(-num_luts // self.luts), -(-num_ffs // self.ffs))

    @property
    def text(self) -> str:
        """The rule for people."""
        return f"{self.name}s = max(LUT/{self.luts}, FF/{self.ffs}), every {self.name} full"


@dataclass(frozen=True, slots=True)
class Target:
    """One device or family.

    Attributes:
        name: As given to `--target`.
        title: For people.
        vendor: Folder of `rtl/prim` whose files replace the generic ones; empty for none.
        synth: Yosys command that maps to the family.
        slices: Rule of the slice estimate.
        route: nextpnr options of the device; empty when there is no open router.
        capacity: Cell type -> number on the device; empty when unknown.
        multiplier_rows: Names of the multipliers' sites, row by row from left to right; empty when
            unknown.
        ram_rows: Likewise the names of the block RAMs' sites, one above or below each multiplier of
            a row.
        chain_bits: Bits of the longest adder that stays one carry chain; 0 for no limit.
        cell_delays: Yosys' file with the delays of the family's cells; empty when it has none.
        lut_inputs: Inputs of the LUTs that are counted.
        mul_bits: Bits of both unsigned operands that one hard multiplier takes.
    """

    name: str
    title: str
    vendor: str
    synth: str
    slices: SliceRule
    route: tuple[str, ...] = ()
    capacity: dict[str, int] = field(default_factory=dict, hash=False)
    multiplier_rows: tuple[tuple[str, ...], ...] = ()
    ram_rows: tuple[tuple[str, ...], ...] = ()
    chain_bits: int = 0
    cell_delays: str = ""
    lut_inputs: int = 6
    mul_bits: int = 18

    @property
    def routable(self) -> bool:
        """True when frequency can be measured after routing."""
        return bool(self.route)


_COLUMNS = {"MULT18_": (0, 1, 4, 5), "EBR": (0, 2, 4, 6)}


def _rows(kind: str, rows: tuple[int, ...], left: int, right: int) -> tuple[tuple[str, ...], ...]:
    """Four sites in each block of nine columns, left and right of the spine."""
    blocks = [4 + 9 * block + 2 * (block >= left) for block in range(left + right)]
    numbers = _COLUMNS["MULT18_"] if kind == "MULT18_" else range(4)
    return tuple(
        tuple(
            f"X{x + at}/Y{y}/{kind}{number}"
            for x in blocks
            for at, number in zip(_COLUMNS[kind], numbers, strict=True)
        )
        for y in rows
    )


_FASTEST = 8  # speed grade; a target of another one has it in its name


def _ecp5(size: str, luts: int, rams: int, muls: int, speed: int = _FASTEST) -> Target:
    return Target(
        name=f"ecp5-{size}" if speed == _FASTEST else f"ecp5-{size}-{speed}",
        title=f"Lattice ECP5 LFE5U-{size[:-1].upper()}F, speed grade {speed}",
        vendor="ecp5",
        synth="synth_ecp5",
        slices=SliceRule("slice", luts=2, ffs=2),
        route=(f"--{size}", "--speed", str(speed), "--package", _PACKAGES[size]),
        capacity={"LUT4": luts, "DP16KD": rams, "MULT18X18D": muls},
        multiplier_rows=_rows("MULT18_", *_DSP[size]),
        ram_rows=_rows("EBR", _RAM[size], *_DSP[size][1:]),
        chain_bits=_CHAIN_BITS,
        lut_inputs=4,
    )


def _xilinx(
    name: str,
    title: str,
    slices: SliceRule,
    vendor: str = "",
    cell_delays: str = "",
    lut_inputs: int = 6,
) -> Target:
    synth = f"synth_xilinx -family {name} -flatten -noiopad -noclkbuf"
    return Target(
        *(name, title, vendor, synth, slices),
        cell_delays=cell_delays,
        lut_inputs=lut_inputs,
        mul_bits=_SIGNED_MUL_BITS,
    )


# A row of N tiles holds (N - 4) * 4 - 2 cells of two bits, some of which end a chain or feed it.
_CHAIN_BITS = 300
_DSP = {"25k": ((13,), 3, 4), "45k": ((22, 46), 4, 5), "85k": ((10, 34, 58), 7, 6)}
_RAM = {"25k": (25, 37), "45k": (10, 34, 58), "85k": (22, 46, 70, 82)}
# Every family's multiplier is signed, with 18 bits or more by 18.
_SIGNED_MUL_BITS = 17
_XC7 = "+/xilinx/cells_sim.v"
_PACKAGES = {"25k": "CABGA381", "45k": "CABGA554", "85k": "CABGA756"}

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        _ecp5("25k", luts=24_288, rams=56, muls=28),
        _ecp5("45k", luts=43_848, rams=108, muls=72),
        _ecp5("85k", luts=83_640, rams=208, muls=156),
        _ecp5("85k", luts=83_640, rams=208, muls=156, speed=6),  # of the ULX3S
        _xilinx("xc7", "Xilinx 7 series, synthesis only", SliceRule("slice", 4, 8), "xilinx", _XC7),
        _xilinx("xcup", "Xilinx UltraScale+, synthesis only", SliceRule("CLB", 8, 16)),
        _xilinx("xc5v", "Xilinx Virtex-5, synthesis only", SliceRule("slice", 4, 4), "virtex5"),
        _xilinx(
            "xc2vp",
            "Xilinx Virtex-II Pro, synthesis only",
            SliceRule("slice", 2, 2),
            lut_inputs=4,
        ),
    )
}


def get_target(name: str) -> Target:
    """The target of that name; UsageError lists the names there are."""
    if name not in TARGETS:
        raise UsageError(f"There is no target {name!r}; choose one of {', '.join(TARGETS)}.")
    return TARGETS[name]
