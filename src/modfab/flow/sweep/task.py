# SPDX-License-Identifier: Apache-2.0
"""What a worker does: measure one point; what failed comes back as words, with the log's end."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

from modfab.errors import ModfabError, ToolError
from modfab.flow.measure import measure
from modfab.flow.sweep.point import SweepPoint

_LOG_LINES = 200


def run_point(words: dict[str, Any]) -> dict[str, Any]:
    """Measure a point on this machine, with its store.

    Args:
        words: `SweepPoint.words`.

    Returns:
        `records`: JSON of the synthesis and the routing; or `reason`, `log` (its last lines) and
        `host` of what failed.
    """
    point = SweepPoint(**words)
    try:
        found = measure(point.design, point.target, point.options)
    except ModfabError as error:
        log = _end_of_log(error.log) if isinstance(error, ToolError) and error.log else ""
        return {"reason": str(error), "log": log, "host": socket.gethostname()}
    return {"records": [record.to_json() for record in (found.synthesis, *found.routings)]}


def _end_of_log(log: Path) -> str:
    """The last lines of a log, as far as it can be read."""
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(lines[-_LOG_LINES:])
