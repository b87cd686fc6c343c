# SPDX-License-Identifier: Apache-2.0
"""`modfab test`: the command line it makes of its options, and its refusals."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from modfab.cli import test_cmd
from modfab.errors import ToolError, UsageError
from tests.support.cli import run_cli


def test_every_option_reaches_pytest() -> None:
    words = test_cmd.pytest_command(
        Path("here"), full=True, expression="a or b", exit_first=True, jobs=0
    )
    assert words[1:5] == ["-m", "pytest", "--rootdir", "here"]
    assert words[5:] == ["-n", "0", "--dist", "worksteal", "--full", "-k", "a or b", "-x"]


def test_bytecode_that_the_checkout_must_not_have_goes_to_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    prefix = tmp_path / "cache" / "bytecode"
    assert test_cmd.environment()["PYTHONPYCACHEPREFIX"] == str(prefix)
    assert "PYTHONDONTWRITEBYTECODE" not in test_cmd.environment()
    assert prefix.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "")
    assert "PYTHONPYCACHEPREFIX" not in test_cmd.environment()


@pytest.mark.parametrize(("code", "exit_code"), [(0, 0), (1, 1), (-9, 137)])
def test_a_signal_that_ended_pytest_is_told(
    monkeypatch: pytest.MonkeyPatch, code: int, exit_code: int
) -> None:
    def ended(*_: object, **__: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess([], code)

    monkeypatch.setattr(subprocess, "run", ended)
    assert run_cli(monkeypatch, "test") == exit_code


def test_an_installed_package_has_no_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_cmd, "checkout_dir", lambda: None)
    with pytest.raises(UsageError, match=r"clone the repository and run ./modfab test in it\.$"):
        test_cmd.run_tests()


def test_a_python_without_pytest_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolError, match=r"which sets up \.venv from requirements\.lock\.$"):
        test_cmd.run_tests()
