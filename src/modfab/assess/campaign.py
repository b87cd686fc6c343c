# SPDX-License-Identifier: Apache-2.0
"""Many faults: dealt to models, run in blocks on several simulations, kept in a folder."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from modfab.assess.models import MODELS, Plan
from modfab.assess.outcome import OUTCOMES, Outcome, remains, run_fault
from modfab.assess.stage import Stage
from modfab.build.rsa import RsaCore
from modfab.errors import UsageError
from modfab.sim.snapshots import SnapshotRsa, snapshot_design
from modfab.sim.verilate import Design, build

BLOCK = 4 * len(MODELS)
"""Runs with one key, message and blinding: the same number of each model."""

OTHER_KEYS = (", another key", ", a third key")
"""What a fault leaves behind a wipe counts as a secret unless these leave the same."""

Tell = Callable[[int, int], None]
"""Gets the runs that are done and all."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to run.

    Attributes:
        core: The build.
        runs: How many, over all models.
        seed: Of everything that is random.
        first: Number of the first run; a run is the same whatever comes before it.
        jobs: Simulations at the same time.
        seconds: No block begins after so long; None for no limit.
        design: The simulated RTL, when it is not that of `core`.
    """

    core: RsaCore
    runs: int
    seed: int = 1
    first: int = 0
    jobs: int = 2
    seconds: float | None = None
    design: Design | None = None

    def identity(self) -> dict[str, Any]:
        """What makes two campaigns the same one, but for their length."""
        return {"core": described(self.core), "seed": self.seed, "design": self.compiled()}

    def compiled(self) -> str:
        """Name of the compiled simulator, which depends on every line of RTL."""
        return build(self.design or snapshot_design(self.core)).stem

    def blocks(self) -> list[range]:
        """The runs by blocks; a block begins at a multiple of `BLOCK`, or at the first run."""
        end, blocks, start = self.first + self.runs, [], self.first
        while start < end:
            stop = min(end, (start // BLOCK + 1) * BLOCK)
            blocks.append(range(start, stop))
            start = stop
        return blocks


def described(core: RsaCore) -> dict[str, Any]:
    """A core by the names that a command takes."""
    unit = core.unit
    return {
        "engine": unit.engine.name,
        "bits": core.num_bits,
        "sequencer": unit.sequencer.name,
        "params": dict(unit.params),
        "rsa": core.choices(),
    }


@dataclass(frozen=True, slots=True)
class Found:
    """A run that was neither detected nor harmless."""

    run: int
    model: str
    outcome: str
    fault: str


@dataclass(frozen=True, slots=True)
class Block:
    """What came of some runs."""

    first: int
    count: int
    models: dict[str, dict[str, int]]
    found: list[Found]

    @staticmethod
    def read(line: bytes) -> Block:
        """From a line of the folder's journal.

        Raises:
            ValueError: It is none.
        """
        data = json.loads(line)
        try:
            found = [Found(**entry) for entry in data["found"]]
            models = {
                name: {key: int(count) for key, count in counts.items()}
                for name, counts in data["models"].items()
            }
            return Block(int(data["first"]), int(data["count"]), models, found)
        except (KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ValueError("no block") from error


def run_block(rtl: SnapshotRsa, seed: int, runs: range) -> Block:
    """Run these numbers; the key belongs to their block."""
    counts = {name: Counter[str]() for name in MODELS}
    found = []
    names = list(MODELS)

    def on_stage(other: str = "") -> Stage:
        return Stage(rtl, random.Random(f"{seed} block {runs.start // BLOCK}{other}"))

    def run(on: Stage, number: int) -> tuple[Plan, Outcome]:
        rng = random.Random(f"{seed} run {number}")
        plan = MODELS[names[number % len(names)]](on, rng)
        return plan, run_fault(on, plan, rng)

    stage = on_stage()
    for number in runs:
        name = names[number % len(names)]
        plan, outcome = run(stage, number)
        if outcome.secret_left:  # a secret is what another key would leave in another way
            left = remains(stage)
            for other in OTHER_KEYS:
                stage = on_stage(other)
                same_plan = run(stage, number)[0].text == plan.text
                if not same_plan or remains(stage) != left:
                    break
            else:
                outcome = replace(outcome, secret_left=False)
            stage = on_stage()
        counted = outcome.counted()
        counts[name].update(counted)
        notable = [what for what in counted if what in OUTCOMES[2:]]
        if notable:
            found.append(Found(number, name, ", ".join(notable), plan.text))
    return Block(runs.start, len(runs), {k: dict(v) for k, v in counts.items() if v}, found)


class Journal:
    """The finished blocks of a campaign in a folder, so that it can go on later.

    Raises:
        UsageError: The folder has another campaign, or a line is damaged.
    """

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        self.path = folder / "faults.jsonl"
        self.blocks: list[Block] = []
        head = json.dumps(identity, sort_keys=True)
        folder.mkdir(parents=True, exist_ok=True)
        lines = _whole_lines(self.path) if self.path.is_file() else []
        if not lines:
            self.path.write_text(head + "\n")
        elif lines[0] != head.encode():
            raise UsageError(
                f"{folder} has a campaign of another build, seed, RTL or set of models; expected "
                "the same ones to go on with it. Choose another folder with -o, or remove that "
                "one."
            )
        self.blocks = [self._block(number, line) for number, line in enumerate(lines[1:], 2)]

    def _block(self, number: int, line: bytes) -> Block:
        try:
            return Block.read(line)
        except ValueError:
            raise UsageError(
                f"Expected the outcome of some faults in line {number} of {self.path}, but it is "
                "damaged; remove that line, and its faults run again, or choose another folder "
                "with -o."
            ) from None

    def add(self, block: Block) -> None:
        """Keep a block."""
        self.blocks.append(block)
        with self.path.open("a") as file:
            file.write(json.dumps(asdict(block)) + "\n")


def _whole_lines(path: Path) -> list[bytes]:
    """The complete lines of a file; an incomplete last line is removed from the file."""
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        os.truncate(path, end)
    return data[:end].splitlines()


@dataclass(slots=True)
class Total:
    """What came of a campaign so far."""

    models: dict[str, Counter[str]] = field(default_factory=dict)
    found: list[Found] = field(default_factory=list)
    runs: int = 0

    def add(self, block: Block) -> None:
        """Count a block."""
        for name, counts in block.models.items():
            self.models.setdefault(name, Counter()).update(counts)
        self.found += block.found
        self.runs += block.count

    def rows(self) -> dict[str, dict[str, int]]:
        """Counts of each model, all of them there."""
        keys = ("runs", *OUTCOMES, "caught_by_host", "other_message")
        return {
            name: {key: self.models[name][key] for key in keys}
            for name in MODELS
            if name in self.models
        }


def run_campaign(request: Request, folder: Path, tell: Tell | None = None) -> dict[str, Any]:
    """Run the faults that the folder has no outcome of, then report on the whole campaign.

    Args:
        request: What to run.
        folder: Gets `faults.jsonl`, a line for each finished block.
        tell: Gets the progress.

    Raises:
        UsageError: The folder has another campaign.
        DeviceError: The core does not work without a fault.
    """
    started, total = time.monotonic(), Total()
    journal = Journal(folder, {**request.identity(), "models": list(MODELS)})
    wanted = {(runs.start, len(runs)): runs for runs in request.blocks()}
    for block in journal.blocks:
        if wanted.pop((block.first, block.count), None) is not None:
            total.add(block)
    if tell:
        tell(total.runs, request.runs)
    for block in _run_blocks(request, list(wanted.values())):
        journal.add(block)
        total.add(block)
        if tell:
            tell(total.runs, request.runs)
    rows = total.rows()
    sums: Counter[str] = Counter()
    for row in rows.values():
        sums.update(row)
    return {
        "core": described(request.core),
        "seed": request.seed,
        "first": request.first,
        "asked": request.runs,
        "seconds": round(time.monotonic() - started, 1),
        "models": rows,
        "total": dict(sums),
        "found": [asdict(entry) for entry in sorted(total.found, key=lambda entry: entry.run)],
    }


def _run_blocks(request: Request, blocks: list[range]) -> Iterator[Block]:
    """Run blocks on several simulations; none begins after the time limit.

    It counts from when the simulations are compiled.
    """
    idle: SimpleQueue[SnapshotRsa] = SimpleQueue()
    cores = [
        SnapshotRsa(request.core, request.seed, request.design)
        for _ in range(min(request.jobs, len(blocks)))
    ]
    for core in cores:
        idle.put(core)
    started = time.monotonic()

    def work(runs: range) -> Block:
        core = idle.get()
        try:
            return run_block(core, request.seed, runs)
        finally:
            idle.put(core)

    waiting, running = list(reversed(blocks)), set[Future[Block]]()
    try:
        with ThreadPoolExecutor(max(1, len(cores))) as pool:
            while waiting or running:
                late = request.seconds is not None and time.monotonic() - started > request.seconds
                if late:
                    waiting.clear()
                while waiting and len(running) < len(cores):
                    running.add(pool.submit(work, waiting.pop()))
                if running:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
    finally:
        for core in cores:
            core.close()
