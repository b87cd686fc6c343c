# SPDX-License-Identifier: Apache-2.0
"""A command loads its own module only; the whole list is there for help and for typing errors."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from modfab.cli.main import COMMANDS, app_of, needed
from tests.support.cli import run_cli


def test_every_command_is_found_under_its_name() -> None:
    for name in COMMANDS:
        help_of = CliRunner().invoke(app_of([name]), [name, "--help"])
        assert help_of.exit_code == 0, name
        assert f"modfab {name}" in help_of.output.replace("root", "modfab")


def test_help_lists_every_command() -> None:
    lines = CliRunner().invoke(app_of(needed(["--help"])), ["--help"]).output.splitlines()
    shown = {word for line in lines for word in line.split()[1:2]}
    assert shown >= set(COMMANDS)


def test_a_wrong_name_is_told_with_the_right_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "sing") == 2
    assert "sign" in capsys.readouterr().err


def test_a_shell_that_completes_sees_every_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_MODFAB_COMPLETE", "complete_bash")
    assert needed(["sign"]) == list(COMMANDS)


def test_other_commands_are_not_loaded() -> None:
    code = "import sys; from modfab.cli.main import app_of, needed; app_of(needed(['engines']))"
    code += "; print(*(name for name in sys.modules if name.endswith('_cmd')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["modfab.cli.catalog_cmd"]
