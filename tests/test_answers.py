# SPDX-License-Identifier: Apache-2.0
"""Answers of tools are kept by content: another file, question or tool is asked about."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from modfab.errors import CacheError, ToolError
from modfab.flow.tools import Job, Tool
from tests.support import answers
from tests.support.answers import ASK_AGAIN, PLACE, answer, content_of
from tests.support.kept_jobs import kept_job


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; `--full` does not count here."""
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv(ASK_AGAIN, raising=False)
    monkeypatch.delenv(PLACE, raising=False)
    return tmp_path / "cache"


class Asked:
    """A tool that counts how often it runs."""

    def __init__(self) -> None:
        self.times = 0

    def ask(self) -> str:
        self.times += 1
        return f"answer {self.times}"


def test_an_answer_is_for_its_question_files_and_tool(tmp_path: Path) -> None:
    tool, folder = Asked(), tmp_path / "files"
    (folder / "sub").mkdir(parents=True)
    file = folder / "sub" / "a.sv"
    file.write_text("1")
    first = content_of(folder)
    for _ in range(2):
        assert answer(["ruff"], ["lint", first], tool.ask) == "answer 1"
    file.write_text("2")
    assert answer(["ruff"], ["lint", content_of(folder)], tool.ask) == "answer 2"
    file.write_text("1")
    (folder / "README.md").write_text("for people")
    assert answer(["ruff"], ["lint", content_of(folder)], tool.ask) == "answer 1"
    file.rename(folder / "a.sv")
    assert answer(["ruff"], ["lint", content_of(folder)], tool.ask) == "answer 3"
    assert answer(["ruff"], ["other", first], tool.ask) == "answer 4"
    assert answer(["mypy"], ["lint", first], tool.ask) == "answer 5"
    assert tool.times == 5


def test_another_way_of_asking_is_another_question(tmp_path: Path) -> None:
    """Options may be in the code that runs the tool, not in the question."""
    for option in ("-O0", "-O1", "-O0"):
        file = tmp_path / "asks.py"
        file.write_text(f"def ask():\n    return {option!r}\n")
        names: dict[str, Callable[[], str]] = {}
        exec(compile(file.read_text(), file, "exec"), names)
        assert answer(["ruff"], ["lint"], names["ask"]) == option


def test_a_program_of_the_system_is_known_by_what_it_says(tmp_path: Path) -> None:
    program, tool = tmp_path / "tool", Asked()
    for version, said in ((1, "answer 1"), (2, "answer 2"), (1, "answer 1")):
        program.write_text(f"#!/bin/sh\necho {version}\n")
        program.chmod(0o700)
        answers._of_system.cache_clear()
        assert answer([str(program)], ["lint"], tool.ask) == said


def test_a_failure_is_not_kept(cache: Path) -> None:
    def fail() -> str:
        raise AssertionError("the tool found a fault")

    for _ in range(2):
        with pytest.raises(AssertionError, match="found a fault"):
            answer(["ruff"], ["lint"], fail)
    assert list((cache / "answers").iterdir()) == []


def test_full_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = Asked()
    assert answer(["ruff"], ["lint"], tool.ask) == "answer 1"
    monkeypatch.setenv(ASK_AGAIN, "1")
    assert answer(["ruff"], ["lint"], tool.ask) == "answer 2"
    monkeypatch.delenv(ASK_AGAIN)
    assert answer(["ruff"], ["lint"], tool.ask) == "answer 2"


def test_an_answer_that_others_may_have_written_is_not_taken(cache: Path) -> None:
    tool = Asked()
    answer(["ruff"], ["lint"], tool.ask)
    (kept,) = (cache / "answers").iterdir()
    kept.chmod(0o666)
    with pytest.raises(CacheError, match="Others can write"):
        answer(["ruff"], ["lint"], tool.ask)


TOOL = """
import pathlib, time
text = pathlib.Path("in.v").read_text()
pathlib.Path("sub").mkdir(exist_ok=True)
pathlib.Path("sub/out.json").write_text(f"{text} {time.time_ns()}")
if text == "bad":
    raise SystemExit(1)
"""


def left_by(version: str, text: str, folder: Path) -> str:
    """What a tool of that version makes of a file."""
    folder.mkdir(exist_ok=True)
    (folder / "in.v").write_text(text)
    tool = Tool("yosys", version, (sys.executable,), native=True)
    lines: list[str] = []
    kept_job(Job(tool, ["-c", TOOL], folder, "log", "Yosys", 60), lines.append)
    assert len(lines) == 2
    return (folder / "sub" / "out.json").read_text()


def test_a_tool_of_the_flow_runs_once_on_the_same_files(tmp_path: Path) -> None:
    """What it leaves is put into another folder, too; a failure is not kept."""
    asked = [("1", "a"), ("1", "a"), ("1", "b"), ("2", "a")]
    left = [left_by(*words, tmp_path / str(number)) for number, words in enumerate(asked)]
    assert left[0] == left[1]
    assert len(set(left)) == 3
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "log").write_text("of an earlier run")
    assert left_by("1", "a", tmp_path / "again") == left[0]
    assert not (tmp_path / "again" / "log").exists()
    for _ in range(2):
        with pytest.raises(ToolError, match="Yosys failed"):
            left_by("1", "bad", tmp_path / "bad")
