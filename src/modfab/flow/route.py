# SPDX-License-Identifier: Apache-2.0
"""Place and route with nextpnr: frequency, utilisation and the critical path."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from modfab.errors import ToolError
from modfab.flow.apart import Layout, Netlist, Sites, without_cores
from modfab.flow.apart_place import BIND, check_python, place
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
    top: str = TOP,
    freq_mhz: float = DEFAULT_FREQ_MHZ,
    router: str = DEFAULT_ROUTER,
    timing_weight: int = DEFAULT_TIMING_WEIGHT,
    lock: Lock | None = None,
    layout: Layout | None = None,
    limit_s: float = 3600,
    progress: Progress,
) -> Routing:
    """Place and route the netlist that synthesis left in the folder.

    Args:
        target: A target with an open router.
        folder: Holds the netlist; report, floorplan and log of each seed are kept there.
        seed: Of the placer's random numbers.
        top: Module of the netlist.
        freq_mhz: Frequency asked for.
        router: nextpnr's router, one of `record.ROUTERS`.
        timing_weight: The placer's weight of timing against wire length.
        lock: What gives cells of the netlist their sites; None for none.
        layout: Where the cores of a farm go that are placed apart; None for all other designs.
        limit_s: Seconds after which nextpnr is stopped.
        progress: Told of the stages.

    Raises:
        ToolError: nextpnr is missing, failed, did not end, or the design does not fit.
    """
    report, placed = f"report_{seed}.json", folder / f"placed_{seed}.json"
    nextpnr = _Nextpnr(target, folder, top, seed, freq_mhz, timing_weight, limit_s, progress)
    netlist, options = NETLIST, [*ROUTERS[router], "--report", report]
    if layout or lock:
        netlist = f"locked_{seed}.json"
    try:
        if layout:
            options += nextpnr.apart(layout, lock, netlist)
        elif lock:
            lock(folder / NETLIST, folder / netlist, top, target)
        seconds = nextpnr.run(netlist, placed.name, options)
    finally:
        if netlist != NETLIST:
            (folder / netlist).unlink(missing_ok=True)
    routing = routing_of(_report(folder / report), seconds)
    title = f"{target.title}, seed {seed}, {routing.mhz:g} MHz"
    (folder / f"floorplan_{seed}.svg").write_text(floorplan_svg(tiles_of(placed), title))
    placed.unlink()
    return routing


@dataclass(frozen=True, slots=True)
class _Nextpnr:
    """nextpnr with what one seed has in common for all of its runs."""

    target: Target
    folder: Path
    top: str
    seed: int
    freq_mhz: float
    timing_weight: int
    limit_s: float
    progress: Progress

    def run(
        self,
        netlist: str,
        written: str,
        options: Sequence[str],
        log: str = "nextpnr",
        what: str = "",
    ) -> float:
        """Run it on a netlist in the folder; returns the seconds."""
        tool, log = find_tool("nextpnr-ecp5"), f"{log}_{self.seed}.log"
        arguments = [*self.target.route, "--json", netlist, "--top", self.top]
        arguments += ["--seed", str(self.seed), "--freq", f"{self.freq_mhz:g}"]
        arguments += ["--timing-allow-fail", "--lpf-allow-unconstrained"]
        arguments += ["--placer-heap-timingweight", str(self.timing_weight)]
        arguments += [*options, "--write", written, "-l", log, "-q"]
        if tool.native:
            arguments += ["--threads", str(num_threads())]
        name = f"nextpnr, {self.target.name}, seed {self.seed}{what}"
        return run_job(Job(tool, arguments, self.folder, log, name, self.limit_s), self.progress)

    def apart(self, layout: Layout, lock: Lock | None, netlist: str) -> list[str]:
        """Write the netlist of a farm and place its cores apart.

        Args:
            layout: Where the cores go.
            lock: What gives cells of a core their sites; None for none.
            netlist: The file.

        Returns:
            The options with which nextpnr takes these places.
        """
        check_python()
        data, path = json.loads((self.folder / NETLIST).read_text()), self.folder / netlist
        locked = []
        for core, part in enumerate(layout.parts):
            alone = without_cores(data, self.top, (core,))
            path.write_text(json.dumps(alone))
            if lock:
                lock(path, path, self.top, part.of(self.target))
                alone = json.loads(path.read_text())
            cells = alone["modules"][self.top]["cells"]
            bels = {name: cell["attributes"].get("BEL") for name, cell in cells.items()}
            locked.append({name: bel for name, bel in bels.items() if bel})
        sites = place(data, self.top, layout, locked, self._part)
        path.write_text(json.dumps(data))
        return self._bind(sites, "all")

    def _bind(self, sites: Sites, name: str) -> list[str]:
        """Options with which cells get these sites before the others are placed."""
        script = self.folder / f"{name}_{self.seed}.py"
        script.write_text(BIND.format(sites=f"{name}_{self.seed}.sites.json"))
        (self.folder / f"{name}_{self.seed}.sites.json").write_text(json.dumps(sites))
        return ["--pre-place", script.name]

    def _part(self, what: str, netlist: Netlist, sites: Sites, options: Sequence[str]) -> Netlist:
        given, written = (self.folder / f"part_{kind}_{self.seed}.json" for kind in ("in", "out"))
        given.write_text(json.dumps(netlist))
        try:
            options = [*options, *(self._bind(sites, "part") if sites else [])]
            self.run(given.name, written.name, options, "nextpnr_part", f", {what}")
            return dict(json.loads(written.read_text()))
        finally:
            for path in (given, written):
                path.unlink(missing_ok=True)


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
