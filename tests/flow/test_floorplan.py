# SPDX-License-Identifier: Apache-2.0
"""Where a netlist's files are kept, and whose pictures are shown."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from modfab.errors import CacheError
from modfab.flow.floorplan import find_floorplan, floorplan_of
from modfab.flow.wheels import locked
from tests.flow.test_store import record


def test_files_of_a_netlist_are_their_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    routed = record(seed=1, mhz=50.0)
    before = os.umask(0o002)
    try:
        plan = floorplan_of(routed)
        with locked(plan.with_name("synthesis.lock")):
            plan.write_text("<svg/>")
    finally:
        os.umask(before)
    folders = [tmp_path / "cache", *plan.parents[:2]]
    assert [path.stat().st_mode & 0o777 for path in folders] == [0o700] * 3
    assert find_floorplan([routed]) == "<svg/>"
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert find_floorplan([routed]) == "", "it may be somebody else's"
    with pytest.raises(CacheError, match="but this is user 12345"):
        floorplan_of(routed)
