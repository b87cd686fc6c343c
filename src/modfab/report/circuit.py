# SPDX-License-Identifier: Apache-2.0
"""A frequency belongs to the circuit that was routed: which work may be timed with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from modfab.build.core import BUS, Core, EngineCore
from modfab.build.rsa import SET_BY_CORE
from modfab.catalog import Params
from modfab.errors import UsageError
from modfab.flow.levels import WORK_LEVELS
from modfab.flow.record import Record
from modfab.flow.resolve import design_of_request
from modfab.flow.stored import Measurement, current, measured


@dataclass(frozen=True, slots=True)
class Frequency:
    """A frequency after routing: median over the seeds, and of which level of the design."""

    mhz: float
    num_seeds: int
    level: str

    @property
    def text(self) -> str:
        """For people.

        >>> Frequency(85.54, 3, "rsa").text
        '85.5 MHz (level rsa, 3 seeds)'
        """
        return f"{self.mhz:.1f} MHz (level {self.level}, {seeds_text(self.num_seeds)})"


def seeds_text(number: int) -> str:
    """A number of seeds for people.

    >>> seeds_text(1), seeds_text(3)
    ('1 seed', '3 seeds')
    """
    return "1 seed" if number == 1 else f"{number} seeds"


def mhz_text(found: Measurement | None) -> str:
    """Frequency with the number of seeds in brackets; `-` without one."""
    return f"{found.mhz:.1f} ({len(found.routings)})" if found and found.mhz else "-"


def time_us(found: Measurement | None, work: str) -> float | None:
    """Microseconds of some work of a routed circuit.

    Args:
        found: The measurement; None where there is none.
        work: A key of `WORK_LEVELS`.

    Returns:
        None when nothing was routed, or when the measured circuit does not do that work on its
        own: an exponentiation has no time at the frequency of an engine alone.
    """
    if found is None or found.synthesis.request.level not in WORK_LEVELS[work]:
        return None
    return found.headline.time_us(work)


def routed(records: Iterable[Record], core: Core, target: str, level: str) -> Measurement | None:
    """The newest routed measurement of exactly one circuit.

    A record with other cycles than the catalogue's is of an older circuit and does not count.

    Args:
        records: Every measurement there is.
        core: The core.
        target: On what.
        level: Which level of it, or of its engine.
    """
    known = current(
        record
        for record in measured(records, core)
        if (record.request.target, record.request.level) == (target, level)
        and _has_cycles(record, core)
    )
    dated = [found for found in known if found.mhz is not None]
    return max(dated, key=lambda found: found.date, default=None)


def _has_cycles(record: Record, core: Core) -> bool:
    """Whether the cycles stored for what the circuit does are those of today."""
    today = core.cycles()
    level = record.request.level
    done = [work for work in today if level in WORK_LEVELS[work]]
    return all(record.cycles.get(work, today[work]) == today[work] for work in done)


def core_of_today(found: Measurement) -> Core | None:
    """The core that was measured, if it still has these parameters and takes these cycles."""
    try:
        core = design_of_request(found.synthesis.request).core
    except UsageError:
        return None
    return core if _has_cycles(found.synthesis, core) else None


def frequency_at(found: Measurement | None) -> Frequency | None:
    """Of a measurement; None where there is none, or only a synthesis."""
    if found is None or found.mhz is None:
        return None
    return Frequency(found.mhz, len(found.routings), found.synthesis.request.level)


def frequency_of(records: Iterable[Record], core: Core, target: str) -> Frequency | None:
    """The routed frequency of that very core; None when it was not routed.

    Other circuits do not count, its engine alone neither.

    Args:
        records: Every measurement there is.
        core: The core.
        target: On what.
    """
    known = list(records)
    levels = (core.kind + BUS, core.kind)
    found = (frequency_at(routed(known, core, target, level)) for level in levels)
    return next((one for one in found if one), None)


def engine_measurement(records: Iterable[Record], core: Core, target: str) -> Measurement | None:
    """A core's engine alone, routed.

    It may have been measured with the default slots and bound of the modulus, and a dual-port
    engine as one with both lanes behind one port.
    """
    known, engine = list(records), core.unit.engine
    pair = (core.choices() or {}).get("pair", 0)
    fixed = list(engine.pair.fixed) if engine.pair and pair else []
    set_by_core = [p.name for p in engine.parameters if p.name in SET_BY_CORE]
    alone = (
        routed(known, EngineCore(engine, _reset(core, names)), target, "engine")
        for names in (fixed, [*set_by_core, *fixed])
    )
    return next((found for found in alone if found), None)


def engine_frequency(records: Iterable[Record], core: Core, target: str) -> Frequency | None:
    """The frequency of `engine_measurement`, which the core cannot exceed by much.

    No time of the core follows from it.
    """
    return frequency_at(engine_measurement(records, core, target))


def _reset(core: Core, names: Sequence[str]) -> Params:
    """Parameters of a core's engine, the named ones at their defaults."""
    engine = core.unit.engine
    return {**core.unit.params, **{name: engine.parameter(name).default for name in names}}
