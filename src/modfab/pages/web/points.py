# SPDX-License-Identifier: Apache-2.0
"""What the report draws: a point for each measured circuit that today's catalogue builds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from modfab.build.core import Core, EngineCore, ModexpCore
from modfab.build.farm import FarmCore
from modfab.build.rsa import RsaCore
from modfab.catalog import ENGINES
from modfab.errors import UsageError
from modfab.flow.record import Record, Request
from modfab.flow.resolve import build_command_of, measure_command_of
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import TARGETS, get_target
from modfab.models.rsa.entry import RsaEntry
from modfab.report.circuit import core_of_today
from modfab.report.ranking import weighed

WORKS = {
    EngineCore.kind: ("mul", "product"),
    ModexpCore.kind: ("exp", "exponentiation"),
    RsaCore.kind: ("private", "RSA private operation"),
    FarmCore.kind: ("private", "RSA private operation"),
}
"""Kind -> what its circuit does on its own: the name in `Record.cycles`, and for people."""


@dataclass(frozen=True, slots=True)
class Point:
    """A measured circuit.

    Attributes:
        found: The measurement.
        core: What was measured.
        slug: Name of its page.
        cycles: Of one operation.
        stream_cycles: From one operation to the next when the circuit is never idle.
        area: LUT4 with multipliers and block RAMs by `ranking.weights`; None without a device.
        measure: The command that repeats the measurement.
        build: The command that writes the core as a package; empty for an engine alone.
    """

    found: Measurement
    core: Core
    slug: str
    cycles: int
    stream_cycles: float
    area: float | None
    measure: str
    build: str

    @property
    def request(self) -> Request:
        """What was asked of the synthesis."""
        return self.found.synthesis.request

    @property
    def name(self) -> str:
        """Engine with its non-default parameters."""
        return self.core.unit.engine.name_with(self.request.params)

    @property
    def level(self) -> str:
        """Level, with sequencer and number of cores where there are such."""
        public = self.request.public_only
        words = [self.request.level, "public only" if public else self.request.sequencer]
        cores = (self.request.rsa or {}).get("cores")
        return ", ".join(word for word in (*words, f"{cores} cores" if cores else "") if word)

    @property
    def work(self) -> str:
        """What the circuit does, for people."""
        return _work_of(self.core)[1]

    @property
    def latency_us(self) -> float | None:
        """Microseconds of one operation; None when it was not routed."""
        return self.cycles / self.found.mhz if self.found.mhz else None

    @property
    def stream_us(self) -> float | None:
        """Microseconds per operation in a stream; None when it was not routed."""
        return self.stream_cycles / self.found.mhz if self.found.mhz else None

    @property
    def date(self) -> str:
        """Day of the last run."""
        return max(record.date for record in self.records)[:10]

    @property
    def records(self) -> tuple[Record, ...]:
        """Every stored run of the circuit, the synthesis first."""
        first = self.found.synthesis
        return (first, *(one for one in self.found.routings if one != first))

    def as_data(self) -> dict[str, Any]:
        """For the script of the page."""
        area = self.found.synthesis.area
        return {
            "name": self.name,
            "engine": self.request.engine,
            "level": self.level,
            "work": self.work,
            "bits": self.core.num_bits,
            "target": self.request.target,
            "lut": area["lut"],
            "ff": area["ff"],
            "multipliers": area["multipliers"],
            "block_rams": area["block_rams"],
            "area": self.area,
            "cycles": self.stream_cycles,
            "mhz": self.found.mhz,
            "seeds": len(self.found.routings),
            "latency_us": self.latency_us,
            "stream_us": self.stream_us,
            "page": f"record/{self.slug}.html",
        }


def _stream_cycles(core: Core, cycles: int) -> float:
    if isinstance(core, FarmCore):
        return float(core.full_cycles(core.own_cycles(RsaEntry.PRIVATE)))
    pair = core.cycles().get("mul2") if core.kind == EngineCore.kind else None
    return min(float(cycles), pair / 2) if pair else float(cycles)


def _weighed(found: Measurement) -> float | None:
    target = get_target(found.synthesis.request.target)
    return round(weighed(found.synthesis.area, target), 1) if target.capacity else None


def _build_command(request: Request) -> str:
    try:
        return build_command_of(request)
    except UsageError:
        return ""


def slug_of(found: Measurement) -> str:
    """Name of a measurement's page: the same for the same circuit and request."""
    request = found.synthesis.request
    words = [request.engine, request.level, str(request.num_bits), request.target]
    return "-".join([*words, request.design_key[:8], found.synthesis.circuit[:6]])


def _work_of(core: Core) -> tuple[str, str]:
    if isinstance(core, RsaCore) and core.shape.public_only:
        return "public", "RSA public operation"
    return WORKS[core.kind]


def point_of(found: Measurement) -> Point | None:
    """The point of a measurement; None where the catalogue does not build that circuit today."""
    core = core_of_today(found)
    if core is None:
        return None
    request = found.synthesis.request
    cycles = core.cycles()[_work_of(core)[0]]
    return Point(
        found=found,
        core=core,
        slug=slug_of(found),
        cycles=cycles,
        stream_cycles=_stream_cycles(core, cycles),
        area=_weighed(found),
        measure=measure_command_of(found),
        build=_build_command(request),
    )


def points_of(records: Iterable[Record]) -> list[Point]:
    """Every point of some records, in the order of levels, engines, widths and targets.

    Stale records have none.
    """
    kinds, names, targets = list(WORKS), list(ENGINES), list(TARGETS)

    def order(point: Point) -> tuple[object, ...]:
        request = point.request
        place = kinds.index(point.core.kind), names.index(request.engine), request.num_bits
        return (*place, request.level, point.name, targets.index(request.target), point.slug)

    found = (point_of(measurement) for measurement in current(records))
    return sorted((point for point in found if point), key=order)
