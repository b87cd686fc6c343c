# SPDX-License-Identifier: Apache-2.0
"""Multipliers built from LUTs compute what the cell computes, at the same cycle."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import pytest

from modfab.build.core import engine_core
from modfab.errors import UsageError
from modfab.flow.design import Design
from modfab.flow.measure import Options, measure
from modfab.flow.store import Store
from modfab.flow.synth import LUT_MULTIPLIER
from modfab.flow.tools import Job, find_tool
from modfab.paths import rtl_dir
from tests.support.kept_jobs import kept_job

REGISTERS = ("REG_INPUTA_CLK", "REG_INPUTB_CLK", "REG_PIPELINE_CLK", "REG_OUTPUT_CLK")
NO_LIMIT_S = math.inf
CORNERS = (0, 1, 2, (1 << 17) - 1, 1 << 17, 0x15555, 0x2AAAA, (1 << 18) - 1)


def _cell(registers: tuple[str, ...]) -> str:
    """A module with one multiplier cell."""
    settings = "".join(f'.{name}("CLK0"), ' for name in registers)
    pins = ", ".join(
        f".{name.upper()}{i}({name}[{i}])"
        for name, width in (("a", 18), ("b", 18), ("p", 36))
        for i in range(width)
    )
    return f"""
module one (input clk, en, input [17:0] a, b, output [35:0] p);
  MULT18X18D #({settings}.REG_INPUTB_CE("CE1"), .GSR("DISABLED"), .RESETMODE("SYNC")) u_cell (
    .CLK0(clk), .CE0(1'b1), .CE1(en), .RST0(1'b0), .SIGNEDA(1'b0), .SIGNEDB(1'b0),
    .SOURCEA(1'b0), .SOURCEB(1'b0), {pins}
  );
endmodule
"""


def _yosys(folder: Path, steps: list[str]) -> str:
    (folder / "steps.ys").write_text("\n".join(steps) + "\n")
    arguments = ["-l", "yosys.log", "-s", "steps.ys"]
    kept_job(Job(find_tool("yosys"), arguments, folder, "yosys.log", "Yosys", NO_LIMIT_S))
    return (folder / "yosys.log").read_text()


def _mapped(folder: Path, registers: tuple[str, ...]) -> list[str]:
    """Steps that build the multiplier from carry cells, and these from gates."""
    (folder / "one.v").write_text(_cell(registers))
    (folder / LUT_MULTIPLIER.name).write_text(LUT_MULTIPLIER.read_text())
    return [
        "read_verilog one.v",
        "read_verilog -lib +/ecp5/cells_sim.v +/ecp5/cells_bb.v",
        "hierarchy -check -top one",
        f"techmap -map {LUT_MULTIPLIER.name} t:MULT18X18D",
        "select -assert-none t:MULT18X18D",
        "read_verilog -overwrite +/ecp5/cells_sim.v",
        "hierarchy -top one",
        "proc",
        "flatten",
        "techmap -autoproc t:$alu",
        "opt",
    ]


def test_products(tmp_path: Path) -> None:
    seed = random.getrandbits(32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    pairs = [(a, b) for a in CORNERS for b in CORNERS]
    pairs += [(rng.getrandbits(18), rng.getrandbits(18)) for _ in range(40)]
    steps = _mapped(tmp_path, ())
    steps += [f"eval -set a {a} -set b {b} -show p" for a, b in pairs]
    found = re.findall(r"Eval result: \\p = 36'([01]+)\.", _yosys(tmp_path, steps))
    assert [int(value, 2) for value in found] == [a * b for a, b in pairs]


@pytest.mark.parametrize("registers", [REGISTERS, REGISTERS[:2] + REGISTERS[3:], REGISTERS[1:2]])
def test_registers(tmp_path: Path, registers: tuple[str, ...]) -> None:
    """As the simulation model in every cycle, with an operand b of one bit that may be held."""
    (tmp_path / "cell.sv").write_text(
        (rtl_dir() / "prim/ecp5/MULT18X18D.sv").read_text().replace("(* blackbox *)", "")
        + _cell(registers)
    )
    steps = ["read_slang --threads 1 --top one cell.sv", "prep -flatten -top one"]
    steps += ["design -stash gold", *_mapped(tmp_path, registers), "design -stash gate"]
    steps += [f"design -copy-from {name} -as {name} one" for name in ("gold", "gate")]
    steps += ["miter -equiv -flatten gold gate miter", "hierarchy -top miter"]
    latency = 1 + len(set(registers) - {REGISTERS[1]})
    first = "-set-at 1 in_en 1"
    for bit in (0, 9, 17):
        proof = f"-seq {latency + 3} -prove-skip {latency} -prove trigger 0 {first}"
        steps.append(f"sat -verify {proof} -set in_b {1 << bit} miter")
    assert _yosys(tmp_path, steps).count("SAT proof finished - no model found: SUCCESS!") == 3


def test_only_the_array_keeps_its_multipliers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    store = Store(tmp_path / "results.sqlite")
    design = Design(engine_core("qp_systolic", 64, overrides={"NumElements": 1}))
    usual = measure(design, "ecp5-25k", None, store).synthesis
    fewer = measure(design, "ecp5-25k", Options(lut_multipliers=True), store).synthesis
    # Two in the element, and one in the serial unit, which is what the option is for.
    assert (usual.area["multipliers"], fewer.area["multipliers"]) == (3, 2)
    assert fewer.area["lut"] > usual.area["lut"] + 250
    assert fewer.request.key != usual.request.key
    with pytest.raises(UsageError, match="xc7 was given; leave --lut-multipliers out"):
        measure(design, "xc7", Options(lut_multipliers=True), store)
    other = Design(engine_core("bit_serial", 16))
    with pytest.raises(UsageError, match="bit_serial has no multipliers beside"):
        measure(other, "ecp5-25k", Options(lut_multipliers=True), store)
