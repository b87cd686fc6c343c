# SPDX-License-Identifier: Apache-2.0
"""Synthesis and routing of the same files by the same tools are done once for all runs of tests."""

from __future__ import annotations

import pytest

from tests.support.kept_jobs import kept_job


@pytest.fixture(autouse=True)
def kept_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the flow start its tools in this way; what is about the start itself calls `run_job`."""
    for module in ("warnings", "route"):
        monkeypatch.setattr(f"modfab.flow.{module}.run_job", kept_job)
