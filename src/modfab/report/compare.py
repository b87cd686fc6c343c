# SPDX-License-Identifier: Apache-2.0
"""Ours beside a paper's: cycles, area on their family, time on their device and on ours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from modfab.build.core import EngineCore, ModexpCore
from modfab.build.rsa import SET_BY_CORE
from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current, measured
from modfab.flow.targets import get_target
from modfab.report.circuit import Frequency, frequency_at, routed
from modfab.report.clb import LUT_INPUTS, clbs
from modfab.report.published import AREA, Ours, Row
from modfab.report.remarks import Remark

ROUTED = "ecp5-85k"
"""Target of our frequencies: the largest device that an open router knows well."""

_AREA_NAMES = {"lut": "lut", "ff": "ff", "dsp": "multipliers", "bram": "block_rams"}


_LOCKED = {
    True: "Our frequency has the multipliers locked to sites side by side.",
    False: "Our frequency has the multipliers where the placer put them.",
}


def _has_area(row: Row) -> bool:
    return any(name in row.figures for name in AREA)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One published row and what modfab has beside it.

    Attributes:
        row: What the paper prints.
        cycles: Our cycles, from the catalogue; None when modfab has no such design.
        setup_cycles: Once for each modulus, not in `cycles`.
        area: Our area on the paper's family, by the paper's names; empty when not measured.
        frequency: Of that very circuit after routing on `ROUTED`.
        locked: Whether its multipliers were locked to sites for that; None without a frequency.
        to_measure: Commands that would fill what is missing.
    """

    row: Row
    cycles: int | None = None
    setup_cycles: int | None = None
    area: dict[str, int] = field(default_factory=dict, hash=False)
    frequency: Frequency | None = None
    locked: bool | None = None
    to_measure: tuple[str, ...] = ()

    @property
    def load_cycles(self) -> int | None:
        """Cycles of loading the base before an exponentiation, not in `cycles`."""
        return self.row.ours.load_cycles if self.row.ours else None

    @property
    def mhz(self) -> float | None:
        """Our frequency: median over the seeds."""
        return self.frequency.mhz if self.frequency else None

    @property
    def cycle_ratio(self) -> float | None:
        """Their cycles by ours: above one, ours are fewer."""
        theirs = self.row.figure("cycles")
        return theirs / self.cycles if theirs and self.cycles else None

    @property
    def time_us(self) -> float | None:
        """Our time on our device."""
        return self.cycles / self.mhz if self.cycles and self.mhz else None

    @property
    def time_ratio(self) -> float | None:
        """Their time on their device by ours on ours: above one, ours is faster."""
        theirs, ours = self.row.time_us, self.time_us
        return theirs / ours if theirs and ours else None

    def area_ratio(self, name: str) -> float | None:
        """Their resource by ours: above one, ours is smaller."""
        theirs, ours = self.row.figure(name), self.area.get(name)
        return theirs / ours if theirs and ours else None

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What makes both not like for like: from the file, and from what is measured or not."""
        if self.row.ours is None:
            return self.row.remarks
        missing = [
            text
            for text, there in (
                (f"area on {self.row.family}", bool(self.area) or not _has_area(self.row)),
                (f"frequency and time on {ROUTED}", self.frequency is not None),
            )
            if not there
        ]
        found = list(self.row.remarks)
        if self.locked is not None and self.area.get("dsp"):
            found.append(Remark("locked", _LOCKED[self.locked]))
        if missing:
            found.append(
                Remark("unmeasured", f"Not measured for this circuit: {' and '.join(missing)}.")
            )
        return tuple(found)


def _newest(records: Iterable[Record], ours: Ours, target: str) -> Measurement | None:
    """The newest measurement of exactly that circuit on that target, a routed one before others."""
    known = current(
        record
        for record in measured(records, ours.core)
        if (record.request.level, record.request.target) == (ours.level, target)
    )
    return max(known, key=lambda found: (bool(found.routings), found.synthesis.date), default=None)


def command(ours: Ours, target: str) -> str:
    """The command that measures a design on a target."""
    core, unit = ours.core, ours.core.unit
    words = [f"modfab synth --engine {unit.engine.name} --bits {core.num_bits}"]
    usual = unit.engine.on_target(get_target(target).mul_bits, {})
    defaults = unit.engine.resolve(unit.num_bits, usual)
    for name, value in unit.params.items():
        if value != defaults[name] and (name not in SET_BY_CORE or core.kind == EngineCore.kind):
            words.append(f"-P {name}={value}")
    if unit.sequencer_name:
        words.append(f"--level {ours.level} --sequencer {unit.sequencer_name}")
    if core.kind == ModexpCore.kind and unit.exp_bits != unit.num_bits:
        words.append(f"--exp-bits {unit.exp_bits}")
    words += [f"--rsa {name}={value}" for name, value in core.non_defaults().items()]
    words += [f"--target {target}", *(["--route"] if get_target(target).routable else [])]
    return " ".join(words)


def _area(found: Measurement, family: str) -> dict[str, int]:
    """Area by the papers' names; slices and CLBs are estimates of full ones."""
    stored, target = found.synthesis.area, get_target(family)
    area = {name: int(stored[source]) for name, source in _AREA_NAMES.items()}
    area["slices"] = target.slices.estimate(area["lut"], area["ff"])
    if target.lut_inputs == LUT_INPUTS:
        area["clb"] = clbs(area["lut"], area["ff"])
    return area


def compare(row: Row, records: Iterable[Record]) -> Comparison:
    """Put modfab's figures beside one published row.

    Args:
        row: The published row.
        records: Every measurement there is.
    """
    ours = row.ours
    if ours is None:
        return Comparison(row)
    known = list(records)
    synthesized = _newest(known, ours, row.family)
    area = _area(synthesized, row.family) if synthesized else {}
    run = routed(known, ours.core, ROUTED, ours.level)
    frequency = frequency_at(run)
    locked = run.routings[0].request.locked if run else None
    missing = [t for t, there in ((row.family, area), (ROUTED, frequency)) if not there]
    commands = dict.fromkeys(command(ours, target) for target in missing)
    cycles = ours.cycles, ours.setup_cycles
    return Comparison(row, *cycles, area, frequency, locked, tuple(commands))
