# SPDX-License-Identifier: Apache-2.0
"""Faults in a farm's control: each job answered once and rightly; without majorities it is not."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from modfab.assess.campaign import Request
from modfab.assess.circuit import today
from modfab.assess.farm import COLUMNS, MODELS, PARTS, FarmBench, Job, run_farm, wipe
from modfab.assess.live import run_dealt
from modfab.assess.page import page
from modfab.build.farm import FarmCore
from modfab.build.rsa import rsa_core
from modfab.cli.main import app_of
from modfab.errors import UsageError
from modfab.flow.measure import revision
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.packets import status_word
from modfab.numbers import to_words
from modfab.sim.farm import Beat, farm_design
from modfab.sim.verilate import Design

CORE = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
CORES = 3
FARM = FarmCore(CORE, CORES)
RUNS = 36
BAD = ("wrong", "factoring", "hung", "secret_left", "lost", "doubled", "broken")


@pytest.fixture
def bench() -> Iterator[FarmBench]:
    made = FarmBench(FARM, 1)
    yield made
    made.close()


def test_no_fault_of_the_control_loses_or_changes_an_answer() -> None:
    report = run_farm(Request(CORE, RUNS), CORES)
    assert list(report["models"]) == list(MODELS)
    for name, row in report["models"].items():
        assert tuple(row) == COLUMNS
        assert row["runs"] == RUNS // len(MODELS)
        assert [row[column] for column in BAD] == [0] * len(BAD), (name, report["found"])
    assert report["total"]["harmless"] > 0
    assert report["core"]["cores"] == CORES
    assert "3 cores" in page("farm", report)


def without_majority(folder: Path) -> Design:
    design, files = farm_design(FARM), []
    for file in design.files:
        if file.name == "mf_rsa_farm_vote.sv":
            text, majority = (
                file.read_text(),
                "(word_q & ~inverse_q) | (third & (word_q | ~inverse_q))",
            )
            assert text.count(majority) == 1
            file = folder / file.name
            file.write_text(text.replace(majority, "word_q | (third & '0) | (inverse_q & '0)"))
        files.append(file)
    return replace(design, files=tuple(files))


def test_without_majorities_answers_are_lost(tmp_path: Path) -> None:
    sick = FarmBench(FARM, 1, without_majority(tmp_path))
    models = {"farm_ports": MODELS["farm_ports"]}
    rows, found = run_dealt(Request(CORE, 20), sick, models, "control", None)
    assert sum(rows["farm_ports"][column] for column in BAD) > 0
    assert found


def test_every_register_belongs_to_a_model(bench: FarmBench) -> None:
    assert set(bench.parts) == set(PARTS)
    assert sum(map(len, bench.parts.values())) == len(bench.open.own_registers())


# ---- how answers are judged ----
def answer(job_id: int, result: int, status: JobStatus = JobStatus.OK) -> list[Beat]:
    words = [*to_words(result, FARM.num_words), status_word(job_id, status, 0)]
    return [Beat(0, word, index == FARM.num_words) for index, word in enumerate(words)]


def jobs_of(bench: FarmBench, rng: random.Random) -> dict[int, Job]:
    messages = [rng.randrange(2, bench.key.n) for _ in range(2)]
    return {i: Job(m, pow(m, bench.key.d, bench.key.n), False) for i, m in enumerate(messages)}


def test_answers_are_judged(bench: FarmBench, rng: random.Random) -> None:
    jobs = jobs_of(bench, rng)
    first, second = (answer(i, job.result) for i, job in jobs.items())
    swapped = [answer(0, jobs[1].result), answer(1, jobs[0].result)]
    half = jobs[0].result + bench.key.p * rng.randrange(1, bench.key.q)
    refused = [answer(0, 0, JobStatus.FAULT), second]
    unknown = [[*first[:-1], Beat(0, 15 << 16, True)], second]
    cases: list[tuple[list[list[Beat]], dict[str, int]]] = [
        ([second, first], {"ok": 2}),
        ([first], {"ok": 1, "lost": 1}),
        ([first, first, second], {"ok": 3, "doubled": 1}),
        (swapped, {"wrong": 2}),
        (refused, {"ok": 1}),
        (unknown, {"ok": 1}),
        ([first, second[1:]], {"ok": 1, "lost": 1, "broken": 1}),
        ([first, answer(7, jobs[1].result)], {"ok": 1, "wrong": 1, "lost": 1, "doubled": 1}),
        ([answer(0, half % bench.key.n), second], {"ok": 1, "wrong": 1, "factoring": 1}),
        ([answer(0, half % bench.key.n, JobStatus.FAULT), second], {"ok": 1, "factoring": 1}),
    ]
    for packets, expected in cases:
        assert dict(bench.judged(jobs, packets)) == expected


def test_secrets_are_found_where_they_are(bench: FarmBench) -> None:
    bench.keep_secrets()
    assert len(bench.secrets) > 20
    assert bench.holds_secrets(set())
    word, bench.secrets = min(bench.secrets), set()
    assert bench.holds_secrets({word}), "results count as well"
    assert not bench.holds_secrets(set())


@pytest.mark.parametrize(
    ("left", "service", "counted"),
    [
        (True, 0, ("harmless", "secret_left")),
        (True, 1, ("detected",)),  # the host sees that a core was not wiped
        (False, 0, ("harmless",)),
    ],
)
def test_a_secret_that_a_wipe_leaves_counts_unless_the_host_sees_it(
    left: bool, service: int, counted: tuple[str, ...], rng: random.Random
) -> None:
    rtl = SimpleNamespace(run=lambda cycles: None)
    calm = {"wait_idle": lambda: None, "keep_secrets": lambda: None, "write": lambda *_: 0}
    answers = {"send": lambda *_: {}, "collect": lambda count: [], "judged": lambda *_: Counter()}
    state = {"open": rtl, "farm": FARM, "cycles": 9, "words": 4, "parts": {"a": []}}
    fake = SimpleNamespace(
        **calm,
        **answers,
        **state,
        fault=lambda *_: "a flip",
        read=lambda address: service,
        holds_secrets=lambda results: left,
    )
    assert wipe(cast(Any, fake), rng).counted == counted


def test_the_command(tmp_path: Path) -> None:
    words = ["assess", "faults", "--core", "farm", "--rsa", "cores=3", "-P", "BitsPerClock=8"]
    words += ["--runs", "6", "--json", "-o", str(tmp_path)]
    done = CliRunner().invoke(app_of(words[:1]), words)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["total"]["runs"] == 6
    assert report["rtl"] == today("farm", report).text
    assert report["revision"] == revision()
    assert (tmp_path / "farm.html").is_file()
    assert json.loads((tmp_path / "farm.json").read_text()) == report
    wrong = CliRunner().invoke(
        app_of(["assess"]), ["assess", "timing", "--core", "farm", "-o", str(tmp_path)]
    )
    assert isinstance(wrong.exception, UsageError)
    assert "faults with --core farm" in str(wrong.exception)
