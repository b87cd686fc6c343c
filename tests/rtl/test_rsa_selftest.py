# SPDX-License-Identifier: Apache-2.0
"""The RSA core's test of itself: a known answer, its comparisons, its alarm."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from modfab.build.rsa import RsaCore, rsa_core
from modfab.catalog import ENGINES
from modfab.models.engine import Command, CommandResult
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import TEST_E, RsaShape
from modfab.paths import rtl_dir
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_attack import named
from tests.support.rsa_core import bits_to_stick, load, make_key, make_model, ok, operate, pair

SMALL = {"BitsPerClock": 8}
ONE = rsa_core("bit_serial", 64, SMALL)
CORES = {
    "one engine": ONE,
    "two engines": rsa_core("bit_serial", 64, SMALL, engines=2),
    "words cut": rsa_core("bit_serial", 40, SMALL),
    "masked": rsa_core("bit_serial", 64, SMALL, engines=2, address_blinding=True),
    "pair": rsa_core("qp_systolic", 64, engines=2, pair=True, sequencer="window"),
}


@pytest.fixture
def rtl(rng: random.Random) -> Iterator[RtlRsa]:
    core = RtlRsa(ONE, public=True, seed=rng.getrandbits(32))
    core.entropy([rng.getrandbits(32) for _ in range(4096)])
    yield core
    core.close()


def outcome(rtl: RtlRsa) -> RsaStatus | None:
    """How the test ends; None if it does not."""
    return rtl.status if rtl.try_run(RsaEntry.TEST, 0) else None


def passes(config: RsaCore, rng: random.Random) -> None:
    rtl, model = pair(config, rng)
    runs = [core.run(RsaEntry.TEST, 0) for core in (rtl, model)]
    assert runs[0] == runs[1]
    assert ok(runs[0]) == config.programs().program(RsaEntry.TEST, 0)
    assert not rtl.alarm
    key = make_key(rng, config.shape.half_bits, config.shape.half_bits)
    ok(load(rtl, key))
    message = rng.randrange(key.n)
    ok(operate(rtl, key, message))
    assert rtl.get("M") == pow(message, key.d, key.n)
    rtl.close()


# ---- it passes ----
@pytest.mark.parametrize("name", CORES)
def test_rtl_model_and_formula_agree(name: str, rng: random.Random) -> None:
    passes(CORES[name], rng)


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_passes(engine: str, rng: random.Random) -> None:
    passes(rsa_core(engine, 64, engines=2), rng)


@pytest.mark.parametrize("half_bits", [64, 65, 95, 96])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_model_of_every_engine_passes(engine: str, half_bits: int) -> None:
    config = rsa_core(engine, half_bits)
    model = make_model(config, lambda: pytest.fail("it takes random words"))
    assert ok(model.run(RsaEntry.TEST, 0)) == config.programs().program(RsaEntry.TEST, 0)


def test_the_answer_is_that_of_the_build() -> None:
    answers = {bits: RsaShape(bits).known_answer() for bits in (34, 63, 64, 65, 1024, 2064)}
    assert len(set(answers.values())) == len(answers)
    ending = (rtl_dir() / "rsa" / "mf_rsa_ending.sv").read_text()
    assert f"TestEBits = 16'd{TEST_E.bit_length()};" in ending


@pytest.mark.parametrize("store", [1, 2])
def test_a_wrong_answer_is_noticed_in_the_model(
    store: int, monkeypatch: pytest.MonkeyPatch, rng: random.Random
) -> None:
    """One bit of one word that leaves the engine."""
    model = make_model(ONE, lambda: 0)
    run, stores = model.engine.run, []

    def spoilt(command: Command) -> CommandResult:
        result = run(command)
        words = list(result.words)
        if words:
            stores.append(words)
            words[rng.randrange(len(words))] ^= (len(stores) == store) << rng.randrange(32)
        return replace(result, words=tuple(words))

    monkeypatch.setattr(model.engine, "run", spoilt)
    assert model.run(RsaEntry.TEST, 0).status is RsaStatus.TEST
    assert len(stores) == 2


def test_rsa_2048_within_its_cycles() -> None:
    config = rsa_core("qp_systolic", 1024, sequencer="window", engines=2, pair=True)
    assert config.programs().program(RsaEntry.TEST, 0) <= 22_000


# ---- when it runs ----
def test_reset_starts_it_and_every_command_waits(rtl: RtlRsa, rng: random.Random) -> None:
    cycles = ONE.programs().program(RsaEntry.TEST, 0)
    wipe = rtl.wipe()
    after_reset = rtl.wipe(zeroize=False)
    assert after_reset > 2 * wipe + cycles - 16  # a wipe, the test, a wipe
    assert not rtl.alarm
    assert rtl.status is RsaStatus.NO_KEY
    ok(load(rtl, make_key(rng, 64, 64)))


def test_zeroize_does_not_get_around_it(rtl: RtlRsa, rng: random.Random) -> None:
    cycles = ONE.programs().program(RsaEntry.TEST, 0)
    for _ in range(6):
        rtl.pulse(zeroize=False)
        rtl.step(rng.randrange(2 * cycles))
        assert rtl.wipe() > cycles or outcome(rtl) is RsaStatus.OK
    for wait in (1, 50, cycles // 2):
        rtl.pulse(zeroize=False)
        rtl.step(300 + wait)  # in the test
        assert rtl.wipe() > cycles


def test_zeroize_at_its_end_is_no_alarm(rtl: RtlRsa) -> None:
    """Neither a cycle before the alarm that ends the test, nor in it, nor in any one nearby."""
    end = rtl.wipe() + ONE.programs().program(RsaEntry.TEST, 0)
    for cycles in range(end - 16, end + 16):
        rtl.pulse(zeroize=False)
        rtl.step(cycles)
        rtl.wipe()
        assert not rtl.alarm, f"zeroize {cycles} cycles after reset"
        assert outcome(rtl) is RsaStatus.OK


def test_it_leaves_nothing_and_needs_no_random_word(rtl: RtlRsa) -> None:
    rtl.entropy([])
    assert outcome(rtl) is RsaStatus.OK
    assert all(rtl.peek(name) == 0 for name in rtl.image.variables)
    assert rtl.is_zero(named(rtl, "u_engine.u_slots.mem_q"))


def test_a_key_that_is_there_stays(rtl: RtlRsa, rng: random.Random) -> None:
    key = make_key(rng, 64, 64)
    ok(load(rtl, key))
    assert outcome(rtl) is RsaStatus.KEY
    assert rtl.key_valid
    message = rng.randrange(key.n)
    ok(operate(rtl, key, message))
    assert rtl.get("M") == pow(message, key.d, key.n)


# ---- it fails ----
STUCK = {
    "multiplier, operand": ("u_alu.mult_q", (0, 1)),
    "multiplier, product": ("u_alu.high_q", (0, 1)),
    "adder": ("u_alu.x_q", (0, 1)),
    "carry": ("u_alu.carry_q", (0, 1)),
    "carry flag": ("u_alu.carry_flag_q", (0, 1)),
    "comparator": ("u_alu.equal_flag_q", (0, 1)),
    "engine, operand": ("u_engine.b_q", (0, 1)),
    "engine, accumulator": ("u_engine.m_q", (0, 1)),
    "exponent, number of bits": ("u_sequencer.none_q", (1,)),
    "exponent, digit taken": ("u_sequencer.last_q", (0, 1)),
    "exponent, command": ("u_sequencer.bit_q", (0, 1)),
    "exponent e": ("u_unit.bit_q", (0, 1)),
    "program counter": ("u_fetch.loop_left_q", (1,)),
    "state": ("u_control.hot_inv_q", (0, 1)),
    "permission": ("u_ending.released_q", (0, 1)),
}


@pytest.mark.parametrize("name", STUCK)
def test_a_stuck_bit_is_found(name: str, rtl: RtlRsa, rng: random.Random) -> None:
    """It ends with the status `test` and the alarm, or not at all; never well."""
    end, values = STUCK[name]
    register = named(rtl, end)
    rtl.limit = 60_000
    for value in values:
        for bit in {rng.choice(bits_to_stick(register)) for _ in range(4)}:
            rtl.stick(register, 0, bit, value)
            status = outcome(rtl)
            assert status is not RsaStatus.OK, (bit, value)
            if status is not None:
                assert status is RsaStatus.TEST, (bit, value)
                assert rtl.alarm
                for part, number in make_key(rng, 64, 64).parts().items():
                    rtl.put(part, number)
                rtl.try_run(RsaEntry.KEY, 17)
                assert not rtl.key_valid
            rtl.release()
            rtl.wipe(zeroize=False)
            assert outcome(rtl) is RsaStatus.OK
    ok(load(rtl, make_key(rng, 64, 64)))


@pytest.mark.parametrize("register", ["u_core.alarm_q", "u_core.wipe_q", "u_ending.pass_q"])
def test_an_alarm_that_does_not_come_is_found(register: str, rtl: RtlRsa) -> None:
    rtl.limit = 60_000
    rtl.stick(named(rtl, register), 0, 0, 0)
    assert outcome(rtl) is not RsaStatus.OK or register.endswith("pass_q")
    rtl.pulse(zeroize=False)
    rtl.step(60_000)
    assert not rtl.key_valid
    assert not rtl.try_run(RsaEntry.DERIVE, 17) or rtl.status is not RsaStatus.OK
    rtl.release()
    rtl.wipe(zeroize=False)
    assert outcome(rtl) is RsaStatus.OK


def test_a_core_that_fails_after_reset_is_off_until_it_passes(
    rtl: RtlRsa, rng: random.Random
) -> None:
    key = make_key(rng, 64, 64)
    rtl.stick(named(rtl, "u_alu.mult_q"), 0, 3, 1)
    rtl.wipe(zeroize=False)
    assert (rtl.alarm, rtl.status) == (True, RsaStatus.TEST)
    assert load(rtl, key).status is RsaStatus.FAULT
    rtl.wipe()  # it tests itself once more
    assert (rtl.alarm, rtl.status) == (True, RsaStatus.TEST)
    rtl.release()
    rtl.wipe()
    assert (rtl.alarm, rtl.status) == (False, RsaStatus.NO_KEY)
    ok(load(rtl, key))
