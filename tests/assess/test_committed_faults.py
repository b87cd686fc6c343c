# SPDX-License-Identifier: Apache-2.0
"""The fault campaigns of docs/assessment.json come out the same on the RTL of today."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modfab.assess.campaign import Request, run_campaign
from modfab.assess.circuit import core_of
from modfab.pages.assessed import name_of, read_reports

REPORTS = [
    one
    for one in read_reports()["faults"]
    if one["asked"] <= 3000
    and one["core"]["bits"] <= 512
    and one["core"]["sequencer"] != "ladder_masked"
]
"""Without three that take half an hour together."""


@pytest.mark.full
@pytest.mark.parametrize("report", REPORTS, ids=name_of)
def test_a_committed_campaign_is_of_the_rtl_of_today(
    report: dict[str, Any], tmp_path: Path
) -> None:
    request = Request(core_of(report["core"]), report["asked"], report["seed"], report["first"])
    again = run_campaign(request, tmp_path)
    assert again["total"] == report["total"]
    assert again["models"] == report["models"]
    assert again["found"] == report["found"]
