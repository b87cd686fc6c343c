# SPDX-License-Identifier: Apache-2.0
"""What a worker does: measure one point; what failed comes back as words, with the log's end."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

from modfab.errors import ModfabError
from modfab.flow.measure import measure
from modfab.flow.sweep.point import SweepPoint

_LOG = re.compile(r"(/\S+\.log)\b")
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
        reason = str(error)
        return {"reason": reason, "log": _end_of_log(reason), "host": socket.gethostname()}
    return {"records": [record.to_json() for record in (found.synthesis, *found.routings)]}


def _end_of_log(text: str) -> str:
    """The last lines of the log that an error names."""
    named = _LOG.search(text)
    if named is None:
        return ""
    try:
        lines = Path(named[1]).read_text(errors="replace").splitlines()
    except OSError:
        return ""
    return "\n".join(lines[-_LOG_LINES:])
