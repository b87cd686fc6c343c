# SPDX-License-Identifier: Apache-2.0
"""Attacks on the simulated RSA core, each of which an earlier core did not withstand."""

from __future__ import annotations

import random

import pytest

from modfab.build.rsa import rsa_core
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.numbers import from_words, to_words
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_attack import (
    CONFIGS,
    HALF,
    ONE,
    TWO,
    all_zero,
    checked,
    fresh,
    loaded,
    named,
    settle,
)
from tests.support.rsa_core import align, load, make_key, ok, operate

KEY_PARTS = ("P", "Q", "DP", "DQ", "QI", "E", "D")


# ---- a bus writer ----
def test_a_valid_key_cannot_be_spliced(rng: random.Random) -> None:
    """One word of a part exchanged and `key` again would factor n by one signature."""
    rtl, key = loaded(ONE, rng)
    before = {name: rtl.peek(name) for name in KEY_PARTS}
    for name in KEY_PARTS:
        rtl.put(name, rng.getrandbits(HALF))
    assert {name: rtl.peek(name) for name in KEY_PARTS} == before
    for e_bits in (0, 1, 17):
        ok(rtl.run(RsaEntry.KEY, e_bits))  # with the words and the e it has
        assert rtl.run(RsaEntry.DERIVE, e_bits).status is RsaStatus.KEY
        assert checked(rtl, key, rng)
    rtl.wipe()
    rtl.put("P", 5)
    assert rtl.peek("P") == 5
    rtl.close()


def test_a_refused_key_leaves_nothing_to_splice(rng: random.Random) -> None:
    """A known prime over Q and `derive` would let OPERAND tell P bit by bit."""
    rtl, key = loaded(ONE, rng)
    rtl.wipe()
    for name, value in (key.parts() | {"DQ": 1}).items():
        rtl.put(name, value)
    assert rtl.run(RsaEntry.KEY, 17).status is RsaStatus.KEY
    assert all_zero(rtl)
    rtl.close()


def test_a_locked_core_takes_no_key_before_zeroize(rng: random.Random) -> None:
    rtl = RtlRsa(ONE, public=True)
    rtl.lock()
    for name in KEY_PARTS:
        rtl.put(name, rng.getrandbits(HALF) | 1)
        assert rtl.peek(name) == 0
    assert rtl.run(RsaEntry.DERIVE, 17).status is RsaStatus.KEY
    rtl.wipe()
    rtl.put("P", 5)
    assert rtl.peek("P") == 5
    rtl.close()


def test_only_a_valid_result_can_be_read(rng: random.Random) -> None:
    rtl, key = loaded(ONE, rng)
    first, words = rtl.image.variables["M"]
    for valid in (False, True):
        for address in range(1 << 13):
            word, good = rtl.read(address)
            inside = valid and first <= address < first + words
            assert good == inside
            assert inside or word == 0, address
        ok(operate(rtl, key, rng.randrange(key.n)))
    rtl.limit = 0
    assert not rtl.try_run(RsaEntry.PRIVATE, 17), "it runs"
    while not rtl.result_valid:
        assert rtl.read(rng.choice([first, rng.randrange(1 << 13)])) == (0, False)
    rtl.close()


@pytest.mark.parametrize("gate", ["asked_q", "asked_off_q", "allowed_q", "allowed_off_q"])
def test_one_flip_does_not_open_the_result_gate(gate: str, rng: random.Random) -> None:
    """Without a result no word is given, with one no other word than the result's."""
    rtl, key = loaded(ONE, rng)
    register = named(rtl, f"u_memory.{gate}")
    first, words = rtl.image.variables["M"]
    result: dict[int, int] = {}
    for _ in range(2):
        for value in (0, 1):  # in every cycle, so also in the one that counts
            rtl.stick(register, 0, 0, value)
            for address in range(rtl.image.variables["WORK_END"][0]):
                word, good = rtl.read(address)
                assert (word, good) in ((0, False), (result.get(address), True)), address
            rtl.release()
            rtl.step(4)
        message = rng.randrange(key.n)
        ok(operate(rtl, key, message))
        power = to_words(pow(message, key.d, key.n), words)
        result = dict(enumerate(power, first))
    rtl.close()


# ---- a lasting fault ----
@pytest.mark.parametrize("element_bit", [0, 1])
def test_a_stuck_request_to_write_again_leaves_a_result(
    element_bit: int, rng: random.Random
) -> None:
    """The idle core would write on, over the result, where one bit says that a word is due."""
    rtl, key = loaded(ONE, rng)
    first, words = rtl.image.variables["M"]
    message = rng.randrange(key.n)
    ok(operate(rtl, key, message))
    for stuck in (False, True):
        if stuck:  # it would go on from the address that was read last
            rtl.stick(named(rtl, "u_memory.copy_q"), 0, element_bit, 1)
            rtl.step(1 << 13)  # time to come by every address
        read = [rtl.read(address) for address in range(first, first + words)]
        assert from_words([word for word, _ in read]) == pow(message, key.d, key.n)
        assert all(good for _, good in read)
    rtl.close()


FLAGS = ("carry_flag_q", "equal_flag_q", "differ_q", "carry_q", "now_last_q", "now_q")


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("flag", FLAGS)
def test_a_comparison_that_cannot_say_no(
    flag: str, value: int, name: str, rng: random.Random
) -> None:
    """A flag of the comparator stuck after key set-up, and a wrong half of the result."""
    rtl, key = loaded(CONFIGS[name], rng)
    memory = named(rtl, "u_ram_a.mem_q")
    cycles = CONFIGS[name].programs().program(RsaEntry.PRIVATE, key.e)
    for _ in range(20):
        fresh(rtl, rng)
        rtl.stick(named(rtl, f"u_alu.{flag}"), 0, 0, value)
        word = rtl.image.variables["MQ"][0] + rng.randrange(2)
        rtl.fault(rng.randrange(cycles // 2, cycles), memory, word, rng.randrange(32))
        assert not checked(rtl, key, rng) or flag not in ("carry_flag_q", "equal_flag_q")
        rtl.release()
        rtl.wipe()
        ok(load(rtl, key))
    rtl.close()


# ---- control ----
@pytest.mark.parametrize("register", ["hot_q", "hot_inv_q"])
def test_one_flip_of_the_state_does_not_end_a_wipe(register: str, rng: random.Random) -> None:
    """Nor does it in any cycle of it: 'zeroized' with the key intact."""
    rtl, key = loaded(ONE, rng)
    state = named(rtl, f"u_control.{register}")
    cycles = rtl.wipe()
    for bit in range(state.element_bits):
        for clock in (0, 1, 2, rng.randrange(cycles), cycles - 2):
            ok(load(rtl, key))
            rtl.pulse()
            rtl.step(clock)
            rtl.flip(state, 0, bit)
            rtl.idle()
            assert not rtl.key_valid
            assert all_zero(rtl), (bit, clock)
            settle(rtl)
            rtl.wipe()
    rtl.close()


WIPERS = (
    "dst_q",
    "a_q",
    "b_q",
    "u_control.count_q",
    "u_wipe.dirty_q",
    "u_wipe.written_q",
    "u_wipe.read_q",
    "u_memory.wr_addr_q",
    "u_memory.wr_en_q",
)


@pytest.mark.parametrize("register", WIPERS)
def test_a_wipe_that_missed_a_word_goes_on(register: str, rng: random.Random) -> None:
    rtl, key = loaded(ONE, rng)
    target = named(rtl, f"u_core.{register}")
    cycles = rtl.wipe()
    for _ in range(40):
        ok(load(rtl, key))
        rtl.pulse()
        rtl.step(rng.randrange(cycles - 1))
        rtl.flip(target, 0, rng.randrange(target.element_bits))
        rtl.idle()
        assert all_zero(rtl)
        rtl.wipe()
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
def test_a_lost_request_does_not_spare_the_engine(name: str, rng: random.Random) -> None:
    """The engine is asked to wipe more than once, and 'zeroized' comes after its wipe."""
    rtl, key = loaded(CONFIGS[name], rng)
    request = named(rtl, "u_wipe.units_q")
    slots = [r for r in rtl.registers() if "u_engine" in r.name and r.name.endswith("mem_q")]
    cycles = rtl.wipe()
    assert slots
    for clock in (0, 1, 2, 3, *(rng.randrange(cycles) for _ in range(8)), cycles - 1):
        ok(load(rtl, key))
        assert not all(rtl.is_zero(slot) for slot in slots)
        rtl.pulse()
        rtl.step(clock)
        rtl.flip(request, 0, 0)
        rtl.idle()
        assert all(rtl.is_zero(slot) for slot in slots), clock
        rtl.wipe()
    rtl.close()


PAIR = rsa_core("qp_systolic", HALF, engines=2, pair=True, sequencer="window")
ENGINES = CONFIGS | {"dual-port": PAIR}

CONTROL_BITS = 12
"""Registers of an engine that are no wider are control, not operands."""


@pytest.mark.parametrize("name", ENGINES)
def test_a_flip_in_an_engines_wipe_leaves_nothing_of_the_key(name: str, rng: random.Random) -> None:
    """Of its counters, its end, its write enables: it wipes twice, one after the other.

    What is left is the same for two keys: constants, and what a memory held at power-up where it
    is larger than what a core has slots for.
    """
    rtl, _ = loaded(ENGINES[name], rng)
    engine = [r for r in rtl.registers() if "u_engine" in r.name]
    slots = [r for r in engine if r.name.endswith("mem_q")]
    control = [r for r in engine if r.elements == 1 and r.element_bits <= CONTROL_BITS]
    ends = [r for r in control if r.name.endswith(("end_q", "walk_q", "count_q", "wr_addr_q"))]
    cycles = rtl.wipe()
    for shot in range(40):
        target = rng.choice(ends if shot % 2 and ends else control)
        clock, bit, left = rng.randrange(cycles), rng.randrange(target.element_bits), []
        for _ in range(2):
            ok(load(rtl, make_key(rng, HALF, HALF)))
            before = [rtl.value(slot, i) for slot in slots for i in range(slot.elements)]
            align(rtl)
            rtl.pulse()
            rtl.step(clock)
            rtl.flip(target, 0, bit)
            rtl.idle()
            left.append([rtl.value(slot, i) for slot in slots for i in range(slot.elements)])
            assert left[-1] != before
            rtl.wipe()
        assert left[0] == left[1], (target.name, bit, clock)
    rtl.close()


HELD = {
    "one engine": (ONE, "u_engine.end_q", 0),
    "the second engine": (TWO, "gen_unit[1].u_engine.end_q", 0),
    "a state": (rsa_core("redundant_lut", HALF), "u_engine.u_core.u_control.state_q", 0),
    "systolic": (rsa_core("systolic", HALF), "u_seq.end_q", 0),
}


@pytest.mark.parametrize("name", HELD)
def test_a_wipe_that_an_engine_ends_too_early_is_not_reported(
    name: str, rng: random.Random
) -> None:
    """A bit held for good does this to both of its wipes, and the slots keep the key."""
    config, end, bit = HELD[name]
    rtl, _ = loaded(config, rng)
    slots = [r for r in rtl.registers() if "u_engine" in r.name and r.name.endswith("mem_q")]
    cycles = rtl.wipe()
    ok(load(rtl, make_key(rng, HALF, HALF)))
    rtl.stick(named(rtl, end), 0, bit, 1)
    rtl.limit = 8 * cycles
    assert rtl.wipe() >= rtl.limit
    alarms = [rtl.alarm]
    rtl.release()
    assert rtl.idle() < rtl.limit
    assert slots
    assert all(rtl.is_zero(slot) for slot in slots)
    alarms.append(rtl.alarm)
    assert rtl.wipe() == cycles
    assert [*alarms, rtl.alarm] == [True, True, False]
    rtl.close()


def test_nothing_of_a_loop_survives(rng: random.Random) -> None:
    """An end of a loop that did not begin went back into a program that had been wiped."""
    rtl, key = loaded(ONE, rng)
    for name in ("loop_pc_q", "loop_left_q"):
        assert rtl.is_zero(named(rtl, f"u_fetch.{name}"))
    instruction = named(rtl, "u_core.instr_q")
    cycles = ONE.programs().program(RsaEntry.PRIVATE, key.e)
    for number in range(120):
        fresh(rtl, rng)
        bit = 52 + number % 6 if number % 2 else rng.randrange(instruction.element_bits)
        rtl.fault(rng.randrange(cycles), instruction, 0, bit)
        checked(rtl, key, rng)
        rtl.wipe()
        ok(load(rtl, key))
    rtl.close()


def test_a_word_of_the_program_that_changes_raises_the_alarm(rng: random.Random) -> None:
    rtl, key = loaded(ONE, rng)
    fetched = named(rtl, "u_fetch.instr_q")
    cycles = ONE.programs().program(RsaEntry.PRIVATE, key.e)
    alarms = 0
    # A word counts only in the clock in which it is taken: short instructions end the program.
    for clock in (*range(cycles - 40, cycles), *(rng.randrange(cycles) for _ in range(20))):
        fresh(rtl, rng)
        rtl.fault(clock, fetched, 0, rng.randrange(fetched.element_bits))
        checked(rtl, key, rng)
        settle(rtl)
        alarms += rtl.alarm
        if rtl.alarm:
            assert all_zero(rtl)
            assert load(rtl, key).status is RsaStatus.FAULT, "an alarm lasts"
        rtl.wipe()
        assert not rtl.alarm
        ok(load(rtl, key))
    assert alarms > 0
    rtl.close()


FLAG_PAIRS = ("active_q", "released_q", "key_q", "result_q", "locked_q", "alarm_q")


@pytest.mark.parametrize("flag", FLAG_PAIRS)
def test_a_flag_whose_copies_differ_wipes_the_core(flag: str, rng: random.Random) -> None:
    rtl, key = loaded(ONE, rng)
    register = named(rtl, f"u_ending.{flag}")
    for bit in (0, 1):
        rtl.flip(register, 0, bit)
        settle(rtl)
        assert rtl.alarm
        assert not rtl.key_valid
        assert all_zero(rtl)
        rtl.wipe()
        ok(load(rtl, key))
    rtl.close()


def test_an_alarm_that_a_fault_raises_wipes_too(rng: random.Random) -> None:
    """The flip of the alarm's own register took the key away and left its words."""
    rtl, key = loaded(ONE, rng)
    rtl.flip(named(rtl, "u_core.alarm_q"), 0, 0)
    settle(rtl)
    assert rtl.alarm
    assert all_zero(rtl)
    rtl.wipe()
    ok(load(rtl, key))
    rtl.close()


@pytest.mark.parametrize("entry", [RsaEntry.KEY, RsaEntry.PRIVATE])
def test_a_program_that_becomes_another_wipes_the_core(entry: RsaEntry, rng: random.Random) -> None:
    """`key` that ends as `public` gave a result without a check and left the key's words."""
    rtl, key = loaded(ONE, rng)
    program = named(rtl, "u_ending.entry_q")
    cycles = ONE.programs().program(entry, key.e)
    for bit in range(program.element_bits):
        fresh(rtl, rng)
        rtl.fault(rng.randrange(1, cycles - 2), program, 0, bit)
        assert rtl.try_run(entry, key.e.bit_length())
        settle(rtl)
        assert rtl.alarm
        assert not rtl.key_valid
        assert not rtl.result_valid
        assert all_zero(rtl)
        rtl.wipe()
        ok(load(rtl, key))
    rtl.close()


def test_too_many_faults_raise_the_alarm(rng: random.Random) -> None:
    rtl, key = loaded(ONE, rng)
    rtl.fault_limit(3)
    for number in range(3):
        assert not rtl.alarm, number
        for copy in "ab":
            memory = named(rtl, f"u_ram_{copy}.mem_q")
            rtl.fault(5, memory, rtl.image.variables["C2"][0], 3)
        assert operate(rtl, key, 77).status is RsaStatus.FAULT
    settle(rtl)
    assert rtl.alarm
    assert all_zero(rtl)
    rtl.close()
