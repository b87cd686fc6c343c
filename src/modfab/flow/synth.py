# SPDX-License-Identifier: Apache-2.0
"""Synthesis with Yosys: a netlist for the router, and the area without the wrapper."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from modfab.errors import ToolError, UsageError
from modfab.flow.area import Area, area_of
from modfab.flow.design import Design
from modfab.flow.elaborate import ports_of
from modfab.flow.record import DEFAULT_PIECE_BITS, DEFAULT_WIRE_PS
from modfab.flow.targets import Target
from modfab.flow.tools import Job, Progress, find_tool
from modfab.flow.warnings import run_yosys
from modfab.flow.wrapper import TOP, stub_text, wrapper_text

NETLIST = "netlist.json"
_PART = "netlist.part"
"""What is written, until it is whole: a run that is interrupted keeps the netlist of before."""
WRAPPER, STUB = f"{TOP}.v", "mf_stub.v"
SPLIT_ALU = Path(__file__).parent / "mf_split_alu.v"
"""Mapping rule for adders that are longer than a device's carry chains."""
LUT_MULTIPLIER = Path(__file__).parent / "mf_lut_multiplier.v"
"""Mapping rule for multipliers that are built from LUTs."""
_DELAYS = "sta.txt"
FLIP_FLOP = Path(__file__).parent / "mf_flow_flip_flop.v"
"""Delays for the flip-flops, for which Yosys has none."""


@dataclass(frozen=True, slots=True)
class Synthesis:
    """Outcome of a synthesis.

    Attributes:
        total, wrapper: Area with the wrapper, and of the wrapper alone.
        seconds: What it took.
        logic_ns: Longest path between flip-flops through LUTs and carry cells, these alone: no
            routing, no flip-flop, not through memory; None where the delays are not known.
    """

    total: Area
    wrapper: Area
    seconds: float
    logic_ns: float | None = None

    @property
    def area(self) -> Area:
        """The design's own area."""
        return self.total.minus(self.wrapper)


@dataclass(frozen=True, slots=True)
class Mapping:
    """Choices when a design is mapped to an ecp5 target.

    Attributes:
        no_enables: Build clock enables from multiplexers, so that no enable net limits the
            frequency.
        min_set: Build clock enables and resets of fewer flip-flops from LUTs, which place sooner.
        hard: Yosys pattern of the multipliers that stay cells while the others become LUTs; empty:
            all stay.
        piece_bits: Bits of a piece of an adder that is longer than the target's carry chains.
        wire_ps: Delay of a wire, in picoseconds, for the mapping to LUTs. A crowded device has long
            ones; then it pays to have fewer LUTs one behind the other.
    """

    no_enables: bool = False
    min_set: int = 0
    hard: str = ""
    piece_bits: int = DEFAULT_PIECE_BITS
    wire_ps: int = DEFAULT_WIRE_PS


USUAL = Mapping()

_PLAIN = "-cell $_DFF_?_ 01 -cell $_DFF_?P?_ r -cell $_SDFF_?P?_ r"
_ENABLED = "-cell $_DFFE_??_ 01 -cell $_DFFE_?P??_ r -cell $_SDFFE_?P??_ r"
"""Flip-flops of ECP5, as `dfflegalize` takes them."""
APART = {"mf_regfile_1w2r_banked.sv": "mf_regfile_1w2r*", "mf_fanout_reg.sv": "mf_fanout_reg*"}
"""File of a design -> modules that stay apart until memories are mapped. Yosys' time for a memory
grows with its module; and it takes a read address' register into the memory, copies and all."""


def write_design(design: Design, target: Target, folder: Path) -> list[str]:
    """Write a design's RTL, its wrapper and an empty box with its ports into a folder.

    Returns:
        The names of the RTL's files, packages first.
    """
    texts, ports = design.rtl(target.vendor), ports_of(design, target.vendor)
    wrapped = {WRAPPER: wrapper_text(design.top, ports), STUB: stub_text(design.top, ports)}
    for name, text in (texts | wrapped).items():
        (folder / name).write_text(text)
    for rule in (SPLIT_ALU, LUT_MULTIPLIER, FLIP_FLOP):
        (folder / rule.name).write_text(rule.read_text())
    return list(texts)


def read_design(top: str, names: Sequence[str], keep_hierarchy: bool) -> list[str]:
    """Yosys commands that read what `write_design` wrote, without the empty box."""
    hierarchy = " --keep-hierarchy" if keep_hierarchy else ""
    return [
        f"read_slang --threads 1{hierarchy} --top {top} {' '.join(names)}",
        f"setattr -mod -unset top {top}",
        f"read_verilog {WRAPPER}",
        f"hierarchy -check -top {TOP}",
        "chformal -remove",
        *([] if keep_hierarchy else ["flatten -noscopeinfo"]),
    ]


def mapping(target: Target, top: str, how: Mapping = USUAL, apart: Sequence[str] = ()) -> list[str]:
    """Yosys commands that map a design to a target; the rule file is expected beside it.

    Args:
        target: The family.
        top: Name of the top module.
        how: Choices.
        apart: Modules that stay apart until memories are mapped; the design still has to have them.
    """
    synth = f"{target.synth}{' -nodffe' if how.no_enables else ''} -top {top}"
    before, steps = [], []
    if apart:
        before = [f"setattr -mod -set keep_hierarchy 1 {' '.join(apart)}"]
        steps = [f"setattr -mod -unset keep_hierarchy {' '.join(apart)}", "flatten", "opt_clean"]
    if how.hard:
        others = f"t:MULT18X18D */{how.hard} %d"
        steps += [f"techmap -map {LUT_MULTIPLIER.name} {others}", "opt_clean"]
    if target.chain_bits:
        # Sums of many operands end in such an adder too, but only get one in a later step.
        steps.append(f"maccmap t:$macc* r:Y_WIDTH>{target.chain_bits} %i")
        limits = f"-D LIMIT={target.chain_bits} -D PIECE={how.piece_bits}"
        steps.append(f"techmap {limits} -map {SPLIT_ALU.name} t:$alu")
    if not steps:
        return [synth]
    few = []
    if how.min_set:
        enables = "" if how.no_enables else _ENABLED
        limits = f"-mince {how.min_set} -minsrst {how.min_set}"
        few = [f"{synth} -run map_ffram:map_ffs", f"dfflegalize {_PLAIN} {enables} {limits}"]
    # Here Yosys would name every cell after its neighbours, which takes longer than all the rest in
    # an array of a thousand elements.
    first = "map_ffs" if few else "map_ffram"
    last = [f"{synth} -run {first}:check"]
    if how.wire_ps != DEFAULT_WIRE_PS:
        luts = ["check -latchonly -assert", f"abc9 -W {how.wire_ps}", "clean"]
        last = [f"{synth} -run {first}:map_luts", *luts, f"{synth} -run map_cells:check"]
    last += ["rename -wire"]
    last += ["hierarchy -check", "blackbox =A:whitebox"]
    return [*before, f"{synth} -run begin:map_ffram", *steps, *few, *last]


def _script(target: Target, top: str, names: list[str], how: Mapping) -> str:
    apart = [modules for file, modules in APART.items() if file in names]
    steps = [f"read_verilog {STUB} {WRAPPER}", f"hierarchy -check -top {TOP}"]
    steps += [*mapping(target, TOP), "tee -o stub_stat.json stat -json", "design -reset"]
    steps += [*read_design(top, names, bool(apart)), *mapping(target, TOP, how, apart)]
    # Notes of the hierarchy are cells to Yosys.
    steps += ["delete t:$scopeinfo", "check -assert", "tee -o stat.json stat -json"]
    if target.routable:
        steps.append(f"write_json {_PART}")
    if target.cell_delays:
        # Yosys' sta reads and writes the arrival times of a whole wire for each of its bits.
        steps.append("splitnets")
        steps.append(f"read_verilog -lib -specify {FLIP_FLOP.name}")
        steps.append(f"chtype -set {FLIP_FLOP.stem} t:FD*")
        steps.append(f"read_verilog -lib -specify -overwrite {target.cell_delays}")
        steps.append(f"tee -o {_DELAYS} sta")
    return "\n".join(steps) + "\n"


def _area(path: Path) -> Area:
    try:
        counts = json.loads(path.read_text())["design"]["num_cells_by_type"]
    except (OSError, ValueError, KeyError) as error:
        log = path.parent / "yosys.log"
        raise ToolError(
            f"Yosys ended without the cell counts that the flow expects in {path} ({error!r}); "
            f"its log is {log}.",
            log,
        ) from error
    return area_of({name: int(number) for name, number in counts.items()})


def _logic_ns(path: Path) -> float:
    text = path.read_text() if path.is_file() else ""
    found = re.search(r"^Latest arrival time in '\S+' is (\d+):", text, re.MULTILINE)
    if found is None:
        log = path.parent / "yosys.log"
        raise ToolError(
            f"Yosys ended without the longest path that the flow expects in {path}; its log is "
            f"{log}.",
            log,
        )
    return int(found[1]) / 1000


def check_mapping(target: Target, how: Mapping, no_enables: bool | None = None) -> None:
    """Refuse a choice that the family does not have.

    Args:
        target: The device.
        how: The mapping.
        no_enables: What was asked for; None where nothing was.

    Raises:
        UsageError: The target has no such choice; names the option.
    """
    options = {
        "--no-enables": how.no_enables,
        "--enables": no_enables is False,
        "--min-set": how.min_set,
        "--lut-multipliers": how.hard,
        "--piece-bits": how.piece_bits != DEFAULT_PIECE_BITS,
        "--wire-delay": how.wire_ps != DEFAULT_WIRE_PS,
    }
    for option, given in options.items():
        if given and not target.routable:
            raise UsageError(
                f"How enables, multipliers and long adders are mapped can be chosen for the ecp5 "
                f"targets, but {target.name} was given; leave {option} out."
            )


def synthesize(
    design: Design,
    target: Target,
    folder: Path,
    *,
    how: Mapping = USUAL,
    limit_s: float = 3600,
    progress: Progress,
) -> Synthesis:
    """Synthesize a design inside its measurement wrapper.

    Args:
        design: What to measure.
        target: For which family.
        folder: An existing folder; sources, netlist and log are kept there.
        how: Choices; for ecp5 targets.
        limit_s: Seconds after which Yosys is stopped.
        progress: Told of the stages.

    Raises:
        ToolError: Yosys is missing, failed, warned or did not end.
        UsageError: An option is given that the family does not have.
    """
    check_mapping(target, how)
    names = write_design(design, target, folder)
    (folder / "synth.ys").write_text(_script(target, design.top, names, how))
    what = f"Yosys, synthesis for {target.name}"
    arguments = ["-Q", "-T", "-l", "yosys.log", "-s", "synth.ys"]
    job = Job(find_tool("yosys"), arguments, folder, "yosys.log", what, limit_s)
    seconds = run_yosys(job, progress)
    if target.routable:
        (folder / _PART).replace(folder / NETLIST)
    wrapper, total = _area(folder / "stub_stat.json"), _area(folder / "stat.json")
    logic_ns = _logic_ns(folder / _DELAYS) if target.cell_delays else None
    return Synthesis(total, wrapper, seconds, logic_ns)


def check_capacity(area: Area, target: Target) -> None:
    """Raise ToolError when a resource is used up before placing; names the resource."""
    used = {"LUT4": area.lut, "DP16KD": area.block_rams, "MULT18X18D": area.multipliers}
    for cell, available in target.capacity.items():
        if used[cell] > available:
            raise ToolError(
                f"The design does not fit: it needs {used[cell]} {cell}, and {target.title} has "
                f"{available}; choose a larger target or smaller parameters."
            )
