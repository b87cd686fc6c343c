# SPDX-License-Identifier: Apache-2.0
"""Modules of pages that are run: help and wrong arguments write nothing."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from modfab import pages
from modfab.errors import UsageError
from modfab.pages.run import run

FOLDER = Path(pages.__file__).parent
MODULES = sorted(
    f"modfab.pages.{path.stem}"
    for path in FOLDER.glob("*.py")
    if '__name__ == "__main__"' in path.read_text()
)


@pytest.fixture
def no_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> int:
        raise AssertionError(f"{path} is written")

    monkeypatch.setattr(Path, "write_text", refuse)


@pytest.mark.usefixtures("no_writing")
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("module", [*MODULES, "modfab.build.fusesoc"])
@pytest.mark.parametrize(("word", "code"), [("--help", 0), ("--unknown", 2)])
def test_help_writes_nothing(
    module: str,
    word: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", [module, word])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")
    assert ended.value.code == code
    shown = capsys.readouterr()
    assert (shown.err if code else shown.out).startswith("usage: ")


def test_a_module_says_what_it_has_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["x"])
    run("x", "Writes x.", lambda: [Path("x.svg")])
    assert capsys.readouterr().out == "x.svg\n"

    def fail() -> list[Path]:
        raise UsageError("No checkout.")

    with pytest.raises(SystemExit) as ended:
        run("x", "Writes x.", fail)
    assert ended.value.code == 2
    assert capsys.readouterr().err == "modfab: No checkout.\n"
