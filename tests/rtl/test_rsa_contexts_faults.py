# SPDX-License-Identifier: Apache-2.0
"""Faults in an RSA core that keeps several keys: no key meets another, an erased one is gone."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from modfab.errors import DeviceError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.registers import Register
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_attack import checked, fresh, named, settle
from tests.support.rsa_contexts import (
    CONFIGS,
    ONE,
    TWO,
    all_zero,
    change,
    key_words,
    load_two,
    two_keys,
)
from tests.support.rsa_core import Key


def contexts_bits(rtl: RtlRsa) -> list[tuple[Register, int, int]]:
    """Every bit that says which key is where."""
    found = [r for r in rtl.registers() if ".u_contexts." in r.name or ".keeps_q" in r.name]
    ends = ("u_memory.skips_q", "entry_q", "erases_q")
    found += [r for r in rtl.registers() if r.name.endswith(ends)]
    return [
        (register, element, bit)
        for register in found
        for element in range(register.elements)
        for bit in range(register.element_bits)
    ]


def alarmed(rtl: RtlRsa) -> bool:
    return rtl.alarm


def ends(rtl: RtlRsa, entry: RsaEntry) -> bool:
    """Run a program; it ends, or the core comes to rest with its alarm up."""
    return rtl.try_run(entry, 17) or (rtl.idle() < rtl.limit and alarmed(rtl))


def cut(rtl: RtlRsa, entry: RsaEntry, cycles: int) -> None:
    """Leave a program after so many cycles."""
    ample, rtl.limit = rtl.limit, cycles
    assert not rtl.try_run(entry, 0), "it was over before the cut"
    rtl.limit = ample


def right_or_gone(rtl: RtlRsa, right: int) -> bool:
    """The result is read, or refused because the alarm of a flip in the last cycle takes it."""
    try:
        return rtl.get("M") == right
    except DeviceError:
        rtl.idle()
        return alarmed(rtl) and not rtl.result_valid


def judge(rtl: RtlRsa, keys: list[Key], rng: random.Random) -> str:
    """What a fault has done: never a wrong result, nor a key beside an alarm."""
    settle(rtl)
    if alarmed(rtl):
        assert all_zero(rtl), "an alarm wipes every context"
        assert not any(rtl.valid_keys)
        return "alarm"
    fresh(rtl, rng)
    for context in (0, 1):
        if rtl.run(RsaEntry.CHANGE, 0, context).status is not RsaStatus.OK:
            assert alarmed(rtl)
            return "alarm"
        rtl.idle()
        if rtl.key_valid and not checked(rtl, keys[context], rng):
            return "refused"
    return "harmless"


def test_a_flip_never_mixes_keys(rng: random.Random) -> None:
    """One flip of each bit that says which key is where, in a change, an operation and at rest."""
    rtl, keys = two_keys(TWO, rng)
    cycles = {entry: TWO.programs().program(entry, 65537) for entry in RsaEntry}
    outcomes: Counter[str] = Counter()
    for register, element, bit in contexts_bits(rtl):
        for entry in (RsaEntry.CHANGE, RsaEntry.PRIVATE, None):
            if entry is None:
                rtl.flip(register, element, bit)
                rtl.put("C", 2)
                rtl.step(4)
            else:
                rtl.put("C", 2)
                rtl.fault(rng.randrange(cycles[entry]), register, element, bit)
                rtl.aim(1 if entry is RsaEntry.CHANGE else 0)
                assert ends(rtl, entry), register.name
                right = pow(2, keys[0].d, keys[0].n)
                if rtl.result_valid:
                    assert right_or_gone(rtl, right), register.name
            outcomes[judge(rtl, keys, rng)] += 1
            rtl.wipe(zeroize=False)
            keys = load_two(rtl, rng)
    print(dict(outcomes))
    assert outcomes["alarm"] > 100
    rtl.close()


@pytest.mark.parametrize("by", [1, -1], ids=["skip", "repeat"])
def test_an_instruction_that_is_skipped_or_repeated_mixes_no_keys(
    by: int, rng: random.Random
) -> None:
    """Both copies of the program counter move, so that they agree, where a change begins and ends.

    When it begins the counter is loaded and its first word is read, which have to be of one
    address.
    """
    rtl, keys = two_keys(TWO, rng)
    copies = [named(rtl, f"u_fetch.{name}") for name in ("pc_q", "pc_inv_q")]
    outcomes: Counter[str] = Counter()
    for entry, target in ((RsaEntry.CHANGE, 1), (RsaEntry.LEAVE, 0)):
        cycles = TWO.programs().program(entry, 0)
        middle = rng.sample(range(6, cycles - 24), 12)
        for clock in (*range(6), *middle, *range(cycles - 24, cycles - 1)):
            rtl.aim(target)
            cut(rtl, entry, clock)
            counter = rtl.value(copies[0])
            for copy in copies:
                for bit in range(copy.element_bits):
                    if (counter ^ counter + by) >> bit & 1:
                        rtl.flip(copy, 0, bit)
            rtl.idle()
            outcomes[judge(rtl, keys, rng)] += 1
            rtl.wipe(zeroize=False)
            keys = load_two(rtl, rng)
    print(dict(outcomes))
    assert outcomes["alarm"] > 10
    assert not outcomes["refused"]
    rtl.close()


def test_a_flip_leaves_nothing_of_an_erased_key(rng: random.Random) -> None:
    """One flip while a context, or everything, is wiped: nothing of it stays."""
    rtl, keys = two_keys(ONE, rng)
    wipe = 2 * rtl.image.num_words
    outcomes: Counter[str] = Counter()
    for register, element, bit in contexts_bits(rtl):
        for everything in (False, True):
            if everything:
                rtl.pulse(zeroize=True)
            else:
                cut(rtl, RsaEntry.LEAVE, 0)
            rtl.step(rng.randrange(wipe))
            rtl.flip(register, element, bit)
            settle(rtl)
            assert not any(key_words(rtl, 0)), register.name
            if everything or rtl.alarm:
                assert all_zero(rtl), register.name
                outcomes["alarm" if rtl.alarm else "all"] += 1
            else:
                fresh(rtl, rng)
                change(rtl, 1)
                right = rtl.key_valid and checked(rtl, keys[1], rng)
                outcomes["one" if right else "refused"] += 1
            rtl.wipe(zeroize=False)
            keys = load_two(rtl, rng)
    print(dict(outcomes))
    assert min(outcomes["alarm"], outcomes["all"], outcomes["one"]) > 10
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize(
    "count", [60, pytest.param(2000, marks=pytest.mark.full)], ids=["few", "many"]
)
def test_no_fault_in_a_change_gives_a_wrong_result(
    count: int, name: str, rng: random.Random
) -> None:
    """One flip, of a register as likely as any other, on the way from one key to the other."""
    rtl, keys = two_keys(CONFIGS[name], rng)
    cycles = CONFIGS[name].programs().program(RsaEntry.CHANGE, 0)
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        register = rng.choice(rtl.registers())
        place = rng.randrange(register.elements), rng.randrange(register.element_bits)
        rtl.fault(rng.randrange(cycles), register, *place)
        rtl.aim(1)
        assert ends(rtl, RsaEntry.CHANGE), register.name
        outcomes[judge(rtl, keys, rng)] += 1
        rtl.wipe(zeroize=False)
        keys = load_two(rtl, rng)
    print(dict(outcomes))
    assert outcomes["harmless"] > 0
    rtl.close()
