# SPDX-License-Identifier: Apache-2.0
"""Right-to-left exponentiation: value, constant count, RTL against model on one and two lanes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modfab.build.core import ModexpCore, modexp_core
from modfab.catalog import ENGINES, Params, get_sequencer
from modfab.host.generated import mf_modexp_regs as regs
from modfab.models.engine import Op
from modfab.models.exp_r2l import SINK, commands
from modfab.models.generated.status import Status
from modfab.models.modexp import ModexpModel
from modfab.numbers import from_words, to_words, words_of
from modfab.sim.core import RtlCore
from tests.support.strategies import moduli, residues


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    engine: str
    params: Params = field(default_factory=dict)

    def config(self, num_bits: int, exp_bits: int | None = None) -> ModexpCore:
        return modexp_core(self.engine, num_bits, self.params, "r2l", exp_bits)


CASES = {
    "one-lane": Case(engine="bit_serial"),
    "no-setup": Case(engine="mod_product"),
    "two-lanes": Case(engine="mod_product", params={"NumLanes": 2}),
    "division": Case(engine="mul_mod"),
    "systolic": Case(engine="systolic"),
    "division-two-lanes": Case(
        engine="mul_mod", params={"NumLanes": 2, "UseDsp": 0, "DigitBits": 4}
    ),
}
ON_RTL = ("one-lane", "no-setup", "two-lanes", "division")


def golden(config: ModexpCore) -> ModexpModel:
    return ModexpModel(
        config.engine.model(config.params), config.sequencer.commands, config.exp_bits
    )


@given(st.data())
def test_power_and_cycles(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(list(CASES.values())), label="engine")
    bits = data.draw(st.integers(16, 256), label="bits")
    modulus = data.draw(moduli(bits), label="modulus")
    base = data.draw(residues(modulus), label="base")
    exponent = data.draw(st.integers(0, (1 << 16) - 1), label="exponent")
    exp_bits = data.draw(st.integers(exponent.bit_length(), 16), label="exp_bits")
    config = case.config(bits)
    result = golden(config).powmod(base, exponent, modulus, exp_bits)
    assert result.status is Status.OK
    assert result.value == pow(base, exponent, modulus)
    assert result.exp_cycles == config.sequencer.exp_cycles(
        config.engine, config.params, exponent, exp_bits
    )


@pytest.mark.parametrize(("num_lanes", "pairs"), [(1, 0), (2, 16)])
def test_commands_are_the_same_for_every_exponent(num_lanes: int, pairs: int) -> None:
    streams = [list(commands(exponent, 17, num_lanes)) for exponent in (0, 1, 65537, (1 << 17) - 1)]
    for stream in streams:
        ops = [command.op for command in stream]
        assert ops.count(Op.MUL2) == pairs
        assert ops.count(Op.MUL) == (2 if pairs else 2 * 17)
        assert ops == [command.op for command in streams[0]]
        assert all(SINK not in (command.a0, command.a1, command.b) for command in stream)


def test_no_bit_gives_one() -> None:
    assert get_sequencer("r2l").constant
    assert len(list(commands(5, 0, 1))) == len(list(commands(5, 0, 2))) == 2
    assert golden(modexp_core("bit_serial", 32, None, "r2l")).powmod(7, 5, 101, 0).value == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_works_under_it(engine: str, rng: random.Random) -> None:
    bits = 128
    config = modexp_core(engine, bits, None, "r2l", exp_bits=8)
    modulus = rng.getrandbits(bits) | 1 << (bits - 1) | 1
    base, exponent = rng.randrange(modulus), rng.getrandbits(8)
    assert golden(config).powmod(base, exponent, modulus).value == pow(base, exponent, modulus)


class Core:
    """The simulated AXI4-Lite core of one configuration, used through its registers."""

    def __init__(self, config: ModexpCore) -> None:
        self.rtl = RtlCore(config)
        self.num_words = words_of(config.num_bits)
        self.idle()  # the wipe after reset
        self.write(regs.IRQ_ENABLE, regs.IRQ_ENABLE_DONE_MASK, 1)

    def write(self, window: int, value: int, num_words: int) -> None:
        for i, word in enumerate(to_words(value, num_words)):
            assert self.rtl.write(window + 4 * i, word) == 0

    def idle(self) -> None:
        while self.rtl.read(regs.STATUS)[1] & regs.STATUS_BUSY_MASK:
            pass

    def start(self, base: int, exponent: int, modulus: int, exp_bits: int) -> None:
        self.write(regs.MODULUS_WINDOW, modulus, self.num_words)
        self.write(regs.BASE_WINDOW, base, self.num_words)
        self.write(regs.EXPONENT_WINDOW, exponent, 2)
        self.write(regs.EXP_BITS, exp_bits, 1)
        self.write(regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK, 1)
        self.write(regs.CTRL, regs.CTRL_START_MASK, 1)

    def powmod(self, base: int, exponent: int, modulus: int, exp_bits: int) -> tuple[int, int]:
        self.start(base, exponent, modulus, exp_bits)
        assert self.rtl.wait(1_000_000)
        words = [self.rtl.read(regs.RESULT_WINDOW + 4 * i)[1] for i in range(self.num_words)]
        return from_words(words), self.rtl.read(regs.EXP_CYCLES_LO)[1]


@pytest.fixture(scope="module", params=ON_RTL)
def built(request: pytest.FixtureRequest) -> Iterator[tuple[ModexpCore, Core]]:
    config = CASES[request.param].config(40, exp_bits=34)
    core = Core(config)
    yield config, core
    core.rtl.close()


def test_rtl_is_the_model(built: tuple[ModexpCore, Core], rng: random.Random) -> None:
    config, core = built
    modulus = rng.getrandbits(40) | 1 << 39 | 1
    cases = [(0, 0), (5, 0), (0, 1), (0, 34), ((1 << 34) - 1, 34), (1, 1), (0b10, 2), (1 << 33, 34)]
    for exp_bits in (7, 31, 32, 33, 34):  # the second exponent word begins at bit 32
        cases.append((rng.getrandbits(exp_bits), exp_bits))
    for exponent, exp_bits in cases:
        base = rng.randrange(modulus)
        expected = golden(config).powmod(base, exponent, modulus, exp_bits)
        used = exponent & ((1 << exp_bits) - 1)
        assert expected.value == pow(base, used, modulus)
        found = core.powmod(base, exponent, modulus, exp_bits)
        assert found == (expected.value, expected.exp_cycles), (exponent, exp_bits)


def test_exponentiation_after_one_that_was_zeroized(
    built: tuple[ModexpCore, Core], rng: random.Random
) -> None:
    """Whatever the sequencer was about to do is over, and the next one begins as any other."""
    config, core = built
    modulus = rng.getrandbits(40) | 1 << 39 | 1
    operands = (rng.randrange(modulus), rng.getrandbits(34), modulus, 34)
    model = golden(config).powmod(*operands)
    expected = (model.value, model.exp_cycles)
    assert core.powmod(*operands) == expected
    total = core.rtl.read(regs.TOTAL_CYCLES_LO)[1]
    for _ in range(12):
        core.start(*operands)
        cycles = total - rng.randrange(20, model.exp_cycles)
        assert not core.rtl.wait(cycles), "the operation was over before the wipe"
        core.write(regs.CTRL, regs.CTRL_ZEROIZE_MASK, 1)
        assert core.rtl.wait(100), "the operation was over before the wipe"
        core.idle()
        assert core.powmod(*operands) == expected
