# SPDX-License-Identifier: Apache-2.0
"""Published figures, as data: one file for each paper in `results/published`.

A file has `paper` and a `note` about its figures; for all of its rows, or in each row, `device`,
`num_bits`, `family` (the target on which our area is comparable) and `work` (see `Ours`). A
`[[row]]` has `table` and `design` as printed, any of the figures that `FIGURES` names, `ours` where
modfab does the same work, and `form` where ours stands beside it in several forms. `why` says why
our cycles are fewer, or why there is no `ours`. `remarks` names what makes both not like for like;
`[remark.NAME]` has `kind` and `text` of each, and those named at the top of the file hold for
every row with `ours`. `corrected` has what a misprinted figure should be by the paper's others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli

from modfab.build.core import Core, EngineCore, ModexpCore, engine_core, modexp_core
from modfab.build.named import kind_of
from modfab.build.rsa import half_of, rsa_core
from modfab.errors import UsageError
from modfab.flow.levels import WORK_LEVELS
from modfab.paths import results_dir
from modfab.report.remarks import Remark, chosen, read_remarks

AREA = ("lut", "ff", "slices", "clb", "dsp", "bram")
FIGURES = (
    *(*AREA, "cycles", "interval_cycles", "clock_ns", "mhz", "time_us", "per_second"),
    "area_time",  # (LUT + FF) x ms of a product
)
_TEXTS = ("table", "design", "device", "family", "why", "form")


@dataclass(frozen=True, slots=True)
class Ours:
    """What of modfab does the work of a published row.

    Attributes:
        core: What is compared.
        work: `exp` (an exponentiation with `exponent`), `mul`, `mul2`, `setup`, or `rsa` (a private
            operation of the RSA core, its result checked).
        level: Level of the measurement, one of those whose circuit does that work.
        exponent: Exponent of the exponentiation: all ones unless the file gives one, or gives
            "half", every other bit from the highest on.
        run_bits: Exponent bits that are processed; all that the core was built for when None.
    """

    core: Core
    work: str
    level: str
    exponent: int = 0
    run_bits: int | None = None

    @property
    def cycles(self) -> int:
        """Cycles of the work, from the catalogue."""
        core = self.core
        if self.work == "rsa":
            return core.cycles()["private"]
        if self.work == "exp" and isinstance(core, ModexpCore):
            bits = self.run_bits or core.exp_bits
            return core.sequencer.exp_cycles(core.engine, core.params, self.exponent, bits)
        known = core.cycles()
        return known.get(self.work, 2 * known["mul"])  # two products, one after the other

    @property
    def load_cycles(self) -> int | None:
        """Cycles of loading the base of an exponentiation; None for other work."""
        unit = self.core.unit
        return unit.engine.cycles.load(unit.params) if self.work == "exp" else None

    @property
    def setup_cycles(self) -> int:
        """Cycles that are needed once: for a modulus, or for an RSA key."""
        return self.core.cycles()["key" if self.work == "rsa" else "setup"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a paper's table.

    Attributes:
        figures: What is printed, by the names in `FIGURES`.
        family: Target on which our area is comparable.
        ours: None when modfab has no such design, or another core has it.
        why: Why our cycles are lower, where they are, and why there are none, without `ours`.
        form: Which of several forms of ours this is; empty when there is one.
        remarks: What makes both not like for like.
        corrected: Of misprinted figures what they should be; ratios use it.
    """

    table: str
    design: str
    device: str
    family: str
    num_bits: int
    figures: Mapping[str, float] = field(hash=False)
    ours: Ours | None
    why: str = ""
    form: str = ""
    remarks: tuple[Remark, ...] = ()
    corrected: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def title(self) -> str:
        """Table and design, with the form of ours where there are several."""
        return f"{self.table} {self.design}" + (f" ({self.form})" if self.form else "")

    def figure(self, name: str) -> float | None:
        """A figure as printed, or corrected where it is misprinted; None without it."""
        return self.corrected.get(name, self.figures.get(name))

    @property
    def mhz(self) -> float | None:
        """Their frequency on their device, corrected where it is misprinted."""
        clock_ns = self.figure("clock_ns")
        return 1000 / clock_ns if clock_ns else self.figure("mhz")

    @property
    def time_us(self) -> float | None:
        """Their time on their device: printed, corrected, or from what is printed."""
        time_us, per_second = self.figure("time_us"), self.figure("per_second")
        if time_us:
            return time_us
        if per_second:
            return 1e6 / per_second
        cycles, mhz = self.figure("cycles"), self.mhz
        return cycles / mhz if cycles and mhz else None


@dataclass(frozen=True, slots=True)
class Paper:
    """The figures of one paper, and what to know about them."""

    name: str
    note: str
    rows: tuple[Row, ...]


def published_dir() -> Path:
    """Folder of the published figures."""
    return results_dir() / "published"


def read_published(paper: str, folder: Path | None = None) -> Paper:
    """The figures of one paper, rows in its order.

    Raises:
        UsageError: There is no such paper, or a row cannot be read; the text names it.
    """
    place = folder or published_dir()
    path = place / f"{paper}.toml"
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in place.glob("*.toml")))
        raise UsageError(f"There are no figures of a paper {paper!r}; choose one of {names}.")
    data = tomli.loads(path.read_text(encoding="utf-8"))
    known = read_remarks(data)
    rows = []
    for number, row in enumerate(data["row"], 1):
        try:
            remarks = [*(data.get("remarks", ()) if "ours" in row else ()), *row.get("remarks", ())]
            given = {**_shared(data), **row, "remarks": remarks}
            rows.append(_row(given, known))
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f"Row {number} of {path.name} cannot be read ({error!r}); every row needs table, "
                "design, device, family and num_bits, and only known figures."
            ) from error
    return Paper(paper, data.get("note", ""), tuple(rows))


def _shared(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: data[name] for name in ("device", "family", "num_bits", "work") if name in data}


def _row(data: dict[str, Any], known: Mapping[str, Remark]) -> Row:
    work = data.pop("work", "exp")
    ours = data.pop("ours", None)
    texts = {name: str(data.pop(name)) for name in _TEXTS if name in data}
    num_bits = int(data.pop("num_bits"))
    remarks = chosen(data.pop("remarks"), known)
    corrected = data.pop("corrected", {})
    unknown = {*data, *corrected} - set(FIGURES)
    if unknown:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    return Row(
        **texts,
        num_bits=num_bits,
        figures=data,
        ours=_ours(ours, num_bits, work) if ours else None,
        remarks=remarks,
        corrected=corrected,
    )


def _ours(data: Mapping[str, Any], num_bits: int, work: str) -> Ours:
    engine, params = data["engine"], data.get("params", {})
    sequencer = data.get("sequencer", "ladder")
    if work == "rsa":
        rsa = rsa_core(engine, half_of(num_bits), params, sequencer, **data.get("rsa", {}))
        return Ours(rsa, work, _level(data, "private", "rsa"))
    num_bits = data.get("num_bits", num_bits)
    level = _level(data, work, "modexp" if work == "exp" else "engine")
    if kind_of(level) == EngineCore.kind:
        return Ours(engine_core(engine, num_bits, params), work, level)
    core = modexp_core(engine, num_bits, params, sequencer, data.get("exp_bits"))
    ones = (1 << core.exp_bits) - 1
    exponent = data.get("exponent", ones)
    if exponent == "half":
        exponent = ones - ones // 3
    return Ours(core, work, level, exponent, run_bits=data.get("run_bits"))


def _level(data: Mapping[str, Any], work: str, usual: str) -> str:
    """The level of a row's measurement; ValueError when that circuit does not do the work."""
    level = str(data.get("level", usual))
    if level not in WORK_LEVELS[work]:
        raise ValueError(f"level {level} does not do {work}, {', '.join(WORK_LEVELS[work])} do")
    return level
