# SPDX-License-Identifier: Apache-2.0
"""Plan a sweep against the store, and run what is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from distributed import Client, as_completed

from modfab.build.named import kind_of
from modfab.flow.record import NO_RECORD, Record, record_from_json
from modfab.flow.store import Store
from modfab.flow.sweep.failures import Failure, Failures
from modfab.flow.sweep.point import SweepPoint
from modfab.flow.sweep.task import run_point

Task = Callable[[dict[str, Any]], dict[str, Any]]
"""What a worker runs for a point: `task.run_point`, or another one in tests."""

_WORK = {"engine": "mul", "modexp": "exp"}


@dataclass(frozen=True, slots=True)
class Planned:
    """A point that is to be measured.

    Attributes:
        point: The point.
        key: Of its request.
        text: Digest of the RTL.
    """

    point: SweepPoint
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A sweep against what is known.

    Attributes:
        todo: To be measured.
        known: How many are measured.
        failed: Point -> how it failed before; these are left out.
    """

    todo: tuple[Planned, ...]
    known: int
    failed: dict[str, Failure]


def plan(
    points: Iterable[SweepPoint], records: Iterable[Record], failures: Failures, retry: bool = False
) -> Plan:
    """What of a sweep is left.

    A record counts that is not stale and was compared with the RTL of today.

    Args:
        points: The sweep.
        records: Every measurement there is.
        failures: Those of earlier runs.
        retry: Try failed points again.
    """
    measured = {(record.request.key, record.text) for record in records if not record.stale}
    todo, known, failed = [], 0, {}
    texts: dict[str, str] = {}
    for point in points:
        request = point.request()
        text = texts.setdefault(request.design_key, "") or point.text()
        texts[request.design_key] = text
        failure = failures.find(request.key, text)
        if (request.key, text) in measured:
            known += 1
        elif failure and not retry:
            failed[point.title] = failure
        else:
            todo.append(Planned(point, request.key, text))
    return Plan(tuple(todo), known, failed)


@dataclass(slots=True)
class State:
    """How far a sweep is.

    Attributes:
        total: Points to measure.
        done, failed: Points that ended.
        best: Level, whether it is for public operations only, bits and target -> the best record.
        last: The point that ended last.
        last_failure: Why it failed; None when it was measured.
        started: Time of the start, in seconds of a steady clock.
    """

    total: int
    done: int = 0
    failed: dict[str, Failure] = field(default_factory=dict)
    best: dict[tuple[str, bool, int, str], Record] = field(default_factory=dict)
    last: SweepPoint | None = None
    last_failure: Failure | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds_left(self) -> float:
        """At the pace so far; 0 before the first point has ended."""
        ended = self.done + len(self.failed)
        pace = (time.monotonic() - self.started) / ended if ended else 0.0
        return pace * (self.total - ended)


Tell = Callable[[State], object]
"""Told whenever a point ends."""


def score(record: Record) -> tuple[bool, float]:
    """The smaller the better: (LUT + FF) x us of what the circuit does, or without a time area."""
    area = float(record.area["lut"] + record.area["ff"])
    operation = "public" if record.request.public_only else "private"
    time_us = record.time_us(_WORK.get(kind_of(record.request.level), operation))
    return time_us is None, area * (time_us or 1.0)


def run(
    todo: Iterable[Planned],
    client: Client,
    store: Store,
    failures: Failures,
    tell: Tell,
    task: Task = run_point,
) -> State:
    """Measure points on a cluster; each record is stored when its point ends.

    A point whose worker dies runs again on another one, until it was on three that died.

    Args:
        todo: What to measure.
        client: Of the cluster.
        store: Where the records go.
        failures: Where failures go.
        tell: Told of the state.
        task: What a worker runs.
    """
    planned = {f"modfab-{one.key}-{one.text}": one for one in todo}
    state = State(len(planned))
    futures = [
        client.submit(task, one.point.words(), key=key, pure=False) for key, one in planned.items()
    ]
    for future in as_completed(futures):
        one = planned[future.key]
        error = future.exception()
        answer = {"reason": _reason(error)} if error else future.result()
        future.release()
        _take(one, answer, state, store, failures)
        tell(state)
    return state


def _reason(error: BaseException) -> str:
    if type(error).__name__ == "KilledWorker":
        return "Every worker that measured it died, as when memory ends; allow --memory more."
    return f"The worker failed: {error!r}"


def _take(
    one: Planned, answer: dict[str, Any], state: State, store: Store, failures: Failures
) -> None:
    """Keep what a worker answered."""
    try:
        records = [record_from_json(text) for text in answer.get("records", ())]
        mine = [record for record in records if record.request.key == one.key]
    except NO_RECORD:
        records, mine = [], []
    if "reason" not in answer and (not mine or mine[0].text != one.text):
        answer = {"reason": "The worker measured other RTL: its modfab is another version."}
    state.last, state.last_failure = one.point, None
    if "reason" in answer:
        log, host = answer.get("log", ""), answer.get("host", "")
        failure = Failure(one.point.title, one.text, answer["reason"], log, host)
        failures.keep(one.key, failure)
        state.failed[one.point.title] = state.last_failure = failure
        return
    for record in records:
        store.add(record)
    failures.forget(one.key)
    state.done += 1
    request = mine[0].request
    group = request.level, request.public_only, request.modulus_bits, request.target
    known = state.best.get(group)
    if known is None or score(mine[0]) < score(known):
        state.best[group] = mine[0]
