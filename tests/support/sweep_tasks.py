# SPDX-License-Identifier: Apache-2.0
"""A light task for sweeps, and a sweep with it in a process of its own, to be killed."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from modfab.flow.store import Store
from modfab.flow.sweep.cluster import local_client
from modfab.flow.sweep.failures import Failures
from modfab.flow.sweep.point import SweepPoint
from modfab.flow.sweep.run import plan, run
from tests.flow.test_store import record

POINTS = tuple(SweepPoint("bit_serial", 64, "ecp5-25k", seed=seed) for seed in range(1, 7))


def folder() -> Path:
    """Where tasks say what they do."""
    return Path(os.environ["MODFAB_DATA"])


def ran() -> list[tuple[int, int]]:
    """Seed and process of every task that began."""
    path = folder() / "ran"
    lines = path.read_text().splitlines() if path.is_file() else []
    return [(int(line.split()[0]), int(line.split()[1])) for line in lines if line.endswith(".")]


def hold(seed: int) -> Path:
    """As long as this file is there, the task of that seed does not end."""
    return folder() / f"hold-{seed}"


def wait_for(there: Any, what: str) -> None:
    """Until a condition holds."""
    until = time.monotonic() + 120
    while not there():
        assert time.monotonic() < until, f"never: {what}"
        time.sleep(0.05)


def light(words: dict[str, Any]) -> dict[str, Any]:
    """A record without a tool."""
    point = SweepPoint(**words)
    with (folder() / "ran").open("a") as file:
        file.write(f"{point.seed} {os.getpid()} .\n")
    until = time.monotonic() + 120
    while hold(point.seed or 0).exists() and time.monotonic() < until:
        time.sleep(0.05)
    made = record(mhz=100.0 + (point.seed or 0))
    found = replace(made, request=point.request(), text=point.text(), circuit="light")
    return {"records": [found.to_json()]}


def measured_seeds() -> list[int]:
    """Seeds in the store."""
    return sorted(one.request.seed or 0 for one in Store().records())


if __name__ == "__main__":
    planned = plan(POINTS, Store().records(), Failures())
    with local_client(1) as client:
        run(planned.todo, client, Store(), Failures(), lambda state: None, light)
    sys.exit()
