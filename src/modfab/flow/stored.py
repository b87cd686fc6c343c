# SPDX-License-Identifier: Apache-2.0
"""Which stored records belong together, and which of them count: those that are not stale."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from modfab.build.core import Core, EngineCore
from modfab.flow.record import DEFAULT_PIECE_BITS, DEFAULT_WIRE_PS, Record, Request


@dataclass(frozen=True, slots=True)
class Measurement:
    """A synthesis and the routings of its netlist."""

    synthesis: Record
    routings: tuple[Record, ...]

    @property
    def best_mhz(self) -> float | None:
        """The highest frequency of the seeds; None when nothing was routed."""
        return max((one.mhz for one in self.routings if one.mhz is not None), default=None)

    @property
    def mhz(self) -> float | None:
        """Median frequency over the seeds."""
        values = [record.mhz for record in self.routings if record.mhz is not None]
        return statistics.median(values) if values else None

    @property
    def typical(self) -> Record:
        """Of a routed one the routing whose frequency is nearest the median."""
        return min(self.routings, key=lambda one: abs((one.mhz or 0.0) - (self.mhz or 0.0)))

    @property
    def date(self) -> str:
        """Of the last routing; of the synthesis where there is none."""
        return max(record.date for record in self.routings or (self.synthesis,))

    @property
    def headline(self) -> Record:
        """The synthesis' record with the median frequency."""
        return replace(self.synthesis, mhz=self.mhz)


def valid(records: Iterable[Record]) -> list[Record]:
    """The records that are not stale."""
    return [record for record in records if not record.stale]


def medians(records: Sequence[Record]) -> list[Measurement]:
    """Group valid records of the same netlist: each synthesis with its routings.

    A routing stands for a synthesis that is missing or of another Yosys: it carries the area of its
    own netlist. Of routings those count that were made like the last, by its tools and router, for
    its frequency, with its weight of timing and with multipliers locked or free as there, and of
    each seed its last run.
    """
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in valid(records):
        groups.setdefault((record.request.design_key, record.circuit), []).append(record)
    return [_measurement(group) for group in groups.values()]


def _measurement(group: Sequence[Record]) -> Measurement:
    routings = _last_routings([record for record in group if record.request.seed is not None])
    syntheses = [record for record in group if record.request.seed is None]
    if routings:
        yosys = routings[-1].tools.get("yosys")
        syntheses = [record for record in syntheses if record.tools.get("yosys") == yosys]
    return Measurement(next(iter(syntheses), (routings or group)[0]), routings)


def _last_routings(routings: Sequence[Record]) -> tuple[Record, ...]:
    dated = sorted(routings, key=lambda record: record.date)
    seeds = {record.request.seed: record for record in dated if _made(record) == _made(dated[-1])}
    return tuple(seeds.values())


def _made(record: Record) -> tuple[dict[str, str], Request]:
    request = record.request  # of one netlist: what was asked of the router, whatever the seed
    return record.tools, replace(request, seed=None)


def measured(
    records: Iterable[Record],
    core: Core,
) -> list[Record]:
    """What of some measurements is about one core or its engine, on whatever target.

    Args:
        records: The measurements; stale ones are left out.
        core: The core; the engine alone is the same for every sequencer. Of a farm, measurements
            of one of its cores count, too.
    """
    unit = core.unit
    built = [(unit.sequencer_name, unit.exp_bits, one.choices()) for one in core.inner()]
    return [
        record
        for record in valid(records)
        if record.request.engine == unit.engine.name
        and record.request.params == dict(unit.params)
        and (
            record.request.level == EngineCore.kind
            or (record.request.sequencer, record.request.exp_bits, record.request.rsa) in built
        )
    ]


def current(records: Iterable[Record]) -> list[Measurement]:
    """One measurement for each design and target: the newest that was routed, else the newest.

    A design is one however its clock enables, resets, multipliers and long adders were mapped: the
    newest stands for it.
    """
    latest: dict[str, Measurement] = {}
    made = medians(sorted(records, key=lambda record: record.date))
    for found in sorted(made, key=lambda found: found.date):
        key = however_mapped(found.synthesis.request)
        known = latest.get(key)
        if known is None or found.routings or not known.routings:
            latest[key] = found
    return list(latest.values())


def however_mapped(request: Request) -> str:
    """Key of a design on a target, however it was mapped: enables, multipliers, adders, LUTs."""
    pieces = replace(request, lut_multipliers=False, piece_bits=DEFAULT_PIECE_BITS)
    return replace(pieces, no_enables=False, min_set=0, wire_ps=DEFAULT_WIRE_PS).design_key
