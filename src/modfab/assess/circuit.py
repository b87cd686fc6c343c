# SPDX-License-Identifier: Apache-2.0
"""The circuit that a report of `modfab assess` is of, and whether today's RTL is still that one.

A report keeps a digest of its RTL (`rtl`) and the revision, a committed one also the fingerprint of
its circuit (`circuit`) and, when that is not today's, why (`stale`): as a `Record` does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from modfab.build.core import Core
from modfab.build.farm import FarmCore
from modfab.build.rsa import RsaCore, rsa_core
from modfab.errors import UsageError
from modfab.flow.design import Design
from modfab.flow.elaborate import elaborate
from modfab.flow.refresh import Stamp, Today, compared
from modfab.flow.tools import Progress, silent

Report = dict[str, Any]

_ON_THE_BUS = ("shell", "farm", "timing")
"""Reports of a core with its bus."""


def core_of(told: Mapping[str, Any]) -> RsaCore:
    """The core that `campaign.described` tells of, of a farm each of its cores.

    Raises:
        UsageError: There is no such core any more.
    """
    params = {name: value for name, value in told["params"].items() if name != "NumBits"}
    return rsa_core(told["engine"], overrides=params, sequencer=told["sequencer"], **told["rsa"])


def today(kind: str, report: Mapping[str, Any]) -> Today:
    """What today's RTL builds of a report's core.

    Args:
        kind: timing, faults, shell, farm or leakage.
        report: Of that kind; its `core` is read.

    Raises:
        UsageError: There is no such core any more.
    """
    return _today(kind in _ON_THE_BUS, json.dumps(report["core"], sort_keys=True))


@cache
def _today(bus: bool, told: str) -> Today:
    asked = json.loads(told)
    rsa = core_of(asked)
    core: Core = FarmCore(rsa, asked["cores"]) if "cores" in asked else rsa
    design = Design(core, bus)
    return Today(design.top, design.rtl(""))


def entered(kind: str, report: Report, progress: Progress = silent) -> Report:
    """A new report with its circuit.

    Args:
        kind, report: As for `today`.
        progress: Told of runs of Yosys.

    Raises:
        UsageError: The report is of other RTL than today's, whose circuit nobody knows.
        ToolError: Yosys is missing or failed.
    """
    built = today(kind, report)
    if report.get("rtl") != built.text:
        core = report["core"]
        raise UsageError(
            f"The {kind} report of RSA-{core['bits']}, {core['engine']}, was made with other RTL "
            "than there is now; run modfab assess again, into an empty folder."
        )
    circuit = elaborate(built.top, built.texts, progress=progress).circuit
    return report | {"circuit": circuit}


def refreshed(kind: str, report: Report, progress: Progress = silent) -> Report:
    """A committed report with today's verdict.

    Args:
        kind, report, progress: As for `entered`.

    Raises:
        ToolError: Yosys is missing.
    """
    stamp = compared(
        Stamp(report["circuit"], report["rtl"], report.get("stale", "")),
        lambda: today(kind, report),
        report["revision"],
        progress=progress,
    )
    kept = report | {"circuit": stamp.circuit, "rtl": stamp.text, "stale": stamp.stale}
    return {name: value for name, value in kept.items() if name != "stale" or value}
