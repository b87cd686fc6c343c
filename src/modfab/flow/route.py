# SPDX-License-Identifier: Apache-2.0
"""Place and route with nextpnr: frequency, utilisation and the critical path."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from modfab.errors import ToolError
from modfab.flow.critical_path import CriticalPath, path_of
from modfab.flow.floorplan import floorplan_svg, tiles_of
from modfab.flow.record import DEFAULT_ROUTER, DEFAULT_TIMING_WEIGHT, ROUTERS
from modfab.flow.synth import NETLIST
from modfab.flow.targets import Target
from modfab.flow.tools import Job, Progress, find_tool, num_threads, run_job
from modfab.flow.wrapper import TOP

Lock = Callable[[Path, Path, str, Target], object]
"""Copies a netlist (first path) and gives cells of this module sites of the device."""

DEFAULT_FREQ_MHZ = 200.0
"""Frequency the router is asked for; it tries hardest near its goal."""


@dataclass(frozen=True, slots=True)
class Routing:
    """Outcome of one place and route.

    Attributes:
        mhz: Frequency after routing.
        used: Resource -> number used, of the whole wrapped design.
        path: The critical path.
        seconds: Run time.
    """

    mhz: float
    used: dict[str, int]
    path: CriticalPath
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Plain data for the store, without the run's own files."""
        data = asdict(self)
        del data["seconds"]
        return data


def _report(path: Path) -> dict[str, Any]:
    try:
        report = json.loads(path.read_text())
        if not (report["fmax"] and report["utilization"]):
            raise ValueError("no clock or no utilisation in it")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ToolError(
            f"nextpnr ended without the report that the flow expects in {path} ({error}); look "
            f"into the log beside it."
        ) from error
    return dict(report)


def route(
    target: Target,
    folder: Path,
    *,
    seed: int,
    run: str = "",
    top: str = TOP,
    freq_mhz: float = DEFAULT_FREQ_MHZ,
    router: str = DEFAULT_ROUTER,
    timing_weight: int = DEFAULT_TIMING_WEIGHT,
    lock: Lock | None = None,
    limit_s: float = 3600,
    progress: Progress,
) -> Routing:
    """Place and route the netlist that synthesis left in the folder.

    Args:
        target: A target with an open router.
        folder: Holds the netlist; report, floorplan and log of each run are kept there.
        seed: Of the placer's random numbers.
        run: End of the names of these files; the seed when empty.
        top: Module of the netlist.
        freq_mhz: Frequency asked for.
        router: nextpnr's router, one of `record.ROUTERS`.
        timing_weight: The placer's weight of timing against wire length.
        lock: What gives cells of the netlist their sites; None for none.
        limit_s: Seconds after which nextpnr is stopped.
        progress: Told of the stages.

    Raises:
        ToolError: nextpnr is missing, failed, did not end, or the design does not fit.
    """
    run = run or str(seed)
    report, placed, log = folder / f"report_{run}.json", f"placed_{run}.json", f"nextpnr_{run}.log"
    netlist = f"locked_{run}.json" if lock else NETLIST
    arguments = [*target.route, "--json", netlist, "--top", top, "--seed", str(seed)]
    arguments += ["--freq", f"{freq_mhz:g}", "--timing-allow-fail", "--lpf-allow-unconstrained"]
    arguments += [*ROUTERS[router], "--placer-heap-timingweight", str(timing_weight)]
    arguments += ["--report", report.name, "--write", placed, "-l", log, "-q"]
    tool = find_tool("nextpnr-ecp5")
    if tool.native:
        arguments += ["--threads", str(num_threads())]
    what = f"nextpnr, {target.name}, seed {seed}"
    job = Job(tool, arguments, folder, log, what, limit_s)
    report.unlink(missing_ok=True)  # that of an earlier run is no answer
    try:
        if lock:
            lock(folder / NETLIST, folder / netlist, top, target)
        seconds = run_job(job, progress)
        routing = routing_of(_report(report), seconds)
        title = f"{target.title}, seed {seed}, {routing.mhz:g} MHz"
        svg = floorplan_svg(tiles_of(folder / placed), title)
        (folder / f"floorplan_{run}.svg").write_text(svg)
    finally:  # both are as large as the netlist
        (folder / placed).unlink(missing_ok=True)
        if lock:
            (folder / netlist).unlink(missing_ok=True)
    return routing


def routing_of(report: dict[str, Any], seconds: float) -> Routing:
    """What nextpnr's report says."""
    clock, fmax = min(report["fmax"].items(), key=lambda item: float(item[1]["achieved"]))
    used = {name: int(entry["used"]) for name, entry in sorted(report["utilization"].items())}
    return Routing(
        mhz=round(float(fmax["achieved"]), 2),
        used={name: number for name, number in used.items() if number},
        path=path_of(report["critical_paths"], clock),
        seconds=seconds,
    )
