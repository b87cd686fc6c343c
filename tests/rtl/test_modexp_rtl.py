# SPDX-License-Identifier: Apache-2.0
"""The whole core's RTL against pow and the catalogue: values, cycles, and cycles alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.build.core import ModexpCore, modexp_core
from modfab.host.generated import mf_modexp_regs as regs
from modfab.models.generated.status import Status
from modfab.numbers import from_words, to_words, words_of
from modfab.sim.core import RtlCore
from tests.support.vcd import last_registers


class Driven:
    """A core driven by bare register accesses, without the driver's checks."""

    def __init__(self, config: ModexpCore, wave: Path | None = None) -> None:
        self.config, self.core = config, RtlCore(config, wave, seed=1 if wave else None)
        self.num_words = words_of(config.num_bits)
        while self.read(regs.STATUS) & 1:
            pass
        self.write(regs.IRQ_ENABLE, 1)

    def read(self, address: int) -> int:
        response, data = self.core.read(address)
        assert response == 0
        return data

    def write(self, address: int, data: int) -> None:
        assert self.core.write(address, data) == 0

    def window(self, address: int, value: int, num_words: int) -> None:
        for i, word in enumerate(to_words(value, num_words)):
            self.write(address + 4 * i, word)

    def powmod(self, base: int, exponent: int, modulus: int | None, exp_bits: int) -> int:
        if modulus is not None:
            self.window(regs.MODULUS_WINDOW, modulus, self.num_words)
        self.window(regs.BASE_WINDOW, base, self.num_words)
        self.window(regs.EXPONENT_WINDOW, exponent, words_of(self.config.exp_bits))
        self.write(regs.EXP_BITS, exp_bits)
        self.write(regs.CTRL, 1)
        assert self.core.wait(10**7), "the core hangs"
        self.write(regs.IRQ_STATUS, 1)
        assert self.read(regs.STATUS) >> 4 & 0xF == 0
        num_words = self.read(regs.NUM_WORDS) or self.num_words
        return from_words([self.read(regs.RESULT_WINDOW + 4 * i) for i in range(num_words)])

    def cycles(self) -> tuple[int, int, int]:
        """Set-up, exponentiation and total cycles of the last operation."""
        return (
            self.read(regs.SETUP_CYCLES),
            self.read(regs.EXP_CYCLES_LO) | self.read(regs.EXP_CYCLES_HI) << 32,
            self.read(regs.TOTAL_CYCLES_LO) | self.read(regs.TOTAL_CYCLES_HI) << 32,
        )


CONFIGS = [
    ("bit_serial", 40, {}, "ladder", 40),
    ("bit_serial", 40, {"BitsPerClock": 8}, "window", 70),
    ("bit_serial", 33, {"BitsPerClock": 8}, "l2r", 70),
    ("qp_systolic", 64, {"FactorSlots": 8}, "l2r", 40),
    ("qp_systolic", 70, {"FactorSlots": 16, "LoadSum": 1}, "window5", 70),
    ("sos", 70, {}, "ladder", 70),
    ("sos", 96, {"WordBits": 64}, "l2r", 40),
]


@pytest.fixture(scope="module", params=CONFIGS, ids=lambda c: f"{c[0]}-{c[1]}-{c[3]}")
def driven(request: pytest.FixtureRequest) -> Iterator[Driven]:
    engine, bits, options, sequencer, exp_bits = request.param
    made = Driven(modexp_core(engine, bits, options, sequencer, exp_bits))
    yield made
    made.core.close()


def test_values_and_cycles(driven: Driven, rng: random.Random) -> None:
    config = driven.config
    for _ in range(20):
        modulus = rng.getrandbits(config.num_bits) | 1 | 2
        base = rng.choice([0, 1, modulus - 1, rng.randrange(modulus)])
        exp_bits = rng.randrange(0, config.exp_bits + 1)
        exponent = rng.choice([0, 1, (1 << exp_bits) - 1, rng.getrandbits(exp_bits + 1)])
        exponent &= (1 << exp_bits) - 1
        assert driven.powmod(base, exponent, modulus, exp_bits) == pow(base, exponent, modulus)
        setup, power, _ = driven.cycles()
        assert setup == config.engine.cycles.setup(config.params)
        assert power == config.sequencer.exp_cycles(
            config.engine, config.params, exponent, exp_bits
        )


OPERATIONS = [
    *(("bit_serial", 128, {}), ("booth16", 128, {}), ("mul_mod", 96, {}), ("systolic", 96, {})),
    *(("qp_systolic", 128, {"Contexts": 1}), ("qp_systolic", 192, {"LoadSum": 1})),
    *(("redundant_mul", 96, {}), ("sos", 128, {}), ("sos36", 128, {})),
]


@pytest.mark.parametrize(("engine", "num_bits", "options"), OPERATIONS)
def test_an_operation_from_start_to_done(
    rng: random.Random, engine: str, num_bits: int, options: dict[str, int]
) -> None:
    """The modulus stays; the way of the words through the core counts."""
    config = modexp_core(engine, num_bits, options, "l2r", 32)
    driven = Driven(config)
    modulus = rng.getrandbits(num_bits) | 1 << num_bits - 1 | 1
    driven.powmod(3, 65537, modulus, 17)
    for exponent, exp_bits in ((65537, 17), (3, 2)):
        base = rng.randrange(modulus)
        assert driven.powmod(base, exponent, None, exp_bits) == pow(base, exponent, modulus)
        assert driven.cycles()[2] == config.operation_cycles(exponent, exp_bits)
    driven.core.close()


def test_a_constant_sequencer_is_constant_in_every_counter(
    driven: Driven, rng: random.Random
) -> None:
    """And one that is not so takes cycles by the exponent."""
    bits = min(driven.config.num_bits, driven.config.exp_bits)
    seen = set()
    for _ in range(30):
        modulus = rng.getrandbits(driven.config.num_bits) | 1 | 2
        exponent = rng.choice([0, 1, (1 << bits) - 1, rng.getrandbits(bits)])
        driven.powmod(rng.randrange(modulus), exponent, modulus, bits)
        seen.add(driven.cycles())
    assert (len(seen) == 1) == driven.config.sequencer.constant


def test_modulus_is_set_up_once(driven: Driven, rng: random.Random) -> None:
    modulus = rng.getrandbits(driven.config.num_bits) | 1 | 2
    first = driven.powmod(rng.randrange(modulus), 3, modulus, 2)
    long = driven.cycles()[2]
    assert first < modulus
    base = rng.randrange(modulus)
    assert driven.powmod(base, 3, None, 2) == pow(base, 3, modulus)
    saved = driven.config.engine.cycles.setup(driven.config.params)
    assert driven.cycles()[2] < long - saved


def test_width_at_run_time(driven: Driven, rng: random.Random) -> None:
    config = driven.config
    if not config.engine.runtime_words:
        driven.write(regs.NUM_WORDS, driven.num_words - 1)
        driven.write(regs.CTRL, 1)
        assert driven.core.wait(10**7)
        driven.write(regs.IRQ_STATUS, 1)
        assert driven.read(regs.STATUS) >> 4 & 0xF == Status.NUM_WORDS
        driven.write(regs.NUM_WORDS, 0)
        return
    for num_words in (1, driven.num_words - 1, driven.num_words, 0):
        active = config.engine.at_words(config.params, num_words or driven.num_words)
        modulus = rng.getrandbits(active["NumBits"]) | 1 | 2
        base, exponent = rng.randrange(modulus), rng.getrandbits(16)
        driven.write(regs.NUM_WORDS, num_words)
        assert driven.powmod(base, exponent, modulus, 16) == pow(base, exponent, modulus)
        setup, power, _ = driven.cycles()
        assert setup == config.engine.cycles.setup(active)
        assert power == config.sequencer.exp_cycles(config.engine, active, exponent, 16)


@pytest.mark.parametrize(
    "sequencer",
    ["window5", *(pytest.param(s, marks=pytest.mark.full) for s in ("ladder", "window", "r2l"))],
)
def test_zeroize_leaves_no_trace_of_a_secret(
    sequencer: str, rng: random.Random, tmp_path: Path
) -> None:
    """Registers and memories do not depend on the operands, whatever cycle zeroize comes in.

    `l2r` is left out: it is for public exponents, and its counters keep their position.
    """
    config = modexp_core("bit_serial", 40, sequencer=sequencer, exp_bits=40)
    for _ in range(4):
        cycles, found = rng.randrange(1, 4000), []
        for _ in "12":
            driven = Driven(config, tmp_path / "wave")
            modulus = rng.getrandbits(39) | 1 << 39 | 1
            driven.window(regs.MODULUS_WINDOW, modulus, 2)
            driven.window(regs.BASE_WINDOW, rng.randrange(modulus), 2)
            driven.window(regs.EXPONENT_WINDOW, rng.getrandbits(40), 2)
            driven.write(regs.CTRL, regs.CTRL_START_MASK)
            driven.core.wait(cycles)
            driven.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
            while driven.read(regs.STATUS) & regs.STATUS_BUSY_MASK:
                pass
            driven.core.close()
            found.append(last_registers(tmp_path / "wave"))
        one, other = found
        assert any(".mem_q[" in name for name in one), "memories are recorded"
        assert not [name for name, value in one.items() if value != other[name]], cycles


@pytest.mark.full
def test_a_real_width(rng: random.Random) -> None:
    driven = Driven(modexp_core("bit_serial", 2048, {"BitsPerClock": 8}))
    modulus = rng.getrandbits(2048) | 1 | 1 << 2047
    base, exponent = rng.randrange(modulus), rng.getrandbits(2048)
    assert driven.powmod(base, exponent, modulus, 2048) == pow(base, exponent, modulus)
    driven.core.close()
