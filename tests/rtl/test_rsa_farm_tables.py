# SPDX-License-Identifier: Apache-2.0
"""The farm that fills a device: two dual-port cores with tables, values and cycles."""

from __future__ import annotations

import pytest

from modfab.build.farm import FarmCore
from modfab.build.rsa import rsa_core
from modfab.cli.farm_cmd import run_farm
from modfab.report.bench import random_key


@pytest.mark.parametrize("num_bits", [128, pytest.param(512, marks=pytest.mark.full)])
def test_two_cores_with_tables_take_the_cycles_of_the_formula(num_bits: int) -> None:
    params = {"Contexts": 1, "QuotientTables": 1, "LoadSum": 1}
    core = rsa_core("qp_systolic", num_bits // 2, params, "window", engines=2, pair=True)
    farm, own = FarmCore(core, 2), core.cycles()["private"]
    report = run_farm(farm, random_key(num_bits), 12, public=False)
    assert report.operation_cycles == own
    assert report.cycles_per_job == pytest.approx(farm.full_cycles([own, own]), rel=0.02)
    assert report.jobs_of_core == [6, 6]
    assert report.faults_of_core == [0, 0]
