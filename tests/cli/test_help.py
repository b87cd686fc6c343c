# SPDX-License-Identifier: Apache-2.0
"""The help of every command in a terminal of 80 columns: option names are whole."""

from __future__ import annotations

import re

import pytest
import typer.main

from modfab.cli.main import COMMANDS, app_of


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
