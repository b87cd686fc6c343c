# SPDX-License-Identifier: Apache-2.0
"""The fault campaigns of docs/assessment.json come out the same on the RTL of today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modfab.assess.campaign import Request, run_campaign
from modfab.assess.circuit import core_of
from modfab.pages.assessed import name_of, read_reports

REPORTS = read_reports()["faults"]
LEFT_OUT = {
    "RSA-128, `bit_serial`, ladder, hardened": "8,000 faults",
    "RSA-128, `qp_systolic`, window5, dual-port, tables, loads that add, few factors, hardened": (
        "10,000 faults"
    ),
    "RSA-128, `qp_systolic`, ladder_masked, dual-port, tables, loads that add, two in turn, "
    "hardened, address blinding": "long operations",
    "RSA-2048, `qp_systolic`, window, dual-port, hardened": "a wide core",
}
"""Campaigns that take half an hour together, and why."""


def test_every_other_campaign_is_repeated() -> None:
    names = [name_of(one) for one in REPORTS]
    assert set(LEFT_OUT) <= set(names)
    assert len(names) == len(set(names)), "two campaigns have one name"
    assert len(names) > 15


@pytest.mark.full
@pytest.mark.parametrize("report", [r for r in REPORTS if name_of(r) not in LEFT_OUT], ids=name_of)
def test_a_committed_campaign_is_of_the_rtl_of_today(
    report: dict[str, Any], tmp_path: Path
) -> None:
    request = Request(core_of(report["core"]), report["asked"], report["seed"], report["first"])
    again = run_campaign(request, tmp_path)
    assert again["total"] == report["total"]
    assert again["models"] == report["models"]
    assert again["found"] == report["found"]
