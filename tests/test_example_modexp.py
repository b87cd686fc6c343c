# SPDX-License-Identifier: Apache-2.0
"""The exponentiator that examples/ composes by hand passes the tools that read SystemVerilog."""

from __future__ import annotations

from modfab.filelists import listed_files
from modfab.paths import rtl_dir
from modfab.sim.verilate import verilator_root
from tests.eda import run, yosys

TOP = "modexp_by_hand"
LIST = f"../examples/{TOP}.f"
LIBRARY = ("mul/sos/files.f", "exp/mf_exp_ladder.f", "modexp/files.f")


def test_the_list_is_that_of_engine_sequencer_and_core() -> None:
    assert listed_files(LIST) == (*listed_files(*LIBRARY), f"../examples/{TOP}.sv")


def test_verilator_has_no_warning() -> None:
    verilator = verilator_root() / "bin" / "verilator_bin"
    run(
        [verilator, "--lint-only", "-Wall", "--top-module", TOP, "-f", LIST],
        rtl_dir(),
        VERILATOR_ROOT=str(verilator_root()),
    )


def test_slang_elaborates_it() -> None:
    files = " ".join(f"rtl/{name}" for name in listed_files(LIST)[:-1])
    script = f"read_slang --threads 1 --top {TOP} {files} examples/{TOP}.sv; hierarchy -check; stat"
    assert TOP in yosys(script)
