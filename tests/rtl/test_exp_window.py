# SPDX-License-Identifier: Apache-2.0
"""The fixed window's commands: count, operands, values for every width of a window."""

from __future__ import annotations

import random

import pytest

from modfab.catalog import get_engine, get_sequencer
from modfab.models.engine import SLOT_MOD, Command, Op
from modfab.models.exp_window import BASE, SUM, commands


@pytest.mark.parametrize("window_bits", [1, 2, 4])
def test_values_and_count(window_bits: int, rng: random.Random) -> None:
    engine = get_engine("bit_serial")
    for _ in range(30):
        modulus = rng.getrandbits(32) | 3
        base, exp_bits = rng.randrange(modulus), rng.randrange(40)
        exponent = rng.choice([0, (1 << exp_bits) - 1, rng.getrandbits(exp_bits + 1)])
        model = engine.model(engine.resolve(32, {"NumSlots": 22}))
        model.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(modulus,)))
        model.run(Command(Op.SETUP))
        model.run(Command(Op.LOAD, dst0=BASE, words=(base,)))
        stream = list(commands(exponent, exp_bits, 1, window_bits))
        for command in stream:
            model.run(command)
        (word,) = model.run(Command(Op.STORE, a0=SUM)).words
        assert word == pow(base, exponent & ((1 << exp_bits) - 1), modulus)
        windows = max(1, -(-exp_bits // window_bits))
        assert len(stream) == 2**window_bits + 1 + (windows - 1) * (window_bits + 1)


def test_slots_are_those_of_the_catalogue() -> None:
    used = {command.dst0 for command in commands(0x123456789ABCDEF, 64, 1)}
    assert max(used) == get_sequencer("window").num_slots - 1
