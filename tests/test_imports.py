# SPDX-License-Identifier: Apache-2.0
"""Rooms of the Python package import downward only: the contracts of pyproject.toml."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.support.eda import run

ROOT = Path(__file__).resolve().parent.parent
LINTER = (
    "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
)


def lint(root: Path) -> str:
    return run([sys.executable, "-c", LINTER], root, PYTHONPATH=str(root / "src"))


def test_imports_go_downward_without_a_circle() -> None:
    log = lint(ROOT)
    assert "Contracts: 2 kept, 0 broken." in log


def test_an_import_upward_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    low = tmp_path / "src" / "modfab" / "models" / "stream.py"
    low.write_text(low.read_text() + "\nimport modfab.cli.main\n")
    with pytest.raises(
        AssertionError, match=r"modfab\.models is not allowed to import modfab\.cli"
    ):
        lint(tmp_path)
