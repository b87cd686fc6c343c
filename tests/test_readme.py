# SPDX-License-Identifier: Apache-2.0
"""The commands that the README and two pages show work as they are written there."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from modfab.catalog import ENGINES, SEQUENCERS

ROOT = Path(__file__).resolve().parent.parent
README, COMMANDS, START = "README.md", "docs/commands.md", "docs/getting-started.md"
SET_UP_COMMANDS = ("./modfab demo", "./modfab test")
"""The first block: `test` would run this file again, `demo` has its own test."""
PAGES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))
PICTURES = [
    str(path.relative_to(ROOT))
    for folder in ("docs", "rtl")
    for path in sorted((ROOT / folder).rglob("*.svg"))
]
MAX_README_LINES = 110


def shown_commands(page: str) -> list[str]:
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line]


def indented(page: str) -> list[str]:
    return re.findall(r"^ {4,}(\S.*)", (ROOT / page).read_text(), re.MULTILINE)


def test_the_two_commands_come_first() -> None:
    assert tuple(shown_commands(README)[:2]) == SET_UP_COMMANDS


@pytest.mark.timeout(3600)  # places and routes: only a hang takes so long, however busy the machine
def test_every_other_command_runs(tmp_path: Path) -> None:
    shutil.copy(ROOT / "README.md", tmp_path)
    launcher = tmp_path / "modfab"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m modfab "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    shown = dict.fromkeys(
        line for page in (README, START, COMMANDS) for line in shown_commands(page)
    )
    commands = [line for line in shown if line not in SET_UP_COMMANDS]
    assert len(commands) >= 15
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


def test_git_ignores_what_the_commands_write() -> None:
    pages = [README, *PAGES, "examples/README.md", "sw/c/README.md"]
    shown = [line for page in pages for line in [*shown_commands(page), *indented(page)]]
    option = re.compile(r"(?:(?:--?out|-o|--out-dir|--plot) |> )([A-Za-z_][\w.]*)")
    written = {name for line in shown for name in option.findall(line)}
    assert {"key.pem", "README.sig", "my_core", "signed", "keys", "small_board"} <= written
    asked = [path for name in sorted(written) for path in (name, f"{name}/file in it")]
    command = ["git", "-C", str(ROOT), "check-ignore", "--stdin"]
    done = subprocess.run(
        command, input="\n".join(asked), capture_output=True, text=True, check=False
    )
    ignored = {line.strip('"').partition("/")[0] for line in done.stdout.splitlines()}
    assert ignored == written


@pytest.mark.parametrize("page", [README, *PAGES])
def test_linked_files_exist(page: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text()):
        if not target.startswith("http"):
            linked = (ROOT / page).parent / target
            assert linked.exists(), f"{page} links {target}, which does not exist"


def test_the_readme_is_short() -> None:
    assert len((ROOT / README).read_text().splitlines()) <= MAX_README_LINES


def test_the_picture_names_every_engine_and_sequencer() -> None:
    texts = re.findall(r">([^<]+)</text>", (ROOT / "docs/blocks.svg").read_text())
    lists = [set(text.split(", ")) for text in texts]
    assert set(ENGINES) in lists
    assert set(SEQUENCERS) in lists


def test_folders_that_the_tree_names_exist() -> None:
    (tree,) = re.findall(
        r"^```text\n(.*?)^```", (ROOT / README).read_text(), re.MULTILINE | re.DOTALL
    )
    names = [line.split()[0] for line in tree.splitlines()]
    assert len(names) >= 10
    for name in names:
        first, *others = name.split("|")
        base = Path(first).parent
        for folder in (first, *(str(base / other) for other in others)):
            assert (ROOT / folder.replace("<engine>", "sos")).is_dir(), folder


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_is_readable_in_dark_mode(picture: str) -> None:
    """Its dark text and lines stand on white, not on the page."""
    text = (ROOT / picture).read_text()
    box = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', text)
    assert box
    size = rf'width="{box[1]}" height="{box[2]}"'
    plotted = re.search(r'id="patch_1">\s*<path [^>]*fill: #ffffff', text)
    assert plotted or re.search(rf'<rect [^>]*{size}[^>]*(#fff|"white"|class="w")', text)
