# SPDX-License-Identifier: Apache-2.0
"""What the toggles of a simulated RSA core tell: t-tests, correlation attacks, slot numbers."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from modfab.assess import cpa, ttest
from modfab.assess.campaign import Request, Tell, described
from modfab.assess.phases import as_windows
from modfab.assess.slots import guess_slots
from modfab.assess.statistics import Correlation, Values
from modfab.assess.traces import TESTS, Plan, make_plan
from modfab.errors import UsageError
from modfab.sim.toggles import ToggleRsa

Arrays = dict[str, npt.NDArray[Any]]

SLOT_OPERATIONS = 200
"""Operations at most from which slot numbers are learned and guessed."""

LEAST_OPERATIONS = 20
"""Operations without which nothing is said of slot numbers: of two, any bit tells any other."""

_SAVE_SECONDS = 300.0

_TOP = "TOP.mf_top."
"""Before the name of every register."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a leakage campaign has beside what every one has.

    Attributes:
        noise: Standard deviation of what is added to the toggles of each cycle.
        points: At most about so many cycles are looked at; None for what fits into memory.
        cpa_runs: Traces of each correlation attack; None for as many as a t-test has.
    """

    noise: float = 0.0
    points: int | None = None
    cpa_runs: int | None = None


class TTestPart:
    """One t-test: what is summed up, and what it comes to."""

    block_size: int = ttest.BLOCK

    def __init__(self, test: type[Any], plan: Plan, request: Request, settings: Settings) -> None:
        self.test, self.seed, self.noise = test(plan, request.seed), request.seed, settings.noise
        self.name, self.runs = self.test.name, request.runs
        self.plan: Plan = self.test.plan
        self.sums = ttest.Sums(self.plan.num_points, plan.num_registers)

    def watch(self, rtl: ToggleRsa) -> None:
        """Let a simulation begin."""
        rtl.watch(as_windows(self.plan.windows), ttest.GROUPS)

    def run(self, rtl: ToggleRsa, block: int) -> list[tuple[int, Values]]:
        """A block of traces."""
        return ttest.run_block(rtl, self.test, self.seed, block, self.noise)

    def add(self, traces: list[tuple[int, Values]]) -> None:
        """Sum a block up."""
        for group, totals in traces:
            self.sums.total[group].add(totals)

    def take(self, rtl: ToggleRsa) -> None:
        """Sum up by register what a simulation has."""
        self.sums.take(rtl)

    def arrays(self) -> Arrays:
        """For a file."""
        return self.sums.arrays()

    def restore(self, kept: Arrays) -> None:
        """From a file."""
        self.sums.restore(kept)

    @property
    def traces(self) -> int:
        """Traces so far."""
        return self.sums.traces


class CpaPart:
    """One correlation attack."""

    block_size: int = cpa.BLOCK

    def __init__(self, name: str, plan: Plan, request: Request, settings: Settings) -> None:
        self.attack, self.seed, self.noise = cpa.attack_of(name, plan), request.seed, settings.noise
        self.name, self.runs = name, settings.cpa_runs or request.runs
        self.plan = self.attack.plan
        self.sums = Correlation.zero(cpa.GUESSES, self.plan.num_points)

    def watch(self, rtl: ToggleRsa) -> None:
        """Let a simulation begin."""
        rtl.watch(as_windows(self.plan.windows), 0)

    def run(self, rtl: ToggleRsa, block: int) -> tuple[list[int], Values]:
        """A block of traces."""
        return cpa.run_block(rtl, self.attack, self.seed, block, self.noise)

    def add(self, traces: tuple[list[int], Values]) -> None:
        """Sum a block up."""
        self.sums.add(cpa.low_byte_guesses(traces[0]), traces[1])

    def take(self, _: ToggleRsa) -> None:
        """Nothing is summed up by register."""

    def arrays(self) -> Arrays:
        """For a file."""
        names = ("count", "guess", "guess_squares", "trace", "trace_squares", "products")
        return {name: np.asarray(getattr(self.sums, name)) for name in names}

    def restore(self, kept: Arrays) -> None:
        """From a file."""
        count = int(kept.pop("count"))
        self.sums = Correlation(count, **kept)

    @property
    def traces(self) -> int:
        """Traces so far."""
        return self.sums.count


class Part(Protocol):
    """One of them."""

    name: str
    runs: int
    block_size: int

    @property
    def traces(self) -> int:
        """Traces so far."""

    def watch(self, rtl: ToggleRsa) -> None:
        """Let a simulation begin."""

    def run(self, rtl: ToggleRsa, block: int) -> Any:
        """A block of traces."""

    def add(self, traces: Any) -> None:
        """Sum a block up."""

    def take(self, rtl: ToggleRsa) -> None:
        """Sum up by register what a simulation has."""

    def arrays(self) -> Arrays:
        """For a file."""

    def restore(self, kept: Arrays) -> None:
        """From a file."""


_DAMAGED = (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error)
"""What reading a damaged file raises."""


@dataclass(slots=True)
class Kept:
    """A campaign in a folder, so that it can go on later.

    Raises:
        UsageError: The folder has another campaign.
    """

    folder: Path
    identity: str
    saved: float = field(default_factory=time.monotonic)

    def _path(self, part: Part) -> Path:
        return self.folder / f"leakage-{part.name}.npz"

    def load(self, part: Part) -> None:
        """Bring a part to where it was."""
        path = self._path(part)
        if not path.is_file():
            return
        try:
            with path.open("rb") as file, np.load(file) as data:
                kept = {name: data[name] for name in data.files}
            identity = str(kept.pop("identity"))
        except _DAMAGED as error:
            raise UsageError(
                f"The traces in {path} cannot be read; remove that file to measure them again, or "
                "choose another folder with -o."
            ) from error
        if identity != self.identity:
            raise UsageError(
                f"{self.folder} has traces of another build, seed, noise, number of points or RTL; "
                "expected the same ones to go on with them. Choose another folder with -o, or "
                "remove that one."
            )
        part.restore(kept)

    def save(self, part: Part) -> None:
        """Write a part, whole or not at all."""
        path = self._path(part)
        waiting = path.with_suffix(".tmp")
        self.folder.mkdir(parents=True, exist_ok=True)
        with waiting.open("wb") as file:
            whole: Arrays = {"identity": np.array(self.identity), **part.arrays()}
            np.savez_compressed(file, allow_pickle=False, **whole)
        waiting.replace(path)
        self.saved = time.monotonic()

    @property
    def due(self) -> bool:
        """Whether it is long since the last time."""
        return time.monotonic() - self.saved > _SAVE_SECONDS


def identities(folder: Path) -> Iterator[tuple[Path, Any]]:
    """What the traces that a folder keeps are of, file by file; None for one that is damaged."""
    for path in sorted(folder.glob("leakage-*.npz")):
        told: Any = None
        with suppress(*_DAMAGED), path.open("rb") as file, np.load(file) as data:
            told = json.loads(str(data["identity"]))
        yield path, told


def _run_part(
    part: Part, cores: Sequence[ToggleRsa], kept: Kept, late: Callable[[], bool], step: Tell
) -> None:
    """Run the blocks that a part lacks; every simulation runs one in each round."""
    kept.load(part)
    next_block, end = part.traces // part.block_size, -(-part.runs // part.block_size)
    begun = next_block
    for core in cores:
        part.watch(core)

    def collect() -> None:
        for core in cores:
            part.take(core)
            part.watch(core)
        kept.save(part)

    with ThreadPoolExecutor(len(cores)) as pool:
        while next_block < end and not late():
            blocks = range(next_block, min(end, next_block + len(cores)))
            for traces in pool.map(part.run, cores, blocks):
                part.add(traces)
            next_block = blocks.stop
            step(part.traces, part.runs)
            if kept.due:
                collect()
    if next_block > begun:
        collect()


def run_leakage(
    request: Request, settings: Settings, folder: Path, tell: Tell | None = None
) -> dict[str, Any]:
    """Run the traces that the folder does not have, then report on all of them.

    Args:
        request: Build, seed, and traces of each test.
        settings: What only leakage has.
        folder: Gets `leakage-NAME.npz` of each test.
        tell: Gets the progress.

    Raises:
        UsageError: The folder has another campaign.
        DeviceError: The core does not work.
    """
    cores = [
        ToggleRsa(request.core, request.seed, request.design) for _ in range(max(1, request.jobs))
    ]
    started = time.monotonic()  # they are compiled

    def late() -> bool:
        return request.seconds is not None and time.monotonic() - started > request.seconds

    try:
        plan = make_plan(cores[0], request.core, request.seed, settings.points)
        identity = {**request.identity(), "noise": settings.noise, "points": plan.num_points}
        kept = Kept(folder, json.dumps(identity, sort_keys=True))
        parts = _parts(plan, request, settings)
        for part in parts:
            _run_part(part, cores, kept, late, _progress(parts, tell))
        slots = None
        if not late() and request.runs >= LEAST_OPERATIONS:
            operations = min(request.runs, SLOT_OPERATIONS)
            slots = guess_slots(cores[0], plan, operations, request.seed)
        names = [name.removeprefix(_TOP) for name in cores[0].names]
    finally:
        for core in cores:
            core.close()
    return _report(request, settings, plan, parts, names, slots) | {
        "seconds": round(time.monotonic() - started, 1)
    }


def _parts(plan: Plan, request: Request, settings: Settings) -> list[Part]:
    tests: list[Part] = [TTestPart(test, plan, request, settings) for test in TESTS]
    return [*tests, *(CpaPart(name, plan, request, settings) for name in cpa.ATTACKS)]


def _progress(parts: Sequence[Part], tell: Tell | None) -> Tell:
    whole = sum(part.runs for part in parts)

    def step(_: int, __: int) -> None:
        if tell:
            tell(min(whole, sum(part.traces for part in parts)), whole)

    return step


def _report(
    request: Request,
    settings: Settings,
    plan: Plan,
    parts: Sequence[Part],
    names: Sequence[str],
    slots: dict[str, Any] | None,
) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    attacks: dict[str, Any] = {}
    drawings = []
    for part in (part for part in parts if part.traces):  # else there is nothing to say of it
        if isinstance(part, CpaPart):
            attacks |= cpa.rows(part.sums, part.attack)
        elif isinstance(part, TTestPart):
            found = ttest.rows(part.sums, part.plan, names)
            rows |= {f"{part.name}, {phase}": row for phase, row in found.items()}
            drawings.append(ttest.series(part.sums, part.plan, f"t, {part.name} test"))
    return {
        "core": described(request.core),
        "seed": request.seed,
        "asked": request.runs,
        "noise": settings.noise,
        "cycles": plan.cycles,
        "watched": plan.num_points,
        "registers": plan.num_registers,
        "rows": rows,
        "attacks": attacks,
        "slots": slots,
        "series": drawings,
    }
