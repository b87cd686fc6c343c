# SPDX-License-Identifier: Apache-2.0
"""Which measured cores to take for an operation on a device: Pareto-best, within limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from modfab.build.core import Core, ModexpCore
from modfab.build.farm import MAX_CORES, FarmCore
from modfab.build.rsa import SET_BY_CORE, RsaCore
from modfab.flow.record import Record, Request
from modfab.flow.resolve import build_command_of, measure_command_of
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import Target, get_target
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.numbers import check_finite
from modfab.report.bench import Operation
from modfab.report.circuit import core_of_today
from modfab.report.fitting import Room, fitting, needed, room_of

ADDRESS_BLINDING = "address blinding"
"""What a form says of a core whose slot numbers are masked."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A measured core that does the operation.

    Attributes:
        engine: Its name, with its non-default parameters.
        form: How many engines an RSA core has, or that one has two ports; empty for other cores.
        level: What was measured: the core, with its bus or without.
        cores: How many RSA cores are in what was measured.
        cycles: Of one operation, from its start in the core to its end; accesses of the bus do not
            count.
        per_second: Operations when it is never idle; None when it was not routed.
        latency_ms: Of one operation; None when it was not routed.
        lut, ff, multipliers, block_rams: Area of what was measured.
        mhz: After routing, median over the seeds; None when it was not routed.
        best_mhz, best_per_second: Of the best seed.
        seeds: How many there are.
        build: The command that writes the core as a package.
        measure: The command that measures it again.
        copies: How many of it the device holds, by area; None without a device's numbers.
        ends_first: The resource that decides this.
    """

    engine: str
    form: str
    level: str
    cores: int
    cycles: int
    per_second: float | None
    latency_ms: float | None
    lut: int
    ff: int
    multipliers: int
    block_rams: int
    mhz: float | None
    best_mhz: float | None
    best_per_second: float | None
    seeds: int
    build: str
    measure: str
    copies: int | None
    ends_first: str | None


@dataclass(frozen=True, slots=True)
class Limits:
    """What a choice has to keep; None for no limit.

    Attributes:
        max_lut, max_multipliers: Area.
        min_rate: Operations a second.
        max_latency_ms: Milliseconds of one operation.

    Raises:
        UsageError: A limit is no finite number.
    """

    max_lut: int | None = None
    max_multipliers: int | None = None
    min_rate: float | None = None
    max_latency_ms: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("rate", self.min_rate), ("latency", self.max_latency_ms)):
            if limit is not None:
                check_finite(limit, name)


@dataclass(frozen=True, slots=True)
class Miss:
    """By how much a choice misses a limit.

    Attributes:
        limit: Its name.
        wanted: The limit.
        found: What the choice has; None when it was not routed.
    """

    limit: str
    wanted: float
    found: float | None

    @property
    def excess(self) -> float:
        """How far beyond the limit, as a factor; a choice without a value is beyond all others."""
        if not self.found or not self.wanted:
            return float("inf")
        ratio = self.found / self.wanted
        return max(ratio, 1 / ratio)

    @property
    def distance(self) -> float:
        """How far beyond the limit: of a limit of 0 there is no factor."""
        return float("inf") if self.found is None else abs(self.found - self.wanted)

    @property
    def text(self) -> str:
        """For people."""
        if self.found is None:
            return f"{self.limit} {_exact(self.wanted)}: not routed, so it is not known"
        found, by = _exact(self.found), _exact(self.distance)
        return f"{self.limit} {_exact(self.wanted)}: it has {found}, off by {by}"


def _exact(value: float) -> str:
    """All digits at 1,000 and above, four significant digits below.

    >>> _exact(27_019), _exact(0.12345)
    ('27,019', '0.1235')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def _entry_of(operation: Operation) -> RsaEntry:
    return RsaEntry.PRIVATE if operation.is_private else RsaEntry.PUBLIC


def _cycles_of(core: Core, operation: Operation) -> int | None:
    """Of one operation, in a farm's slowest core; None for a core that does not do it."""
    if isinstance(core, FarmCore):
        if core.num_bits != operation.num_bits:
            return None
        return max(core.own_cycles(_entry_of(operation)))
    if isinstance(core, RsaCore) and core.num_bits == operation.num_bits:
        if core.shape.public_only and operation.is_private:
            return None
        return core.programs().program(_entry_of(operation), USUAL_E)
    if isinstance(core, ModexpCore) and not operation.is_private:
        wide_enough = core.num_bits >= operation.num_bits and core.exp_bits >= USUAL_E.bit_length()
        if wide_enough and core.num_bits - operation.num_bits < 32:
            bits = USUAL_E.bit_length()  # what the driver asks for, whatever the window holds
            return core.operation_cycles(USUAL_E, bits)
    return None


def _per_job(core: Core, operation: Operation, cycles: int) -> tuple[int, int]:
    """Cores, and cycles from one operation to the next when none of them is idle."""
    if isinstance(core, FarmCore):
        return core.cores, core.full_cycles(core.own_cycles(_entry_of(operation)))
    return 1, cycles


def form_text(shape: Mapping[str, int]) -> str:
    """Engines of an RSA core, several keys, another build than the usual; empty for no RSA core.

    >>> form_text({"engines": 2}), form_text({"engines": 2, "pair": 1, "keys": 4, "hardened": 0})
    ('2 engines', 'dual-port engine, 4 keys, basic')
    >>> form_text({"engines": 1, "keygen": 1})
    '1 engine, makes its keys'
    """
    engines = shape.get("engines", 0)
    text = {0: "", 1: "1 engine"}.get(engines, f"{engines} engines")
    keys = shape.get("keys", 1)
    parts = ["dual-port engine" if shape.get("pair") else text]
    parts += [f"{keys} keys"] * (keys > 1) + ["basic"] * (shape.get("hardened") == 0)
    parts += [ADDRESS_BLINDING] * bool(shape.get("address_blinding"))
    parts += ["makes its keys"] * bool(shape.get("keygen"))
    small, elements = shape.get("small_cores"), shape.get("small_elements")
    parts += [f"{small} of the cores two arrays of {elements} elements"] * bool(small)
    return ", ".join(parts)


def is_basic(request: Request) -> bool:
    """Whether the circuit is an RSA core of the build `basic`."""
    shape = request.rsa or {}
    return not request.public_only and shape.get("hardened") == 0


def is_blinded(request: Request) -> bool:
    """Whether the circuit blinds message and exponent of a private operation; True without a key.

    RSA cores without that are measured beside what a paper has built.
    """
    shape = request.rsa or {}
    if request.public_only:
        return True
    return all(shape.get(name, 1) for name in ("message_blinding", "exponent_words"))


def choice_of(found: Measurement, operation: Operation) -> Choice | None:
    """The figures of a measurement; None where the circuit does not do the operation on its own."""
    core = core_of_today(found)
    cycles = _cycles_of(core, operation) if core else None
    if core is None or cycles is None:
        return None
    request, area, mhz = found.synthesis.request, found.synthesis.area, found.mhz
    number, interval = _per_job(core, operation, cycles)
    room = room_of(get_target(request.target))
    copies, ends_first = fitting(area, room) if room else (None, None)
    params = {name: value for name, value in request.params.items() if name not in SET_BY_CORE}
    return Choice(
        engine=core.unit.engine.name_with(params),
        form=form_text(request.rsa or {}),
        level=request.level,
        cores=number,
        cycles=cycles,
        per_second=mhz * 1e6 / interval if mhz else None,
        latency_ms=cycles / mhz / 1000 if mhz else None,
        lut=int(area["lut"]),
        ff=int(area["ff"]),
        multipliers=int(area["multipliers"]),
        block_rams=int(area["block_rams"]),
        mhz=mhz,
        best_mhz=found.best_mhz,
        best_per_second=found.best_mhz * 1e6 / interval if found.best_mhz else None,
        seeds=len(found.routings),
        build=build_command_of(request),
        measure=measure_command_of(found),
        copies=copies,
        ends_first=ends_first,
    )


def misses(choice: Choice, limits: Limits) -> list[Miss]:
    """The limits that a choice does not keep."""
    most: tuple[tuple[str, float | None, float | None], ...] = (
        ("--max-lut", limits.max_lut, choice.lut),
        ("--max-mult", limits.max_multipliers, choice.multipliers),
        ("--max-latency", limits.max_latency_ms, choice.latency_ms),
    )
    found = [
        Miss(name, limit, value)
        for name, limit, value in most
        if limit is not None and (value is None or value > limit)
    ]
    rate = choice.per_second
    if limits.min_rate is not None and (rate is None or rate < limits.min_rate):
        found.append(Miss("--min-rate", limits.min_rate, rate))
    return found


def candidates(records: Iterable[Record], operation: Operation, target: Target) -> list[Choice]:
    """Every measured core that does the operation on a device, the highest rate first.

    Not those of the build `basic`, which are measured to tell what the default one costs, and none
    that does not blind.
    """
    here = (
        record
        for record in records
        if record.request.target == target.name
        and is_blinded(record.request)
        and not is_basic(record.request)
    )
    found = [choice_of(measurement, operation) for measurement in current(here)]
    return sorted((choice for choice in found if choice), key=_order)


def _order(choice: Choice) -> tuple[float, int, str]:
    return -(choice.per_second or 0), choice.lut, choice.build


_COSTS: Sequence[Callable[[Choice], float]] = (
    lambda choice: -(choice.per_second or 0),
    lambda choice: choice.latency_ms or float("inf"),
    lambda choice: 0 if choice.per_second else choice.cycles / choice.cores,
    lambda choice: choice.lut,
    lambda choice: choice.multipliers,
    lambda choice: choice.block_rams,
)


def pareto(choices: Sequence[Choice]) -> list[Choice]:
    """Those that no other equals or beats in rate, latency, LUTs, multipliers and block RAMs.

    Cycles stand for the rate of what was not routed.
    """
    costs = [[cost(choice) for cost in _COSTS] for choice in choices]
    return [
        choice
        for mine, choice in zip(costs, choices, strict=True)
        if not any(
            other != mine and all(theirs <= own for theirs, own in zip(other, mine, strict=True))
            for other in costs
        )
    ]


def best(choices: Iterable[Choice], limits: Limits) -> list[Choice]:
    """The Pareto-best of the choices that keep the limits."""
    return pareto([choice for choice in choices if not misses(choice, limits)])


def filling(choices: Iterable[Choice], limits: Limits) -> list[Choice]:
    """What fills the device: measured farms by rate, then single cores by how many fit.

    What is larger than the device does not count. A farm has the rate with which it was routed as a
    whole. A single core keeps its own: a device full of cores has no rate before that farm is
    routed.
    """
    kept = [choice for choice in choices if not misses(choice, limits)]
    there = [choice for choice in kept if choice.copies]
    farms = [choice for choice in there if choice.cores > 1]
    single = [choice for choice in there if choice.cores == 1]
    return farms + sorted(single, key=lambda choice: -_cores_in(choice))


def _cores_in(choice: Choice) -> int:
    return min(choice.copies or 0, MAX_CORES)


def nearest(
    choices: Iterable[Choice], limits: Limits, room: Room | None = None
) -> tuple[Choice, list[Miss]] | None:
    """The choice that misses the limits by least, and what it misses; None without choices.

    Args:
        choices: Of which each misses something.
        limits: What they should keep.
        room: What the device has, where they should fit it.
    """
    missed = [(one, [*misses(one, limits), *_larger(one, room)]) for one in choices]
    return min(missed, key=lambda one: _farthest(one[1]), default=None)


def _larger(choice: Choice, room: Room | None) -> list[Miss]:
    """The resources of which a choice needs more than the device has."""
    return [
        Miss(f"{name} of the device", there, used)
        for name, used, there in (needed(asdict(choice), room) if room else ())
        if used > there
    ]


def _farthest(missed: Iterable[Miss]) -> tuple[float, float]:
    return max((miss.excess, miss.distance) for miss in missed)
