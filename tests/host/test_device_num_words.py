# SPDX-License-Identifier: Apache-2.0
"""Run-time width through the driver: fewer words, fewer cycles, and what is refused."""

from __future__ import annotations

import random

import pytest

from modfab.build.core import modexp_core
from modfab.catalog import get_engine, get_sequencer
from modfab.errors import OperandError
from modfab.host.device import Device
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.open import open_device
from modfab.host.transport import BusError, Transport
from modfab.host.transport_model import ModelTransport
from modfab.host.transport_sim import SimTransport
from modfab.numbers import from_words

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


@pytest.mark.parametrize("spec", ["model", "sim"])
def test_words_of_an_older_result_cannot_be_read(spec: str, rng: random.Random) -> None:
    config = modexp_core("sos", 96, exp_bits=EXP_BITS)
    bus: Transport = ModelTransport(config) if spec == "model" else SimTransport(config)
    with Device(bus) as device:
        modulus = 1 << 95 | rng.getrandbits(95) | 1
        for num_words in (0, 1, 2, 3, 0):
            short = modulus >> (96 - 32 * (num_words or 3)) | 1
            value = device.powmod(short - 2, 5, short, EXP_BITS, num_words=num_words).value
            shown = [bus.read32(regs.RESULT_WINDOW + 4 * i) for i in range(num_words or 3)]
            assert from_words(shown) == value
            for i in range(num_words or 3, 4):
                with pytest.raises(BusError):
                    bus.read32(regs.RESULT_WINDOW + 4 * i)


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
