# SPDX-License-Identifier: Apache-2.0
"""Style rules of every file: Python and shell tools, licence lines, RTL text, sizes, addresses."""

from __future__ import annotations

import ast
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.sim.cache import private_dir

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
MAX_FUNCTION_LINES = 40
MAX_FILE_LINES = 400

SKIPPED_FOLDERS = {"vectors", "node_modules", "__pycache__"}
SKIPPED_IN_ROOT = {"build", "dist", "results"}
SOURCE_SUFFIXES = {
    *(".py", ".sv", ".svh", ".v", ".vlt", ".rdl", ".tcl", ".f", ".sby"),
    *(".c", ".h", ".cpp", ".hpp", ".sh", ".toml", ".core", ".yml", ".yaml"),
    *(".S", ".ld", ".xdc", ".ys", ".js", ".css"),
}
TEXT_SUFFIXES = SOURCE_SUFFIXES | {".asm", ".md", ".json", ".svg", ".cff", ".txt", ".lock", ""}


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") and path.name != ".ci"
        skipped = SKIPPED_FOLDERS | SKIPPED_IN_ROOT if folder == ROOT else SKIPPED_FOLDERS
        if path.is_dir() and not hidden and path.name not in skipped:
            yield from _walk(path)
        elif path.is_file() and not hidden and path.suffix in TEXT_SUFFIXES:
            yield path


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _ignored(folder: Path) -> set[Path]:
    """What git ignores there, such as what the commands of the pages write; nothing without git."""
    if not (folder / ".git").exists():
        return set()
    words = ["git", "ls-files", "-oiz", "--exclude-standard", "--directory"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return {folder / name for name in done.stdout.split("\0") if name}


def _files(folder: Path) -> list[Path]:
    """The project's own text files."""
    ignored = _ignored(folder)
    return [path for path in _walk(folder) if not ignored & {path, *path.parents}]


FILES = _files(ROOT)
SCRIPTS = [path for path in FILES if path.suffix in {"", ".sh"} and _text(path)[:9] == "#!/bin/sh"]
RTL = [path for path in FILES if path.suffix in {".sv", ".svh", ".v"}]
HAND_WRITTEN_RTL = [path for path in RTL if path.parent.name != "generated"]
PYTHON = [path for path in FILES if path.suffix == ".py"]


def test_what_git_ignores_is_not_looked_at(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("/out/\n/program\n")
    (tmp_path / "out").mkdir()
    for name in ("out/core.v", "program", "mine.py"):
        (tmp_path / name).write_bytes(b"\xff")
    assert _files(tmp_path) == [tmp_path / "mine.py"]


def tool(*words: str | Path) -> None:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_files_are_found() -> None:
    names = {_name(path) for path in FILES}
    assert {"modfab", ".ci/run", "rtl/mf_pkg.sv", "tests/test_static.py", "LICENSE"} <= names
    assert {"src/modfab/build/rsa.py", "tests/build/__init__.py"} <= names
    assert {"modfab", ".ci/run", "tools/set-up", "tools/update-lock"} <= {
        _name(path) for path in SCRIPTS
    }


def test_ruff_check() -> None:
    tool(BIN / "ruff", "check", "--no-cache", ".")


def test_ruff_format() -> None:
    tool(BIN / "ruff", "format", "--no-cache", "--check", ".")


def test_mypy() -> None:
    """What it knows of unchanged files is kept, as compiled simulators are."""
    tool(BIN / "mypy", "--cache-dir", private_dir("mypy"))


def test_shellcheck() -> None:
    tool(BIN / "shellcheck", *SCRIPTS)


def test_launcher_is_small() -> None:
    assert len(_text(ROOT / "modfab").splitlines()) <= 100


def test_ci_calls_the_launcher_and_nothing_else() -> None:
    lines = [line for line in _text(ROOT / ".ci/run").splitlines() if not line.startswith("#")]
    assert lines == ['exec "$(dirname "$0")/../modfab" test']


def test_every_source_names_its_licence() -> None:
    missing = [
        _name(path)
        for path in [*FILES, *SCRIPTS]
        if path.suffix in SOURCE_SUFFIXES or path in SCRIPTS
        if "SPDX-License-Identifier: Apache-2.0" not in "\n".join(_text(path).splitlines()[:3])
    ]
    assert missing == []


# Assembled, so that this file does not contain what it looks for.
FORBIDDEN = {
    "an absolute path": re.compile(r"(?<![\w.~$}/:-])/(?:home|root|work|opt|mnt|Users)/\w"),
    "a silenced linter": re.compile("no" + r"qa\b|type: " + r"ignore|-Wno-" + "fatal"),
    "an unfinished place": re.compile("TO" + r"DO\b|FIX" + r"ME\b|X" + r"XX\b"),
    "a package index": re.compile("index-" + r"url\s*=|find-" + r"links\s*="),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_contains(what: str) -> None:
    found = [
        f"{_name(path)}:{number}: {line.strip()}"
        for path in FILES
        for number, line in enumerate(_text(path).splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert found == []


def rtl_faults(text: str) -> list[str]:
    r"""Faults of one RTL file, each with its line.

    >>> rtl_faults("// SPDX-License-Identifier: Apache-2.0\nimport mf_pkg::*; \n")
    ['2: import of a package; write its name before each use', '2: blank at the end']
    """
    rules = {
        "longer than 100 columns": re.compile(r".{101}"),
        "not ASCII": re.compile(r"[^\x00-\x7f]"),
        "tab": re.compile(r"\t"),
        "import of a package; write its name before each use": re.compile(r"^\s*import\s+\w+::"),
        "blank at the end": re.compile(r"\s$"),
    }
    lines = text.splitlines()
    faults = [
        f"{number}: {fault}"
        for number, line in enumerate(lines, 1)
        for fault, rule in rules.items()
        if rule.search(line)
    ]
    if not text.startswith("// SPDX-License-Identifier: Apache-2.0\n"):
        faults.append("1: the licence is not the first line")
    if not text.endswith("\n"):
        faults.append(f"{len(lines)}: no newline at the end")
    return faults


@pytest.mark.parametrize("path", HAND_WRITTEN_RTL, ids=_name)
def test_rtl_text(path: Path) -> None:
    assert rtl_faults(_text(path)) == []


HEADER_WORDS = ("Source", "Latency", "Assumes", "Ensures")


@pytest.mark.parametrize("path", RTL, ids=_name)
def test_rtl_file_holds_one_module_with_a_header(path: Path) -> None:
    text = _text(path)
    modules = re.findall(r"^(?:module|package|interface) (\w+)", text, re.MULTILINE)
    if path.suffix == ".svh":
        assert modules == []
        return
    assert modules == [path.stem]
    header = re.split(rf"^(?:module|package|interface) {modules[0]}\b", text, flags=re.MULTILINE)[0]
    assert "\n/// " in header
    if not path.stem.endswith("_pkg"):
        missing = [
            word for word in HEADER_WORDS if not re.search(rf"^/// {word} ", header, re.MULTILINE)
        ]
        assert missing == []


@pytest.mark.parametrize("path", RTL, ids=_name)
def test_what_a_module_names_is_there(path: Path) -> None:
    """Models of the Python package, RTL, tests and pages, in any comment."""
    for name in re.findall(r"\bmodfab(?:\.[A-Za-z_]\w*)+", _text(path)):
        assert pkgutil.resolve_name(name) is not None
    named = re.findall(
        r"\b(?:src|rtl|tests|docs|sw|formal)/[\w/.-]+\.(?:py|sv|md|cpp|c)\b", _text(path)
    )
    assert [place for place in named if not (ROOT / place).is_file()] == []


def long_functions(text: str) -> list[str]:
    """Functions over the limit, without decorators and docstring, as `name: lines`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            signature = node.body[0].lineno - node.lineno
            lines = signature + (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
            if lines > MAX_FUNCTION_LINES:
                found.append(f"{node.name}: {lines}")
    return found


def test_no_function_is_too_long() -> None:
    found = {_name(path): long_functions(_text(path)) for path in PYTHON}
    assert {name: functions for name, functions in found.items() if functions} == {}


def test_no_source_file_is_too_long() -> None:
    sizes = {
        _name(path): len(_text(path).splitlines())
        for path in FILES
        if path.suffix in SOURCE_SUFFIXES and "generated" not in path.parts
    }
    assert {name: size for name, size in sizes.items() if size > MAX_FILE_LINES} == {}
