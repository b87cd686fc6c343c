# SPDX-License-Identifier: Apache-2.0
"""One flip or stuck bit of the RSA core's control, where chance would seldom hit it."""

from __future__ import annotations

import random

import pytest

from modfab.build.rsa import rsa_core
from modfab.errors import DeviceError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
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
from tests.support.rsa_core import load, make_key, ok, operate


@pytest.mark.parametrize("name", CONFIGS)
def test_a_wipe_that_starts_by_itself_does_not_hang(name: str, rng: random.Random) -> None:
    """A start that meets the wipe ends; it finds no key.

    A start that was accepted before the wipe ends as any fault does.
    """
    rtl, key = loaded(CONFIGS[name], rng)
    request = named(rtl, "u_core.wipe_q")
    for cycles in (-3, -2, -1, 0, 1, 2, rng.randrange(3, 30)):
        rtl.put("C", 5)
        rtl.step(4)
        if cycles < 0:  # after the start
            rtl.fault(-cycles, request, 0, 0)
        else:
            rtl.flip(request, 0, 0)
            rtl.step(cycles)
        assert rtl.try_run(RsaEntry.PRIVATE, 17), "it does not end"
        rtl.idle()
        assert rtl.status is (RsaStatus.FAULT if cycles < 0 else RsaStatus.NO_KEY), cycles
        assert not rtl.key_valid
        assert not rtl.result_valid
        assert all_zero(rtl)
        fresh(rtl, rng)
        ok(load(rtl, key))
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
def test_a_zeroize_that_nobody_asked_for_wipes_or_does_nothing(
    name: str, rng: random.Random
) -> None:
    """A flip of the register in which zeroize waits: never a key that is gone in name only."""
    rtl, key = loaded(CONFIGS[name], rng)
    waits = named(rtl, "u_core.zeroize_q")
    for cycles in (0, *(rng.randrange(1, 400) for _ in range(4))):
        rtl.put("C", 5)
        if cycles:
            rtl.fault(cycles, waits, 0, 0)
            assert rtl.try_run(RsaEntry.PRIVATE, 17)
        else:
            rtl.flip(waits, 0, 0)
        settle(rtl)
        assert rtl.key_valid or all_zero(rtl)
        assert rtl.status is not RsaStatus.ZEROIZED or all_zero(rtl)
    assert checked(rtl, key, rng)
    rtl.close()


@pytest.mark.parametrize("copy", [0, 1])
def test_a_flip_of_a_write_enable_spoils_one_copy(copy: int, rng: random.Random) -> None:
    """What the host reads is written over, in one copy of the memory: the read is refused."""
    rtl, key = loaded(ONE, rng)
    enable = named(rtl, "u_memory.wr_en_q")
    first, words = rtl.image.variables["M"]
    for word in range(words):
        ok(operate(rtl, key, rng.randrange(key.n)))
        result = rtl.get("M")
        rtl.read(first + word)
        rtl.flip(enable, 0, copy)
        rtl.step()
        assert result >> 32 * word & 0xFFFFFFFF  # zero is written
        with pytest.raises(DeviceError):
            rtl.get("M")
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
def test_a_flip_of_what_an_instruction_is_is_detected(name: str, rng: random.Random) -> None:
    rtl, key = loaded(CONFIGS[name], rng)
    kind = named(rtl, "u_core.kind_q")
    cycles = CONFIGS[name].programs().program(RsaEntry.PRIVATE, key.e)
    for bit in range(kind.element_bits):
        fresh(rtl, rng)
        rtl.fault(rng.randrange(8, cycles - 2), kind, 0, bit)
        assert not checked(rtl, key, rng)
        assert rtl.alarm
        rtl.wipe()
        fresh(rtl, rng)
        ok(load(rtl, key))
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
def test_one_cycle_of_reset_is_enough_from_any_state(name: str, rng: random.Random) -> None:
    """What a register holds at power-up, or after a flip, raises no alarm behind the reset."""
    rtl, key = loaded(CONFIGS[name], rng)
    cycles = CONFIGS[name].programs().program(RsaEntry.PRIVATE, key.e)
    kind, ample = named(rtl, "u_core.kind_q"), rtl.limit
    for bit in range(kind.element_bits):
        fresh(rtl, rng)
        rtl.put("C", rng.randrange(key.n))
        rtl.limit = rng.randrange(8, cycles - 2)
        assert not rtl.try_run(RsaEntry.PRIVATE, 17)
        rtl.limit = ample
        rtl.flip(kind, 0, bit)
        rtl.pulse(zeroize=False)
        rtl.idle()
        assert not rtl.alarm
        fresh(rtl, rng)
        ok(load(rtl, key))
        assert checked(rtl, key, rng)
    rtl.close()


POWER_UPS = CONFIGS | {
    "several keys": rsa_core("bit_serial", HALF, {"BitsPerClock": 8}, engines=2, keys=3)
}


@pytest.mark.parametrize("name", POWER_UPS)
def test_one_cycle_of_reset_is_enough_whatever_the_registers_hold(
    name: str, rng: random.Random
) -> None:
    """All zero, all one, anything: behind the reset there is no alarm, and the core works."""
    rtl, _ = loaded(POWER_UPS[name], rng)
    found = [found for found in rtl.registers() if not found.name.endswith("mem_q")]
    places = [(register, i) for register in found for i in range(register.elements)]
    for trial in range(60):
        for register, element in places:
            ones = (1 << register.element_bits) - 1
            held = (0, ones)[trial] if trial < 2 else rng.getrandbits(register.element_bits)
            changed = held ^ rtl.value(register, element)
            for bit in range(register.element_bits):
                if changed >> bit & 1:
                    rtl.flip(register, element, bit)
        rtl.pulse(zeroize=False)
        rtl.idle()
        assert not rtl.alarm, trial
    fresh(rtl, rng)
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    assert checked(rtl, key, rng)
    rtl.close()


@pytest.mark.parametrize("choice", ["from_a_q", "from_b_q"])
def test_a_selection_that_gives_nothing_ends_before_the_check(
    choice: str, rng: random.Random
) -> None:
    """Where a result became 0 by it, the check would compare 0 with 0."""
    rtl, key = loaded(TWO, rng)
    whole, short = (TWO.programs().program(RsaEntry.PRIVATE, e) for e in (key.e, 3))
    assert whole - short > 15, "nothing tells one from the other"
    for _ in range(4):
        fresh(rtl, rng)
        rtl.stick(named(rtl, f"u_alu.{choice}"), 0, 0, 0)
        run = operate(rtl, key, rng.randrange(key.n))
        assert run.status in (RsaStatus.FAULT, RsaStatus.OPERAND)
        assert run.cycles < short, "the power of the check was made"
        rtl.release()
        ok(operate(rtl, key, rng.randrange(key.n)))
    rtl.close()


@pytest.mark.parametrize("name", ["unmet_q", "unmet_off_q"])
@pytest.mark.parametrize("value", [0, 1])
def test_a_copy_of_what_need_compares_is_held(name: str, value: int, rng: random.Random) -> None:
    """It refuses what it refused before, or everything."""
    rtl, key = loaded(ONE, rng)
    message, other_decides = rng.randrange(key.n), value == (name == "unmet_off_q")
    rtl.stick(named(rtl, f"u_core.{name}"), 0, 0, value)
    assert operate(rtl, key, key.n).status is RsaStatus.OPERAND
    assert not rtl.result_valid
    expected = RsaStatus.OK if other_decides else RsaStatus.OPERAND
    assert operate(rtl, key, message).status is expected
    if other_decides:
        assert rtl.get("M") == pow(message, key.d, key.n)
    rtl.wipe()
    for part, number in (key.parts() | {"QI": key.parts()["QI"] ^ 2}).items():
        rtl.put(part, number)
    assert rtl.run(RsaEntry.KEY, key.e.bit_length()).status is not RsaStatus.OK
    assert not rtl.key_valid
    rtl.close()


@pytest.mark.parametrize("name", ["fail_q", "fail_inv_q", "load_q", "load_inv_q"])
def test_a_jump_of_one_copy_of_the_program_counter_is_an_alarm(
    name: str, rng: random.Random
) -> None:
    """What lets it jump to `fail`, or to where a program begins, is kept for each copy."""
    rtl, key = loaded(ONE, rng)
    cycles = ONE.programs().program(RsaEntry.PRIVATE, key.e)
    clock = rng.randrange(cycles // 10, cycles * 9 // 10)
    rtl.fault(clock, named(rtl, f"u_fetch.{name}"), 0, 0)
    assert not checked(rtl, key, rng)
    settle(rtl)
    assert rtl.alarm
    assert all_zero(rtl)
    rtl.close()


def test_no_state_or_two_are_an_alarm(rng: random.Random) -> None:
    """A bit changes in the state and in its complement, which still fit each other."""
    rtl, key = loaded(ONE, rng)
    cycles = ONE.programs().program(RsaEntry.PRIVATE, key.e)
    copies = [named(rtl, f"u_control.{end}") for end in ("hot_q", "hot_inv_q")]
    for bit in range(copies[0].element_bits):
        clock = rng.randrange(cycles * 9 // 10)
        for copy in copies:
            rtl.fault(clock, copy, 0, bit)
        assert not checked(rtl, key, rng), (bit, clock)
        settle(rtl)
        assert rtl.alarm, (bit, clock)
        assert rtl.status is RsaStatus.FAULT, (bit, clock)
        assert all_zero(rtl), (bit, clock)
        rtl.wipe()
        fresh(rtl, rng)
        ok(load(rtl, key))
    rtl.close()
