# SPDX-License-Identifier: Apache-2.0
"""What is particular to modulo of products: the paper's cycles, its loop, its parameters."""

from __future__ import annotations

import random

import pytest

from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.models.engine import SLOT_FREE, SLOT_MOD, Command, Op
from modfab.models.mul_mod_product import loop_steps
from modfab.numbers import from_words, to_words
from modfab.sim.engine import RtlEngine


def test_loop_invariant(rng: random.Random) -> None:
    for _ in range(100):
        n = rng.getrandbits(64) | 3
        a, b = rng.randrange(n), rng.randrange(n)
        done = rng.randrange(1, 65)
        m, t = loop_steps(0, b, a, n, done)
        assert m == (a & ((1 << done) - 1)) * b % n
        assert t == (b << done) % n


@pytest.mark.parametrize("num_bits", [16, 37, 256])
@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize("cycles", [1, 2])
def test_model_takes_the_formulas_cycles(num_bits: int, bits: int, cycles: int) -> None:
    engine = get_engine("mod_product")
    options = {"BitsPerStep": bits, "ClocksPerStep": cycles, "NumLanes": 2}
    params = engine.resolve(num_bits, options)
    model = engine.model(params)
    model.modulus = 3
    steps = (num_bits + bits - 1) // bits
    assert model.multiply(2, 2) == (1, cycles * steps + 2)
    assert model.multiply2(2, 1, 2) == (1, 2, cycles * steps + 3)
    assert engine.cycles.mul(params) == cycles * steps + 2
    assert engine.pair_cycles(params) == cycles * steps + 3
    assert engine.pair_cycles({**params, "NumLanes": 1}) is None


def test_second_lane_leaves_the_first_alone(rng: random.Random) -> None:
    """Pairs and single products mixed, results of either lane feeding both."""
    engine = get_engine("mod_product")
    params = engine.resolve(33, {"NumLanes": 2})
    rtl, model = RtlEngine(engine, params, seed=rng.getrandbits(32)), engine.model(params)
    modulus = rng.getrandbits(33) | 1 << 32 | 1
    free = range(SLOT_FREE, SLOT_FREE + 4)
    program = [Command(Op.LOAD, dst0=SLOT_MOD, words=tuple(to_words(modulus, 2)))]
    program.append(Command(Op.SETUP))
    for slot in free:
        words = tuple(to_words(rng.randrange(modulus), 2))
        program.append(Command(Op.LOAD, dst0=slot, words=words))
    for _ in range(40):
        dst0, dst1 = rng.sample(free, 2)
        a0, a1, b = (rng.choice(free) for _ in range(3))
        op = rng.choice([Op.MUL, Op.MUL2])
        program.append(Command(op, dst0=dst0, a0=a0, b=b, dst1=dst1, a1=a1))
    program += [Command(Op.STORE, a0=slot) for slot in free]
    run = rtl.run_all(program)
    assert [result.cycles for result in run.results] == [model.run(c).cycles for c in program]
    assert [from_words(result.words) for result in run.results[-4:]] == model.slots[SLOT_FREE:]
    rtl.close()


@pytest.mark.parametrize(
    ("bits", "options", "expected"),
    [
        (4097, {}, "Parameter NumBits must be one of 16..4096 (bits), but 4097 was given"),
        (64, {"BitsPerStep": 3}, "Parameter BitsPerStep must be one of 1, 2, 4, 8"),
        (64, {"ClocksPerStep": 3}, "Parameter ClocksPerStep must be one of 1, 2"),
        (64, {"NumLanes": 3}, "Parameter NumLanes must be one of 1, 2"),
    ],
)
def test_bad_parameters(bits: int, options: dict[str, int], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        get_engine("mod_product").resolve(bits, options)
    assert expected in str(error.value)
