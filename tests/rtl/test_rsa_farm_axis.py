# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of tests/farm, with another's models of the buses, on mf_rsa_farm_axil."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.sim.core import bus_design
from tests.support.cocotb_run import run_cocotb
from tests.support.farm_core import config


@pytest.mark.full
def test_cocotb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design, modules = bus_design(config(2)), ["tests.rtl.farm.cocotb_streams"]
    run_cocotb(design, modules, tmp_path, monkeypatch, top_only=True)
