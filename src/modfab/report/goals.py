# SPDX-License-Identifier: Apache-2.0
"""What `qp_systolic` was to reach, beside what its formulas and the store say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import get_target
from modfab.gen.rsa import rsa_config
from modfab.models.mul_qp_systolic import Shape
from modfab.models.mul_qp_systolic_fold import FoldedShape
from modfab.models.rsa_status import RsaEntry
from modfab.report.compare import ROUTED
from modfab.report.ranking import Entry, ranking, weights
from modfab.rsa.program import USUAL_E

ENGINE = "qp_systolic"
FOLDINGS = (4, 8, 16, 32)
"""Elements of the folded arrays that the goals name."""

DIGIT = 18
COMPARED = (512, 1024, 2048)
"""Widths at which the goals compare the engines."""

_Key = tuple[str, str, int, int]


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal.

    Attributes:
        what: The quantity with its unit.
        limit: What it was to reach.
        reached: What it is; None before it is measured.
        least: The limit is a lower one.
        digits: Decimals that count.
    """

    what: str
    limit: float
    reached: float | None
    least: bool = False
    digits: int = 0

    @property
    def kept(self) -> bool | None:
        """Whether the goal is reached; None before it is measured."""
        if self.reached is None:
            return None
        return self.reached >= self.limit if self.least else self.reached <= self.limit


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above and below else None


def _mhz(found: Measurement | None) -> float | None:
    return found.mhz if found else None


def _power_us(found: Measurement | None) -> float | None:
    return found.headline.time_us("exp") if found else None


def _busy() -> float:
    """Least share of clocks in which a folded array's multipliers do something needed."""
    return min(
        Shape(bits, DIGIT).digit_products / (count * FoldedShape(bits, DIGIT, count).pair_period)
        for bits in (1024, 2048)
        for count in FOLDINGS
    )


def _known(records: Iterable[Record]) -> dict[_Key, Measurement]:
    """The engines in their usual form on the device with a router, by width and elements."""
    known: dict[_Key, Measurement] = {}
    for found in current(records):
        request = found.synthesis.request
        params = request.params
        usual = (
            params.get("Redundant", 1)
            and not params.get("PipelineStages", 0)
            and params.get("QuotientDelay", 1) == 1
        )
        if request.target == ROUTED and request.rsa is None and usual:
            elements = params.get("NumElements", 0)
            known[request.engine, request.level, request.num_bits, elements] = found
    return known


def _rsa_core(records: Iterable[Record], elements: int, pair: bool) -> Record | None:
    """The RSA-2048 core with these arrays for its halves."""
    for found in current(records):
        request = found.synthesis.request
        if request.engine == ENGINE and request.level == "rsa" and request.num_bits == 1024:
            core = (request.params["NumElements"], bool((request.rsa or {}).get("pair")))
            if core == (elements, pair) and request.sequencer == "window":
                return found.headline
    return None


def _rsa_goals(records: Iterable[Record]) -> list[Goal]:
    made = []
    for elements, pair, cycles, multipliers in ((0, True, 190_000, 128), (4, False, 1_400_000, 16)):
        params = {} if pair else {"Contexts": 1, "NumElements": elements}
        config = rsa_config(ENGINE, 1024, params, sequencer="window", engines=2, pair=pair)
        clocks = config.cycles().program(RsaEntry.PRIVATE, USUAL_E.bit_length())
        core = _rsa_core(records, elements, pair)
        count = core.area["multipliers"] if core else None
        what = "one array for both halves" if pair else f"two arrays of {elements} elements"
        made.append(Goal(f"cycles of RSA-2048, {what}", cycles, clocks))
        made.append(Goal("multipliers of that core", multipliers, count))
    return made


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
    return Goal(what, 1, reached, digits=2)


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
        clocks = ours.multipliers * ours.product_us - other.multipliers * other.product_us
        found.append((ours, other, (rest[0] - rest[1]) / clocks))
    return found


def goals(records: Iterable[Record]) -> list[Goal]:
    """Every goal that a formula or a measurement answers."""
    records = tuple(records)
    known = _known(records)
    full, folded, narrow, wide = (
        known.get((ENGINE, "mul", *size)) for size in ((1024, 0), (1024, 16), (512, 16), (2048, 16))
    )
    shape = Shape(1024, DIGIT)
    clocks = (shape.num_digits + shape.mod_digits) * shape.pair_period / 2
    area = full.synthesis.area if full else {}
    per_multiplier = area["lut"] / area["multipliers"] if area else None
    theirs = known.get(("redundant_lut", "modexp", 1024, 0))
    even = _ratio(_mhz(wide), _mhz(narrow))
    faster = _ratio(_power_us(theirs), _power_us(full))
    power = full.headline.cycles["exp"] if full else None
    return [
        Goal("multiplier-clocks of a product, full array, 1024 bits", 7400, clocks),
        Goal("busy multipliers, 4 to 32 elements, in %", 85, 100 * _busy(), least=True, digits=1),
        Goal("MHz with 16 elements, 1024 bits", 220, _mhz(folded), least=True, digits=1),
        Goal("MHz of the full array, 1024 bits", 200, _mhz(full), least=True, digits=1),
        Goal("MHz at 2048 over 512 bits, 16 elements", 0.9, even, least=True, digits=3),
        Goal("LUT4 for each multiplier, full array, 1024 bits", 130, per_multiplier),
        Goal("cycles of `ladder`, full array, 1024 bits", 130_000, power),
        *_rsa_goals(records),
        Goal("times the powers a second of `redundant_lut`", 5, faster, least=True, digits=2),
        *(_area_time_goal(records, width) for width in COMPARED),
    ]
