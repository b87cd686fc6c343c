# SPDX-License-Identifier: Apache-2.0
"""Help of every command in a terminal of 80 columns, exit codes in it, version, completion."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import typer.main

from modfab import __version__
from modfab.cli.main import COMMANDS, app_of
from tests.support.cli import run_cli


@pytest.mark.parametrize("name", COMMANDS)
def test_option_names_are_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    root = typer.main.get_command(app_of([name]))
    command = vars(root)["commands"][name]
    parts = vars(command).get("commands", {})
    paths = [([name], command), *(([name, part], found) for part, found in parts.items())]
    for path, found in paths:
        root.main([*path, "--help"], prog_name="modfab", standalone_mode=False)
        out = capsys.readouterr().out
        names = {text for param in found.params for text in (*param.opts, *param.secondary_opts)}
        options = {text for text in names if text.startswith("-")}
        assert options <= set(re.split(r"[\s,│]+", out))
        assert "…" not in out


def test_o_is_short_for_out() -> None:
    commands = vars(typer.main.get_command(app_of()))["commands"]
    outputs = {
        name: set(param.opts)
        for name, command in commands.items()
        for param in command.params
        if {"-o", "--out"} & set(param.opts)
    }
    assert {"sign", "encrypt", "decrypt", "keygen", "simlib", "build", "report", "assess"} == {
        *outputs
    }
    assert all(options == {"-o", "--out"} for options in outputs.values()), outputs


def test_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"modfab {__version__}\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    words = {"COMP_WORDS": "modfab doc", "COMP_CWORD": "1"}
    words |= {"_TYPER_COMPLETE_ARGS": "modfab doc", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    named = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # not the one that runs the test
    shown = modfab(f"--show-completion {shell}", named)
    assert "_MODFAB_COMPLETE" in shown.stdout
    asked = modfab("", words | {"_MODFAB_COMPLETE": f"complete_{shell}"})
    assert "doctor" in asked.stdout, asked.stderr


def test_exit_codes_are_in_the_help() -> None:
    text = " ".join(modfab("--help").stdout.split())
    assert "Exit codes: 0 done; 1 not valid (verify), decryption failed (decrypt)," in text


def modfab(
    words: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    quiet = os.environ | {"COLUMNS": "200"} | (environment or {})
    command = [sys.executable, "-m", "modfab", *words.split()]
    return subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
