# SPDX-License-Identifier: Apache-2.0
"""A bitstream: a board's top synthesized, placed, routed and packed; its timing has to be met."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from modfab.build.board_top import TOP, board_texts, link_of
from modfab.build.boards import Board, Pll
from modfab.build.core import Core
from modfab.errors import ToolError
from modfab.flow.area import area_of
from modfab.flow.record import DEFAULT_ROUTER, ROUTERS, check_router
from modfab.flow.route import routing_of
from modfab.flow.synth import APART, FLIP_FLOP, LUT_MULTIPLIER, SPLIT_ALU, check_capacity, mapping
from modfab.flow.targets import Target, get_target
from modfab.flow.tools import Job, Progress, find_tool, num_threads, run_job
from modfab.flow.warnings import run_yosys

NETLIST, CONSTRAINTS, TEXTUAL = "board.json", "board.lpf", "board.config"
_REPORT = "report.json"
LIMIT_S = 7200.0
"""Seconds for one run of a tool, unless another limit is given."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How a bitstream is made.

    Attributes:
        seeds: Seeds of the placer, tried in turn until the frequency is met.
        limit_s: Seconds after which one run of a tool is stopped.
        router: nextpnr's router.
    """

    seeds: tuple[int, ...] = (1,)
    limit_s: float = LIMIT_S
    router: str = DEFAULT_ROUTER


@dataclass(frozen=True, slots=True)
class Bitstream:
    """Outcome of a build.

    Attributes:
        path: The file to load.
        mhz: Frequency that the routed design reaches.
        wanted_mhz: The PLL's frequency.
        seed: Of the placer.
        used: Resource -> number used.
        critical: The critical path in words.
        tools: Name -> version.
    """

    path: Path
    mhz: float
    wanted_mhz: float
    seed: int
    used: dict[str, int]
    critical: str
    tools: dict[str, str]

    @property
    def margin(self) -> float:
        """How much faster than wanted, as a fraction of what is wanted."""
        return self.mhz / self.wanted_mhz - 1


def build_bitstream(
    board: Board, core: Core, pll: Pll, folder: Path, options: BuildOptions, progress: Progress
) -> Bitstream:
    """Make a board's bitstream in an existing folder, which keeps sources, netlist and logs.

    Args:
        board, core: What is built for what.
        pll: Makes the core's clock.
        folder: Where.
        options: How.
        progress: Told of the stages.

    Raises:
        UsageError: There is no such router.
        ToolError: A tool is missing or failed, the design does not fit, or no seed met the
            frequency; then there is no bitstream.
    """
    check_router(options.router)
    target = get_target(board.target)
    work = folder / "work"
    work.mkdir()
    _synthesize(board, core, pll, target, work, options, progress)
    reached = []
    for seed in options.seeds:
        mhz, used, critical = _route(board, pll, work, seed, options, progress)
        reached.append(mhz)
        if mhz >= pll.mhz:
            path = _pack(work, options, progress).replace(folder / f"{board.name}.bit")
            tools = {name: find_tool(name).version for name in ("yosys", "nextpnr-ecp5", "ecppack")}
            return Bitstream(path, mhz, pll.mhz, seed, used, critical, tools)
    shown = ", ".join(f"{mhz:.1f}" for mhz in reached)
    raise ToolError(
        f"The design reached {shown} MHz after routing, but {pll.mhz:g} MHz were wanted; choose a "
        f"lower --mhz or more --seeds. The critical path is in {work / _REPORT}."
    )


def _synthesize(
    board: Board,
    core: Core,
    pll: Pll,
    target: Target,
    folder: Path,
    options: BuildOptions,
    progress: Progress,
) -> None:
    texts = board_texts(core, pll, link_of(board, pll), target.vendor, board.panel)
    for name, text in texts.items():
        (folder / name).write_text(text)
    for rule in (SPLIT_ALU, LUT_MULTIPLIER, FLIP_FLOP):
        (folder / rule.name).write_text(rule.read_text())
    apart = [modules for file, modules in APART.items() if file in texts]
    keep = " --keep-hierarchy" if apart else ""
    steps = [
        f"read_slang --threads 1{keep} --top {TOP} {' '.join(texts)}",
        f"hierarchy -check -top {TOP}",
        "chformal -remove",
        *([] if apart else ["flatten -noscopeinfo"]),
        *mapping(target, TOP, apart=apart),
        "delete t:$scopeinfo",
        "check -assert",
        "tee -o stat.json stat -json",
        f"write_json {NETLIST}",
    ]
    (folder / "synth.ys").write_text("\n".join(steps) + "\n")
    arguments = ["-Q", "-T", "-l", "yosys.log", "-s", "synth.ys"]
    what = f"Yosys, synthesis for {board.name}"
    run_yosys(
        Job(find_tool("yosys"), arguments, folder, "yosys.log", what, options.limit_s), progress
    )
    counts = json.loads((folder / "stat.json").read_text())["design"]["num_cells_by_type"]
    check_capacity(area_of({name: int(count) for name, count in counts.items()}), target)


def _route(
    board: Board, pll: Pll, folder: Path, seed: int, options: BuildOptions, progress: Progress
) -> tuple[float, dict[str, int], str]:
    (folder / CONSTRAINTS).write_text(board.constraints())
    log = f"nextpnr_{seed}.log"
    arguments = [*board.route, "--json", NETLIST, "--top", TOP, "--lpf", CONSTRAINTS]
    arguments += ["--seed", str(seed), "--freq", f"{pll.mhz:g}", "--timing-allow-fail"]
    arguments += ["--textcfg", TEXTUAL, "--report", _REPORT, "-l", log, "-q"]
    arguments += ROUTERS[options.router]
    tool = find_tool("nextpnr-ecp5")
    if tool.native:
        arguments += ["--threads", str(num_threads())]
    what = f"nextpnr, {board.name}, seed {seed}"
    for name in (_REPORT, TEXTUAL):
        (folder / name).unlink(missing_ok=True)  # that of another seed is no answer
    run_job(Job(tool, arguments, folder, log, what, options.limit_s), progress)
    try:
        report = json.loads((folder / _REPORT).read_text())
        # The oscillator's own net ends at the PLL: the slowest of what is left is the core's clock.
        found = routing_of(report, 0.0)
    except (OSError, ValueError, KeyError) as error:
        raise ToolError(
            f"nextpnr ended without the report that the flow expects in {folder / _REPORT} "
            f"({error}); look into {folder / log}.",
            folder / log,
        ) from error
    return found.mhz, found.used, found.path.describe({}, TOP)


def _pack(folder: Path, options: BuildOptions, progress: Progress) -> Path:
    path = folder / f"{TOP}.bit"
    arguments = ["--compress", "--input", TEXTUAL, "--bit", path.name]
    job = Job(find_tool("ecppack"), arguments, folder, "ecppack.log", "ecppack", options.limit_s)
    run_job(job, progress)
    if not path.is_file():
        text = f"ecppack ended without a bitstream; its log is {job.print_path}."
        raise ToolError(text, job.print_path)
    return path
