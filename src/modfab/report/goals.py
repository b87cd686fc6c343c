# SPDX-License-Identifier: Apache-2.0
"""What `qp_systolic` was to reach, beside what its formulas and the store say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from modfab.build.core import engine_core, modexp_core
from modfab.build.rsa import RsaCore, rsa_core
from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current, measured
from modfab.flow.targets import get_target
from modfab.models.mul_qp_systolic import Shape
from modfab.models.mul_qp_systolic_fold import FoldedShape
from modfab.report.circuit import routed, time_us
from modfab.report.compare import ROUTED, command
from modfab.report.published import Ours
from modfab.report.ranking import Entry, ranking, weights

ENGINE = "qp_systolic"
FOLDINGS = (4, 8, 16, 32)
"""Elements of the folded arrays that the goals name."""

DIGIT = 18
COMPARED = (512, 1024, 2048)
"""Widths at which the goals compare the engines."""

_Key = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal.

    Attributes:
        what: The quantity with its unit.
        limit: What it was to reach.
        reached: What it is; None before it is measured.
        basis: What it is from: `formula`, or level and number of seeds.
        least: The limit is a lower one.
        digits: Decimals that count.
        to_measure: The command that measures it.
    """

    what: str
    limit: float
    reached: float | None
    basis: str = "formula"
    least: bool = False
    digits: int = 0
    to_measure: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None before it is measured."""
        if self.reached is None:
            return None
        return self.reached >= self.limit if self.least else self.reached <= self.limit


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above and below else None


def _mhz(found: Measurement | None) -> float | None:
    return found.mhz if found else None


def _basis(*found: Measurement | None) -> str:
    """Levels and numbers of seeds that a goal is from; `-` when one of them is missing."""
    texts = []
    for one in found:
        if one is None:
            return "-"
        seeds = f" ({len(one.routings)})" if one.routings else ", synthesis"
        texts.append(f"{one.synthesis.request.level}{seeds}")
    return ", ".join(dict.fromkeys(texts))


def _busy() -> float:
    """Least share of cycles in which a folded array's multipliers do something needed."""
    return min(
        Shape(bits, DIGIT).digit_products / (count * FoldedShape(bits, DIGIT, count).pair_period)
        for bits in (1024, 2048)
        for count in FOLDINGS
    )


def _known(records: Iterable[Record]) -> dict[_Key, Measurement]:
    """The engines alone in their default form on the device with a router, by width, elements."""
    known: dict[_Key, Measurement] = {}
    for found in current(records):
        request = found.synthesis.request
        params = request.params
        usual = (
            params.get("Redundant", 1)
            and not params.get("PipelineStages", 0)
            and params.get("QuotientDelay", 1) == 1
        )
        if request.target == ROUTED and request.level == "engine" and usual:
            elements = params.get("NumElements", 0)
            known[request.engine, request.num_bits, elements] = found
    return known


def _rsa_core(records: Iterable[Record], config: RsaCore) -> Measurement | None:
    """The newest measurement of exactly that RSA core."""
    known = [
        record
        for record in measured(records, config)
        if (record.request.level, record.request.target) == ("rsa", ROUTED)
    ]
    return next(iter(current(known)), None)


def _rsa_goals(records: Iterable[Record]) -> list[Goal]:
    made, known = [], list(records)
    for elements, pair, limit, multipliers in ((0, True, 190_000, 128), (4, False, 1_400_000, 16)):
        params = {} if pair else {"Contexts": 1, "NumElements": elements}
        config = rsa_core(ENGINE, 1024, params, sequencer="window", engines=2, pair=pair)
        cycles = config.cycles()["private"]
        core = _rsa_core(known, config)
        count = core.synthesis.area["multipliers"] if core else None
        what = "one array for both halves" if pair else f"two arrays of {elements} elements"
        words = command(Ours(config, "rsa", "rsa"), ROUTED)
        made.append(Goal(f"cycles of RSA-2048, {what}", limit, cycles))
        basis = _basis(core)
        made.append(Goal("multipliers of that core", multipliers, count, basis, to_measure=words))
    return made


def _exp_goal(records: Iterable[Record]) -> Goal:
    """Exponentiations a second beside those of `redundant_lut`, each exponentiator as routed."""
    known = list(records)
    configs = [
        modexp_core(ENGINE, 1024, sequencer="ladder"),
        modexp_core("redundant_lut", 1024, sequencer="l2r"),
    ]
    ours, theirs = (routed(known, config, ROUTED, "modexp") for config in configs)
    ratio = _ratio(time_us(theirs, "exp"), time_us(ours, "exp"))
    missing = next((c for c, f in zip(configs, (ours, theirs), strict=True) if f is None), None)
    words = command(Ours(missing, "exp", "modexp"), ROUTED) if missing else ""
    return Goal(
        "times the exponentiations a second of `redundant_lut`",
        *(5, ratio, _basis(ours, theirs)),
        least=True,
        digits=2,
        to_measure=words,
    )


def _leaders(records: Iterable[Record], width: int) -> tuple[Entry | None, Entry | None]:
    """The entries with the least area x time of this engine and of all others at one width."""
    entries = ranking(records, width)  # the best first
    ours, others = (
        next((e for e in entries if (e.engine == ENGINE) == own), None) for own in (True, False)
    )
    return ours, others


def _area_time_goal(records: Iterable[Record], width: int) -> Goal:
    what = f"area x time over the least of another engine, {width} bits"
    ours, other = _leaders(records, width)
    reached = ours.area_time / other.area_time if ours and other else None
    seeds = ", ".join(str(e.num_seeds) for e in (ours, other) if e)
    basis = "-" if reached is None else f"engine ({seeds})"
    words = _synth(width) if ours is None else ""
    return Goal(what, 1, reached, basis, digits=2, to_measure=words)


def _synth(num_bits: int, elements: int = 0) -> str:
    """The command that routes the engine alone."""
    core = engine_core(ENGINE, num_bits, {"NumElements": elements})
    return command(Ours(core, "mul", "engine"), ROUTED)


def _measured_goal(
    what: str, limit: float, found: Measurement | None, size: tuple[int, int]
) -> Goal:
    """A frequency of the engine alone."""
    basis, words = _basis(found), _synth(*size)
    return Goal(what, limit, _mhz(found), basis, least=True, digits=1, to_measure=words)


def even_weights(records: Iterable[Record]) -> list[tuple[Entry, Entry, float]]:
    """Widths at which another engine has the lower area x time.

    Returns:
        This engine's best, the other engine, and the LUT4 that a multiplier would have to count as
        for both to be equal.
    """
    found = []
    for width in COMPARED:
        ours, other = _leaders(records, width)
        if ours is None or other is None or ours.area_time <= other.area_time:
            continue
        multiplier = float(weights(get_target(ROUTED))["MULT18X18D"])
        rest = [
            (e.area - e.multipliers * multiplier) * e.product_us for e in (other, ours)
        ]  # without multipliers
        work = ours.multipliers * ours.product_us - other.multipliers * other.product_us
        found.append((ours, other, (rest[0] - rest[1]) / work))
    return found


def goals(records: Iterable[Record]) -> list[Goal]:
    """Every goal that a formula or a measurement answers."""
    records = tuple(records)
    known = _known(records)
    full, folded, narrow, wide = (
        known.get((ENGINE, *size)) for size in ((1024, 0), (1024, 16), (512, 16), (2048, 16))
    )
    shape = Shape(1024, DIGIT)
    cycles = (shape.num_digits + shape.mod_digits) * shape.pair_period / 2
    area = full.synthesis.area if full else {}
    per_multiplier = area["lut"] / area["multipliers"] if area else None
    even = _ratio(_mhz(wide), _mhz(narrow))
    ladder = modexp_core(ENGINE, 1024, sequencer="ladder").cycles()["exp"]
    return [
        Goal("multiplier-cycles of a product, full array, 1024 bits", 7400, cycles),
        Goal("busy multipliers, 4 to 32 elements, in %", 85, 100 * _busy(), least=True, digits=1),
        _measured_goal("MHz with 16 elements, 1024 bits", 220, folded, (1024, 16)),
        _measured_goal("MHz of the full array, 1024 bits", 200, full, (1024, 0)),
        Goal(
            "MHz at 2048 over 512 bits, 16 elements",
            *(0.9, even, _basis(wide, narrow)),
            least=True,
            digits=3,
            to_measure=_synth(512 if narrow is None else 2048, 16),
        ),
        Goal(
            "LUT4 for each multiplier, full array, 1024 bits",
            *(130, per_multiplier, _basis(full)),
            to_measure=_synth(1024),
        ),
        Goal("cycles of `ladder`, full array, 1024 bits", 130_000, ladder),
        *_rsa_goals(records),
        _exp_goal(records),
        *(_area_time_goal(records, width) for width in COMPARED),
    ]
