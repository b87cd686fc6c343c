# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of tests/rtl/axil on mf_modexp_axil."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.sim.core import bus_design
from tests.rtl.axil.axil_bench import CONFIG
from tests.support.cocotb_run import run_cocotb

MODULES = ("tests.rtl.axil.cocotb_access", "tests.rtl.axil.cocotb_operations")


def test_cocotb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_cocotb(bus_design(CONFIG), MODULES, tmp_path, monkeypatch)
