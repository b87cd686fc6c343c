# SPDX-License-Identifier: Apache-2.0
"""A frequency belongs to the circuit that was routed: which work may be timed with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from modfab.build.core import ModexpCore
from modfab.build.rsa import RSA_NAMES, RsaCore, rsa_core_of
from modfab.catalog import Params
from modfab.errors import UsageError
from modfab.flow.measure import cycles_of, rsa_cycles_of
from modfab.flow.record import Record, Request
from modfab.flow.stored import Measurement, current, measured

EXP_LEVELS = ("axil", "modexp")
"""Levels of an exponentiator, with its bus first."""

RSA_CORE_LEVELS = ("rsa_axil", "rsa")
"""Levels of an RSA core, with its bus first."""

WORK_LEVELS: Mapping[str, tuple[str, ...]] = {
    "mul": ("mul",),
    "mul2": ("mul",),
    "setup": ("mul",),
    "exp": EXP_LEVELS,
    "key": (*RSA_CORE_LEVELS, "farm"),
    "private": (*RSA_CORE_LEVELS, "farm"),
}
"""Work, as `Record.cycles` names it -> levels whose circuit does it on its own."""


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


def routed(
    records: Iterable[Record],
    config: ModexpCore,
    target: str,
    level: str,
    rsa: RsaCore | None = None,
) -> Measurement | None:
    """The newest routed measurement of exactly one circuit.

    A record with other cycles than the catalogue's is of an older circuit and does not count.

    Args:
        records: Every measurement there is.
        config: Engine with every parameter, sequencer, exponent bits.
        target: On what.
        level: Which level of that configuration.
        rsa: The RSA core, when it is one.
    """
    known = current(
        record
        for record in measured(records, config, rsa)
        if (record.request.target, record.request.level) == (target, level)
        and _has_cycles(record, config, rsa)
    )
    dated = [found for found in known if found.mhz is not None]
    return max(dated, key=_last_date, default=None)


def _has_cycles(record: Record, config: ModexpCore, rsa: RsaCore | None) -> bool:
    """Whether the cycles stored for what the circuit does are those of today."""
    today = cycles_of(config) | (rsa_cycles_of(rsa) if rsa else {})
    level = record.request.level
    done = [work for work in today if level in WORK_LEVELS[work]]
    return all(record.cycles.get(work, today[work]) == today[work] for work in done)


def rsa_config_at(request: Request) -> RsaCore | None:
    """The RSA core that a request measured; None when today's has other parameters."""
    shape = request.rsa or {}
    options = {name: value for name, value in shape.items() if name in RSA_NAMES}
    params = {name: value for name, value in request.params.items() if name != "NumBits"}
    num_bits = 2 * request.num_bits
    try:
        config = rsa_core_of(request.engine, num_bits, params, request.sequencer, options)
    except UsageError:
        return None
    return config if dict(config.core.params) == request.params else None


def is_rsa_core_of_today(found: Measurement) -> bool:
    """Whether an RSA core or farm was measured that takes the cycles it takes today."""
    config = rsa_config_at(found.synthesis.request)
    return config is not None and _has_cycles(found.synthesis, config.core, config)


def _last_date(found: Measurement) -> str:
    return max(record.date for record in found.routings)


def frequency_at(found: Measurement | None) -> Frequency | None:
    """Of a measurement; None where there is none, or only a synthesis."""
    if found is None or found.mhz is None:
        return None
    return Frequency(found.mhz, len(found.routings), found.synthesis.request.level)


def frequency_of(
    records: Iterable[Record], config: ModexpCore | RsaCore, target: str
) -> Frequency | None:
    """The routed frequency of that very core; None when it was not routed.

    Other circuits do not count, its engine alone neither.

    Args:
        records: Every measurement there is.
        config: Of the core.
        target: On what.
    """
    if isinstance(config, RsaCore):
        core, rsa, levels = config.core, config, RSA_CORE_LEVELS
    else:
        core, rsa, levels = config, None, EXP_LEVELS
    known = list(records)
    found = (frequency_at(routed(known, core, target, level, rsa)) for level in levels)
    return next((one for one in found if one), None)


def engine_frequency(
    records: Iterable[Record], config: ModexpCore | RsaCore, target: str
) -> Frequency | None:
    """The routed frequency of a core's engine alone, which the core cannot exceed by much.

    No time of the core follows from it. The engine may have been measured with the default number
    of slots, and where it is to be a pair, with both lanes behind one port.
    """
    if isinstance(config, RsaCore):
        core, pair = config.core, config.shape.pair
    else:
        core, pair = config, False
    known = list(records)
    for built in (core, replace(core, params=_alone(core, pair))):
        found = frequency_at(routed(known, built, target, "mul"))
        if found:
            return found
    return None


def _alone(core: ModexpCore, pair: bool) -> Params:
    """Parameters with which the engine alone is usually measured."""
    fixed = core.engine.pair.fixed if core.engine.pair and pair else {}
    names = ("NumSlots", *fixed)
    return {**core.params, **{name: core.engine.parameter(name).default for name in names}}
