# SPDX-License-Identifier: Apache-2.0
"""Faults in a simulation that goes on from one to the next: how they are dealt and counted."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from modfab.assess.campaign import Request, Tell

QUIET = ("harmless", "detected", "caught_by_host")
"""What a fault may come to without a line of its own in the report."""


class HungError(Exception):
    """The simulated circuit does not answer any more, or is not done in time."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came of a run, and what was done."""

    counted: tuple[str, ...]
    text: str


class Bench(Protocol):
    """A simulation with a key.

    Attributes:
        last: The last fault, in words.
    """

    last: str

    def begin(self) -> None:
        """A new simulation, with the key loaded."""

    def close(self) -> None:
        """Free the simulation."""


_B = TypeVar("_B", bound=Bench)


def run_dealt(
    request: Request,
    bench: _B,
    models: Mapping[str, Callable[[_B, random.Random], Found]],
    name: str,
    tell: Tell | None,
) -> tuple[dict[str, Counter[str]], list[dict[str, Any]]]:
    """Deal runs to models; the counts of each model, and what was neither detected nor harmless.

    Args:
        request: Which runs.
        bench: Begins anew after each run that was not harmless; is closed at the end.
        models: By their names.
        name: Of the campaign, for its random numbers.
        tell: Gets the progress.
    """
    started, names = time.monotonic(), list(models)
    rows, found = {model: Counter[str]() for model in names}, list[dict[str, Any]]()
    for number in range(request.first, request.first + request.runs):
        if request.seconds is not None and time.monotonic() - started > request.seconds:
            break
        model, rng = names[number % len(names)], random.Random(f"{request.seed} {name} {number}")
        try:
            outcome = models[model](bench, rng)
        except HungError:
            outcome = Found(("hung",), bench.last)
        rows[model].update(("runs", *outcome.counted))
        if set(outcome.counted) - set(QUIET):
            entry = {"run": number, "model": model, "fault": outcome.text}
            found.append(entry | {"outcome": ", ".join(outcome.counted)})
        if outcome.counted != ("harmless",) or model.endswith("_wipe"):
            bench.begin()
        if tell:
            tell(number - request.first + 1, request.runs)
    bench.close()
    return rows, found


def dealt_report(
    request: Request,
    core: dict[str, Any],
    rows: Mapping[str, Counter[str]],
    columns: Sequence[str],
    found: list[dict[str, Any]],
) -> dict[str, Any]:
    """What a command writes as JSON, but for its seconds."""
    models = {name: {column: row[column] for column in columns} for name, row in rows.items()}
    return {
        "core": core,
        "seed": request.seed,
        "first": request.first,
        "asked": request.runs,
        "models": models,
        "total": {column: sum(row[column] for row in models.values()) for column in columns},
        "found": found,
    }
