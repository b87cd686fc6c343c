# SPDX-License-Identifier: Apache-2.0
"""Every rule of the engine contract's assertions is broken once, and that rule says so."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.catalog import Engine, get_engine
from modfab.errors import DeviceError
from modfab.models.engine import SLOT_MOD, Command, Op
from modfab.paths import rtl_dir
from modfab.sim.engine import RtlEngine
from modfab.sim.verilate import verilator_root
from tests.support.eda import run

HERE = Path(__file__).parent
CONTRACT = rtl_dir() / "tb" / "mf_mul_contract.sv"
FILES = [
    rtl_dir() / "mf_pkg.sv",
    HERE / "mf_rules_pkg.sv",
    CONTRACT,
    HERE / "mf_test_toy_engine.sv",
    HERE / "mf_test_contract_rules.sv",
]
RULES = re.findall(r"`MF_ASSERT\((\w+),", CONTRACT.read_text())
TOP = "mf_test_contract_rules"
MAIN = f"""
#include "V{TOP}.h"
#include "verilated.h"
int main(int argc, char** argv) {{
  VerilatedContext context;
  context.commandArgs(argc, argv);
  V{TOP} top(&context);
  while (!context.gotFinish()) {{
    top.clk_i = !top.clk_i;
    top.eval();
    context.timeInc(5);
  }}
  top.final();
}}
"""


def broken(engine: Engine, folder: Path, good: str, bad: str) -> Engine:
    """The engine with other text in its top."""
    path = rtl_dir() / engine.files[-1]
    assert path.read_text().count(good) == 1
    other = folder / path.name
    other.write_text(path.read_text().replace(good, bad))
    return replace(engine, files=(*engine.files[:-1], str(other)))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rules")
    (folder / "main.cpp").write_text(MAIN)
    root = verilator_root()
    words: list[str | Path] = [root / "bin" / "verilator_bin", "--cc", "--exe", "--build"]
    words += ["--assert", "-Wall", "--top-module", TOP]
    words += [f"-I{rtl_dir() / 'include'}", "--MAKEFLAGS"]
    words += ["VM_PARALLEL_BUILDS=0 OPT_FAST=-O0", "main.cpp", *FILES]
    run(words, folder, VERILATOR_ROOT=str(root))
    return folder / "obj_dir" / f"V{TOP}"


def test_stimulus_knows_every_rule() -> None:
    listed = re.search(r"None,(.*?)\}", (HERE / "mf_rules_pkg.sv").read_text(), re.DOTALL)
    assert listed
    assert re.findall(r"\w+", listed[1]) == RULES


def test_nothing_is_said_when_no_rule_is_broken(bench: Path) -> None:
    assert "no rule was broken" in run([bench])


@pytest.mark.parametrize("rule", RULES)
def test_broken_rule_is_named(bench: Path, rule: str) -> None:
    words: list[str | Path] = [bench, f"+break={RULES.index(rule) + 1}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert re.findall(r"Assertion failed in \S+\.u_contract\.(\w+)", said) == [rule]


def test_simulated_engine_that_breaks_a_rule_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    good = "assign out_data_o  = x_q[31:0];"
    bad = "assign out_data_o  = x_q[31:0] ^ 32'(out_ready_i);"
    engine = broken(get_engine("bit_serial"), tmp_path, good, bad)
    rtl = RtlEngine(engine, engine.resolve(32))
    load = Command(Op.LOAD, dst0=SLOT_MOD, words=(7,))
    rtl.run_all([load, Command(Op.SETUP)])
    with pytest.raises(DeviceError, match=r"rule of the engine contract is broken .* bit_serial"):
        rtl.run_all([Command(Op.STORE, a0=0)] * 9, stall_seed=1)
    rtl.close()
    assert ".OutputIsHeld" in capfd.readouterr().out
