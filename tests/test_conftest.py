# SPDX-License-Identifier: Apache-2.0
"""What conftest.py promises: a seed that repeats a run, failures at once, long cases on demand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SUITE = """
import hypothesis
import hypothesis.strategies
import pytest

def test_draw(rng):
    print("drawn", rng.getrandbits(64))

def test_draw_elsewhere(rng):
    print("elsewhere", rng.getrandbits(64))

@hypothesis.settings(database=None, max_examples=3)
@hypothesis.given(hypothesis.strategies.integers(0, 2**64))
def test_hypothesis(number):
    print("hypothesis", number)

@pytest.mark.full
def test_long():
    print("long case ran")

LONG = [pytest.param(f"long_{i}", marks=pytest.mark.full) for i in range(3)]

@pytest.mark.parametrize("case", [*LONG, "short"])
def test_several(case):
    print("one of several:", case)

def test_wrong():
    raise RuntimeError("wrong on purpose")

@pytest.fixture
def broken():
    raise ValueError("broken on purpose")

def test_without_its_fixture(broken):
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(Path(__file__).parent / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = full\n", encoding="utf-8")
    (tmp_path / "test_suite.py").write_text(SUITE, encoding="utf-8")
    return tmp_path


def run(folder: Path, seed: str | None, *words: str) -> str:
    environment = {name: text for name, text in os.environ.items() if name != "MODFAB_SEED"}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    if seed is not None:
        environment["MODFAB_SEED"] = seed
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *words]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr  # one test fails on purpose
    return done.stdout


def drawn(output: str) -> list[str]:
    words = ("drawn ", "elsewhere ", "hypothesis ")
    return sorted(line for line in output.splitlines() if line.startswith(words))


def test_the_same_seed_draws_the_same(folder: Path) -> None:
    first = run(folder, "5")
    assert "seed: MODFAB_SEED=5" in first
    assert len(drawn(first)) == 5
    numbers = {line.split()[1] for line in drawn(first) if not line.startswith("hypothesis")}
    assert len(numbers) == 2, "two tests share their random numbers"
    assert drawn(run(folder, "5", "-n", "2")) == drawn(first)
    assert drawn(run(folder, "6")) != drawn(first)


def test_a_failure_repeats_the_seed(folder: Path) -> None:
    output = run(folder, "7", "-k", "wrong")
    assert "\nMODFAB_SEED=7\n" in output.partition("wrong on purpose")[2]


def test_seeds_differ_unless_given(folder: Path) -> None:
    assert drawn(run(folder, None)) != drawn(run(folder, None))


def test_long_cases_run_on_demand_only(folder: Path) -> None:
    output = run(folder, None)
    assert ": long case, run by `./modfab test --full`" in output
    assert "long case ran" not in output
    assert "3 long cases, run by `./modfab test --full`" in output
    assert re.findall(r"one of several: (\w+)", output) == ["short"]
    assert "long case, run by" in run(folder, None, "-k", "long_1 or wrong")
    output = run(folder, None, "--full")
    assert "long case ran" in output
    assert re.findall(r"one of several: (\w+)", output) == ["long_0", "long_1", "long_2", "short"]


@pytest.mark.parametrize("jobs", ["0", "2"])
def test_failures_are_named_when_they_happen(folder: Path, jobs: str) -> None:
    early, _, _ = run(folder, "8", "-n", jobs).partition("= FAILURES =")
    lines = early.splitlines()
    assert "FAILED test_suite.py::test_wrong - RuntimeError: wrong on purpose" in lines
    broken = "test_suite.py::test_without_its_fixture - ValueError: broken on purpose"
    assert f"ERROR in setup of {broken}" in lines


def test_the_start_says_how_long_it_takes(folder: Path) -> None:
    assert re.search(
        r"^The whole suite takes about \d+ minutes .*--full", run(folder, None), re.MULTILINE
    )
