# SPDX-License-Identifier: Apache-2.0
"""How runs are dealt to models, and what a simulation that goes on from one to the next tells."""

from __future__ import annotations

import random

from modfab.assess.campaign import Request
from modfab.assess.live import Found, HungError, dealt_report, run_dealt
from modfab.build.rsa import rsa_core

CORE = rsa_core("bit_serial", 64)


class Bench:
    """Notes what is done with it."""

    def __init__(self) -> None:
        self.last, self.begun, self.closed, self.drawn = "the flip", 0, 0, list[int]()

    def begin(self) -> None:
        self.begun += 1

    def close(self) -> None:
        self.closed += 1


def hangs(bench: Bench, rng: random.Random) -> Found:
    raise HungError


def harmless(bench: Bench, rng: random.Random) -> Found:
    bench.drawn.append(rng.getrandbits(30))
    return Found(("harmless",), "nothing")


def caught(bench: Bench, rng: random.Random) -> Found:
    return Found(("detected", "caught_by_host"), "a word")


def wrong(bench: Bench, rng: random.Random) -> Found:
    return Found(("wrong", "factoring"), "a bit")


MODELS = {"a": hangs, "b": harmless, "c": caught, "d": wrong, "e_wipe": harmless}


def test_runs_are_dealt_in_turn_and_what_is_bad_is_named() -> None:
    bench = Bench()
    request = Request(CORE, 6, seed=5, first=4)
    told = list[tuple[int, int]]()
    rows, found = run_dealt(request, bench, MODELS, "name", lambda *done: told.append(done))
    assert {name: dict(row) for name, row in rows.items()} == {
        "a": {"runs": 1, "hung": 1},
        "b": {"runs": 1, "harmless": 1},
        "c": {"runs": 1, "detected": 1, "caught_by_host": 1},
        "d": {"runs": 1, "wrong": 1, "factoring": 1},
        "e_wipe": {"runs": 2, "harmless": 2},
    }
    assert found == [
        {"run": 5, "model": "a", "fault": "the flip", "outcome": "hung"},
        {"run": 8, "model": "d", "fault": "a bit", "outcome": "wrong, factoring"},
    ]
    assert (bench.begun, bench.closed) == (5, 1), "a new simulation unless all is as it was"
    assert told[-1] == (6, 6)
    again = Bench()
    run_dealt(Request(CORE, 1, seed=5, first=6), again, MODELS, "name", None)
    assert again.drawn == bench.drawn[1:2], "a run is the same whatever came before it"
    report = dealt_report(request, {}, rows, ("runs", "hung", "lost"), found)
    assert report["models"]["a"] == {"runs": 1, "hung": 1, "lost": 0}
    assert report["total"] == {"runs": 6, "hung": 1, "lost": 0}


def test_no_run_begins_after_the_time_limit() -> None:
    bench = Bench()
    rows, _ = run_dealt(Request(CORE, 9, seconds=-1.0), bench, MODELS, "name", None)
    assert not any(rows.values())
    assert bench.closed == 1
