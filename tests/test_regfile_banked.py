# SPDX-License-Identifier: Apache-2.0
"""Banks of small memories: both bodies behave alike, synthesis makes distributed RAM of them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.catalog import Engine, get_engine
from modfab.models.engine import SLOT_FREE, SLOT_MOD, Command, Op
from modfab.numbers import to_words
from modfab.paths import rtl_dir
from modfab.sim.engine import RtlEngine
from tests.support.eda import yosys

A, B = SLOT_FREE, SLOT_FREE + 1
BANKS = rtl_dir() / "common" / "mf_regfile_1w2r_banked.sv"


def with_instances(engine: Engine, folder: Path) -> Engine:
    """The engine with the banks that synthesis sees, a memory each, for simulation too."""
    text = BANKS.read_text()
    assert text.count("`ifdef VERILATOR") == 1
    other = folder / BANKS.name
    other.write_text(text.replace("`ifdef VERILATOR", "`ifdef MF_NEVER"))
    files = tuple(str(other) if name.endswith(BANKS.name) else name for name in engine.files)
    assert str(other) in files
    return replace(engine, files=files)


def test_instances_simulate_as_the_loop_does(rng: random.Random, tmp_path: Path) -> None:
    engine = get_engine("systolic")
    params = engine.resolve(33, {"RadixBits": 2})
    modulus = rng.getrandbits(33) | 1 << 32 | 1
    a, b = rng.randrange(modulus), rng.randrange(modulus)
    program = [
        Command(Op.LOAD, dst0=SLOT_MOD, words=tuple(to_words(modulus, 2))),
        Command(Op.SETUP),
        Command(Op.LOAD, dst0=A, words=tuple(to_words(a, 2))),
        Command(Op.LOAD, dst0=B, words=tuple(to_words(b, 2))),
        Command(Op.MUL2, dst0=A, a0=A, b=B, dst1=B, a1=B),
        Command(Op.STORE, a0=A),
        Command(Op.STORE, a0=B),
    ]
    runs = []
    for chosen in (engine, with_instances(engine, tmp_path)):
        rtl = RtlEngine(chosen, params)
        runs.append(rtl.run_all(program).results)
        rtl.close()
    assert runs[0] == runs[1]
    assert runs[0][-2].words == tuple(to_words(a * b % modulus, 2))
    assert runs[0][-1].words == tuple(to_words(b * b % modulus, 2))


@pytest.mark.parametrize(
    ("command", "cell", "number"),
    [("synth_ecp5", "TRELLIS_DPR16X4", 6), ("synth_xilinx -family xc7", "RAM32M", 6)],
)
def test_a_bank_is_distributed_ram(command: str, cell: str, number: int) -> None:
    """Two reads are two copies."""
    files = "rtl/common/mf_regfile_1w2r.sv rtl/common/mf_regfile_1w2r_banked.sv"
    yosys(
        f"read_slang --threads 1 --top mf_regfile_1w2r_banked -G NumBanks=3 -G Depth=9 {files}; "
        f"{command}; select -assert-count {number} t:{cell}; select -assert-none t:*FF* t:FD*"
    )
