# SPDX-License-Identifier: Apache-2.0
"""The RSA core for public operations only: values, cycles, refusals, faults."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from modfab.build.farm import FarmCore
from modfab.build.rsa import RsaCore, public_core, rsa_core_of
from modfab.catalog import ENGINES
from modfab.errors import DeviceError, UsageError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.machine import RsaRun
from modfab.models.rsa.program import RsaShape, public_shape
from modfab.sim.rsa import RtlRsa
from modfab.sim.snapshots import SnapshotRsa
from tests.support.rsa_attack import named
from tests.support.rsa_core import Core, bits_to_stick, make_model, ok

BITS = 128
SMALL = public_core("bit_serial", BITS, {"BitsPerClock": 8})
CORES = {
    "bit_serial": SMALL,
    "words cut": public_core("bit_serial", 81, {"BitsPerClock": 4}),
    "smallest": public_core("bit_serial", 34),
    "sos": public_core("sos", 160),
    "qp_systolic": public_core("qp_systolic", 256),
}
E = 65537


@pytest.fixture
def rtl(rng: random.Random) -> Iterator[RtlRsa]:
    core = RtlRsa(SMALL, public=True, seed=rng.getrandbits(32))
    yield core
    core.close()


def modulus(rng: random.Random, bits: int = BITS) -> int:
    return rng.getrandbits(bits) | 1 << bits - 1 | 1


def load(core: Core, n: int, e: int = E) -> RsaRun:
    core.put("P", n)
    core.put("E", e)
    return core.run(RsaEntry.KEY, e.bit_length())


def operate(core: Core, message: int) -> RsaRun:
    core.put("C", message)
    return core.run(RsaEntry.PUBLIC, 0)


# ---- values and cycles ----
def agree(config: RsaCore, rng: random.Random) -> None:
    """RTL, model and formula."""
    bits, programs = config.num_bits, config.programs()
    rtl = RtlRsa(config, seed=rng.getrandbits(32))
    model = make_model(config, lambda: pytest.fail("it takes random words"))
    shortest = config.shape.chunk_words * 32 + 1
    for length, e in ((bits, E), (bits, 3), (shortest, rng.getrandbits(bits - 1) | 3)):
        n = modulus(rng, length)
        for core in (rtl, model):
            core.wipe()
            assert ok(load(core, n, e)) == programs.program(RsaEntry.KEY, e)
        for message in (0, 1, 2, n - 1, rng.randrange(n)):
            for core in (rtl, model):
                assert ok(operate(core, message)) == programs.program(RsaEntry.PUBLIC, e)
                assert core.get("M") == pow(message, e, n)
        assert operate(rtl, n) == operate(model, n)
        assert (rtl.status, rtl.result_valid) == (RsaStatus.OPERAND, False)
    rtl.close()


@pytest.mark.parametrize("name", CORES)
def test_rtl_model_and_formula_agree(name: str, rng: random.Random) -> None:
    agree(CORES[name], rng)


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_agrees(engine: str, rng: random.Random) -> None:
    agree(public_core(engine, 128), rng)


@pytest.mark.parametrize("name", CORES)
def test_the_test_of_itself_passes(name: str, rng: random.Random) -> None:
    config = CORES[name]
    rtl = RtlRsa(config, seed=rng.getrandbits(32))
    model = make_model(config, lambda: pytest.fail("it takes random words"))
    cycles = config.programs().program(RsaEntry.TEST, 0)
    assert ok(rtl.run(RsaEntry.TEST, 0)) == ok(model.run(RsaEntry.TEST, 0)) == cycles
    assert not rtl.alarm
    rtl.close()


@pytest.mark.parametrize("bits", [1024, 2048, 3072, 4096])
def test_the_model_at_usual_lengths(bits: int, rng: random.Random) -> None:
    config = public_core("qp_systolic", bits)
    assert config.num_bits == config.unit.num_bits == bits
    model, n = make_model(config, lambda: pytest.fail("it takes random words")), modulus(rng, bits)
    ok(load(model, n))
    message = rng.randrange(n)
    assert ok(operate(model, message)) == config.cycles()["public"]
    assert model.get("M") == pow(message, E, n)
    assert ok(make_model(config, lambda: 0).run(RsaEntry.TEST, 0))


def test_rsa_2048_within_its_cycles() -> None:
    for engine, key, public in (("qp_systolic", 26_000, 15_000), ("sos", 420_000, 360_000)):
        cycles = public_core(engine, 2048).cycles()
        assert (cycles["key"] < key, cycles["public"] < public) == (True, True)


# ---- refusals ----
def test_a_modulus_that_does_not_fit_is_refused(rtl: RtlRsa, rng: random.Random) -> None:
    model = make_model(SMALL, lambda: 0)
    too_short = modulus(rng, 32 * SMALL.shape.chunk_words)
    right = modulus(rng)
    for n, e in ((right - 1, E), (too_short, E), (right, 1), (right, 6), (0, E)):
        for core in (rtl, model):
            assert load(core, n, e).status is RsaStatus.KEY
            assert not core.key_valid
        assert rtl.peek("P") == 0 or e == 1  # without a run nothing is wiped
        rtl.wipe()


def test_private_programs_end_without_a_result(rtl: RtlRsa, rng: random.Random) -> None:
    n = modulus(rng)
    ok(load(rtl, n))
    rtl.put("C", 2)
    for entry in (RsaEntry.PRIVATE, RsaEntry.DERIVE):
        assert rtl.run(entry, E.bit_length()).status is not RsaStatus.OK
        assert not rtl.result_valid
    assert ok(operate(rtl, 2))
    rtl.wipe()
    assert rtl.run(RsaEntry.DERIVE, E.bit_length()).status is not RsaStatus.OK
    assert not rtl.key_valid


def test_a_valid_key_cannot_be_changed(rtl: RtlRsa, rng: random.Random) -> None:
    n, message = modulus(rng), 2
    ok(load(rtl, n))
    rtl.put("P", n - 2)
    rtl.put("E", 3)
    ok(operate(rtl, message))
    assert rtl.get("M") == pow(message, E, n)


def test_nothing_of_a_private_core_goes_with_it() -> None:
    for options in ({"engines": 2}, {"hardened": 1}, {"message_blinding": 1}, {"pair": 1}):
        with pytest.raises(UsageError, match="has one engine and no secret to blind"):
            rsa_core_of("bit_serial", 64, {}, "ladder", {"public_only": 1, **options})
    with pytest.raises(UsageError, match="leave out engines, pair and all blinding"):
        RsaShape(64, public_only=True)
    for bits in (33, 4129):
        with pytest.raises(UsageError, match="modulus of 34 to 4128 bits"):
            public_shape(bits)
    with pytest.raises(UsageError, match="A farm shares one private key"):
        FarmCore(SMALL)
    built = rsa_core_of("bit_serial", BITS, {"BitsPerClock": 8}, "window", {"public_only": 1})
    assert built == SMALL


# ---- faults ----
def result(rtl: RtlRsa) -> int | None:
    """What a host can read now."""
    try:
        return rtl.get("M") if rtl.result_valid else None
    except DeviceError:
        return None


VARIABLES = ("P", "N2", "E", "E2", "C", "C2", "M", "M2")


@pytest.mark.parametrize("name", VARIABLES)
def test_a_changed_word_never_gives_a_wrong_result(
    name: str, rtl: RtlRsa, rng: random.Random
) -> None:
    """In both copies of the memory, of a result in one, at many times: never a wrong result."""
    n, cycles = modulus(rng), SMALL.cycles()["public"]
    ok(load(rtl, n))
    both = [named(rtl, f"u_ram_{copy}.mem_q") for copy in "ab"]
    address, words = rtl.image.variables[name]
    statuses = Counter[RsaStatus]()
    for time in [0] + [rng.randrange(cycles) for _ in range(12)]:
        message = rng.randrange(n)
        rtl.put("C", message)
        word, bit = address + rng.randrange(min(words, BITS // 32)), rng.randrange(32)
        for copy in [rng.choice(both)] if name in ("M", "M2") else both:
            rtl.fault(time, copy, word, bit)
        rtl.try_run(RsaEntry.PUBLIC, 0)
        statuses[rtl.status] += 1
        found = result(rtl)
        assert found in (None, pow(message, E, n)), (time, word, bit)
        ends = (RsaStatus.OK, RsaStatus.FAULT, RsaStatus.OPERAND)  # ok: a read is refused
        assert found is not None or rtl.status in ends
        rtl.wipe()
        ok(load(rtl, n))
        ok(operate(rtl, 2))
    if name not in ("M", "M2"):  # these are not written yet
        assert statuses[RsaStatus.FAULT] + statuses[RsaStatus.OPERAND] > 0


@pytest.mark.parametrize("end", ["u_engine.n_q", "u_engine.u_slots.mem_q", "u_ending.e_bits_q"])
def test_what_both_times_share_is_checked(end: str, rtl: RtlRsa, rng: random.Random) -> None:
    """The modulus in the engine, its constants, the length of e: changed before the first time."""
    register = named(rtl, end)
    n = modulus(rng)
    ok(load(rtl, n))
    for _ in range(12):
        rtl.put("C", rng.randrange(2, n))
        slot = 2 if register.elements > 1 else 0  # R^2
        rtl.fault(1, register, slot, rng.randrange(min(register.element_bits, BITS)))
        rtl.try_run(RsaEntry.PUBLIC, 0)
        assert rtl.status is RsaStatus.FAULT
        assert result(rtl) is None
        rtl.wipe()
        ok(load(rtl, n))


def test_a_modulus_that_changes_on_its_way_into_the_engine(rtl: RtlRsa, rng: random.Random) -> None:
    """The engine's constants fit the wrong modulus then; an attacker may know its factors."""
    n, cycles, feed = modulus(rng), SMALL.cycles()["key"], named(rtl, "u_feed.word_q")

    def status_of_key() -> RsaStatus:
        rtl.put("P", n)
        rtl.put("E", E)
        rtl.try_run(RsaEntry.KEY, E.bit_length())
        status = rtl.status
        if rtl.key_valid:
            message = rng.randrange(n)
            ok(operate(rtl, message))
            assert result(rtl) == pow(message, E, n)
        return status

    for time in range(1, cycles):  # most flips meet no word of n
        rtl.fault(time, feed, 0, rng.randrange(feed.element_bits))
        status_of_key()
        rtl.wipe()
    word_bits = feed.element_bits // (BITS // 32)  # and a bit that says which is the last
    for bit in range(BITS):  # stuck at what n has not, so every one changes n
        rtl.stick(feed, 0, bit // 32 * word_bits + bit % 32, ~n >> bit & 1)
        assert status_of_key() is not RsaStatus.OK, bit
        rtl.release()
        assert not rtl.key_valid
        rtl.wipe()


@pytest.mark.parametrize("bit", [1, 2, 3])
def test_a_modulus_close_to_n_is_seen(bit: int, rng: random.Random) -> None:
    """-1 squared is 1 modulo n - 2 as well; its third power tells them apart."""
    model, n = make_model(SMALL, lambda: 0), modulus(rng) | 1 << bit
    near = n - (1 << bit)
    ok(load(model, n))
    engine_only = make_model(SMALL, lambda: 0)
    ok(load(engine_only, near))
    model.engines = engine_only.engines
    assert operate(model, 2).status is RsaStatus.FAULT
    assert not model.result_valid


def shots(config: RsaCore, rng: random.Random, count: int) -> Counter[str]:
    """Operations with one flipped bit of a register chosen at random, and what came of them."""
    rtl = RtlRsa(config, public=True, seed=rng.getrandbits(32))
    registers, cycles = rtl.registers(), config.cycles()["public"]
    n = modulus(rng, config.num_bits)
    outcomes: Counter[str] = Counter()
    ok(load(rtl, n))
    for number in range(count):
        weights = [1 if number % 2 else r.elements * r.element_bits for r in registers]
        (register,) = rng.choices(registers, weights)
        place = rng.randrange(register.elements), rng.randrange(register.element_bits)
        message, time = rng.randrange(n), rng.randrange(cycles)
        rtl.put("C", message)
        rtl.fault(time, register, *place)
        assert rtl.try_run(RsaEntry.PUBLIC, 0), (time, register.name, place)
        found = result(rtl)
        assert found in (None, pow(message, E, n)), (time, register.name, place)
        outcomes["detected" if found is None else "harmless"] += 1
        rtl.wipe(zeroize=False)
        ok(load(rtl, n))
    rtl.close()
    return outcomes


def test_a_result_of_one_n_too_many_is_refused(rng: random.Random) -> None:
    """The engine's memory of n in its highest place.

    What is above n loses no n any more, or both results are off by what the words do not show, in
    opposite directions.
    """
    config = CORES["qp_systolic"]
    rtl = RtlRsa(config, public=True, seed=rng.getrandbits(32))
    memory = named(rtl, "u_serial.u_modulus.mem_q")
    for _ in range(4):
        n = modulus(rng, config.num_bits)
        ok(load(rtl, n))
        for bit in range(memory.element_bits):
            rtl.put("C", message := rng.randrange(n))
            rtl.fault(2, memory, memory.elements - 2, bit)
            assert rtl.try_run(RsaEntry.PUBLIC, 0)
            assert result(rtl) in (None, pow(message, E, n)), bit
            rtl.wipe(zeroize=False)
            ok(load(rtl, n))
        rtl.wipe()
    rtl.close()


@pytest.mark.parametrize("name", ["bit_serial", "qp_systolic"])
def test_no_fault_releases_a_wrong_result(name: str, rng: random.Random) -> None:
    outcomes = shots(CORES[name], rng, 150)
    assert set(outcomes) == {"detected", "harmless"}


@pytest.mark.full
@pytest.mark.parametrize("name", ["bit_serial", "sos", "qp_systolic"])
def test_no_fault_of_many_releases_a_wrong_result(name: str, rng: random.Random) -> None:
    assert set(shots(CORES[name], rng, 2000)) == {"detected", "harmless"}


def test_a_program_that_begins_anew_gives_no_wrong_result(rng: random.Random) -> None:
    """A flip of the flag that clears loop and trace before a program, in every cycle.

    The end of a loop goes to address 0 then, and the instructions from there on have the trace of
    a whole program.
    """
    rtl = SnapshotRsa(CORES["smallest"], seed=rng.getrandbits(32))
    n, flag = modulus(rng, 34), named(rtl, "u_fetch.idle_q")
    ok(load(rtl, n, 17))
    rtl.put("C", message := rng.randrange(1, n))
    ready, outcomes = rtl.save(), Counter[str]()
    for time in range(CORES["smallest"].programs().program(RsaEntry.PUBLIC, 17)):
        rtl.restore(ready)
        rtl.begin(RsaEntry.PUBLIC, 5)
        rtl.step(time)
        rtl.flip(flag, 0, 0)
        assert rtl.go(rtl.limit)[0], time
        rtl.step(4)
        assert result(rtl) in (None, pow(message, 17, n)), time
        outcomes["detected" if result(rtl) is None else "harmless"] += 1
    rtl.close()
    assert outcomes["detected"] > outcomes["harmless"]


# ---- its test of itself ----
STUCK = (
    *("u_alu.mult_q", "u_alu.high_q", "u_alu.x_q", "u_alu.equal_flag_q", "u_alu.carry_flag_q"),
    *("u_engine.b_q", "u_engine.m_q", "u_unit.bit_q", "u_control.hot_inv_q", "u_ending.released_q"),
)


@pytest.mark.parametrize("end", STUCK)
def test_a_stuck_bit_is_found(end: str, rtl: RtlRsa, rng: random.Random) -> None:
    register = named(rtl, end)
    rtl.limit = 60_000
    for value in (0, 1):
        rtl.stick(register, 0, rng.choice(bits_to_stick(register)), value)
        assert not rtl.try_run(RsaEntry.TEST, 0) or rtl.status is RsaStatus.TEST
        rtl.release()
        rtl.wipe(zeroize=False)
        assert ok(rtl.run(RsaEntry.TEST, 0))


def test_a_wipe_leaves_nothing(rtl: RtlRsa, rng: random.Random) -> None:
    ok(load(rtl, modulus(rng)))
    ok(operate(rtl, 2))
    rtl.wipe()
    assert all(rtl.peek(name) == 0 for name in rtl.image.variables)
    assert rtl.is_zero(named(rtl, "u_engine.u_slots.mem_q"))
