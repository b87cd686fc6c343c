# SPDX-License-Identifier: Apache-2.0
"""The commands that the README shows work as they are written there."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SET_UP_COMMANDS = ("./modfab demo", "./modfab test")
"""The first block: `test` would run this file again, `demo` has its own test."""


def shown_commands() -> list[str]:
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


def test_the_two_commands_come_first() -> None:
    assert tuple(shown_commands()[:2]) == SET_UP_COMMANDS


@pytest.mark.timeout(3600)  # places and routes: only a hang takes so long, however busy the machine
def test_every_other_command_runs(tmp_path: Path) -> None:
    shutil.copy(ROOT / "README.md", tmp_path)
    launcher = tmp_path / "modfab"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m modfab "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    commands = [line for line in shown_commands() if line not in SET_UP_COMMANDS]
    assert len(commands) >= 6
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def test_linked_files_exist() -> None:
    text = (ROOT / "README.md").read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert (ROOT / target).is_file(), f"the README links {target}, which does not exist"
