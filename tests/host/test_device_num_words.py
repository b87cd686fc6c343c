# SPDX-License-Identifier: Apache-2.0
"""Run-time width through the driver: fewer words, fewer cycles, and what is refused."""

from __future__ import annotations

import random

import pytest

from modfab.catalog import get_engine, get_sequencer
from modfab.errors import OperandError
from modfab.host.open import open_device

EXP_BITS = 12


@pytest.mark.parametrize("spec", ["model", "sim"])
def test_width_is_chosen_for_each_power(spec: str, rng: random.Random) -> None:
    engine = get_engine("sos")
    built = engine.resolve(96)
    with open_device(spec, "sos", 96, "ladder") as device:
        assert device.runtime_words
        for num_words in (0, 1, 3, 2, 0):
            active = engine.at_words(built, num_words or 3)
            modulus = rng.getrandbits(active["NumBits"]) | 1 | 2
            base, exponent = rng.randrange(modulus), rng.getrandbits(EXP_BITS)
            for setup in (engine.cycles.setup(active), 0):
                result = device.powmod(base, exponent, modulus, EXP_BITS, num_words=num_words)
                assert result.value == pow(base, exponent, modulus)
                assert result.setup_cycles == setup
                assert result.exp_cycles == get_sequencer("ladder").exp_cycles(
                    engine, active, exponent, EXP_BITS
                )


@pytest.mark.parametrize(
    ("engine", "num_words", "text"),
    [
        ("sos", 1, "This modulus can be computed with 2 to 3 words, but 1 were asked for"),
        ("sos", 4, "This modulus can be computed with 2 to 3 words, but 4 were asked for"),
        ("bit_serial", 2, "The engine bit_serial always computes with all its words, but 2 words"),
    ],
)
def test_refused_before_the_core_is_touched(engine: str, num_words: int, text: str) -> None:
    with (
        open_device("model", engine, 96, "ladder") as device,
        pytest.raises(OperandError, match=text),
    ):
        device.powmod(2, 3, (1 << 40) | 1, EXP_BITS, num_words=num_words)
