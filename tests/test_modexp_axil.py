# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of tests/axil on mf_modexp_axil."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.sim.core import bus_design
from tests.axil.axil_bench import CONFIG
from tests.cocotb_run import run_cocotb

MODULES = ("tests.axil.cocotb_access", "tests.axil.cocotb_operations")


def test_cocotb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_cocotb(bus_design(CONFIG), MODULES, tmp_path, monkeypatch)
