# SPDX-License-Identifier: Apache-2.0
"""Reset and zeroize leave the same state after any secret (rtl/mul/README.md)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from modfab.catalog import ENGINES, Engine, Params, get_engine
from modfab.models.engine import SLOT_MOD, Command, Op
from modfab.numbers import to_words
from modfab.sim.engine import RtlEngine, Stop
from tests.contract.bench import A, B, C, D
from tests.support.vcd import last_registers

BITS, WORDS = 40, 2
WIPED: tuple[tuple[str, Params], ...] = (
    ("sos36", {}),
    ("booth16", {}),
    ("systolic", {"RadixBits": 1, "ElementBits": 4}),
    ("sos", {}),
    ("mul_mod", {"NumLanes": 2}),
    ("mod_product", {"NumLanes": 2}),
    ("bit_serial", {"BitsPerClock": 4}),
    ("redundant_mul", {"PipelineStages": 3}),
    ("redundant_lut", {"DigitBits": 5}),
    ("redundant_lut", {"DigitBits": 12}),
    ("qp_systolic", {}),
    ("qp_systolic", {"Contexts": 1, "QuotientTables": 1}),
    ("qp_systolic", {"Contexts": 1, "NumElements": 2}),
)
"""Engines and their parameters."""


def test_every_engine_is_wiped() -> None:
    assert {name for name, _ in WIPED} == set(ENGINES)


def load(slot: int, value: int) -> Command:
    return Command(Op.LOAD, dst0=slot, words=tuple(to_words(value, WORDS)))


def secrets(rng: random.Random) -> list[Command]:
    """The same commands each time, with another modulus, other operands and slots."""
    a, b, c, d = rng.sample((A, B, C, D), 4)
    modulus = rng.getrandbits(BITS) | 1 << (BITS - 1) | 1
    return [
        *(load(SLOT_MOD, modulus), Command(Op.SETUP)),
        *(load(slot, rng.randrange(modulus)) for slot in (a, b, c)),
        *(Command(Op.MUL, dst0=c, a0=a, b=b), Command(Op.MUL, dst0=d, a0=c, b=a)),
        *(Command(Op.STORE, a0=d), Command(Op.MUL, dst0=a, a0=a, b=a)),
        Command(Op.MUL, dst0=c, a0=a, b=b),
    ]


def left(
    engine: Engine, params: Params, program: list[Command], stop: Stop, wave: Path
) -> dict[str, int]:
    """Registers, memories of up to 32 words and outputs after a wipe in the middle of a program."""
    rtl = RtlEngine(engine, params, wave, seed=1)
    try:
        assert not rtl.run_all(program, stop=stop).finished
        rtl.wipe(zeroize=bool(stop.cycles % 2))
    finally:
        rtl.close()
    found = {name: value for name, value in last_registers(wave).items() if ".u_engine." in name}
    assert any(".mem_q[" in name for name in found), "memories are recorded"
    return found


@pytest.mark.parametrize(
    ("name", "chosen"),
    [pytest.param(*each, marks=() if each[0] == "sos36" else pytest.mark.full) for each in WIPED],
)
def test_a_wipe_leaves_no_trace_of_a_secret(
    name: str, chosen: Params, rng: random.Random, tmp_path: Path
) -> None:
    """Two moduli and sets of operands, cut in the same cycle of each command."""
    engine = get_engine(name)
    params = engine.resolve(max(BITS, engine.parameter("NumBits").legal[0]), chosen)
    model = engine.model(params)
    for index, command in enumerate(secrets(rng)):
        stop = Stop(index, rng.randrange(model.run(command).cycles) + 1)
        one, other = (left(engine, params, secrets(rng), stop, tmp_path / "wave") for _ in "12")
        different = [signal for signal, value in one.items() if value != other[signal]]
        assert not different, stop
