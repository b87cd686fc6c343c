# SPDX-License-Identifier: Apache-2.0
"""One flip of a control bit of the RSA core where a program begins or ends."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from modfab.assess.models import Plan
from modfab.assess.outcome import run_fault
from modfab.assess.stage import Stage
from modfab.errors import DeviceError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.registers import Register
from modfab.sim.snapshots import SnapshotRsa
from tests.support.rsa_attack import ONE

BEFORE, BEHIND = 8, 5
"""Cycles before the cycle in which a program halts, and from it on."""

WIDE = 4
"""Of a register of more bits, such as counts, half as many are tried, chosen by chance."""

NAMES = (
    *("u_core.refused_q", "u_core.ended_starved_q", "u_core.need_fails_q", "u_core.wipe_q"),
    *("u_core.alarm_q", "u_core.released_q", "u_core.released_off_q"),
)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    rng = random.Random(os.environ["MODFAB_SEED"])
    stage = Stage(SnapshotRsa(ONE, seed=rng.randrange(1, 1 << 30)), rng)
    yield stage
    stage.close()


def control(stage: Stage) -> list[Register]:
    """What decides how a program ends; not the counter of its cycles."""
    return [
        register
        for register in stage.registers
        if register.name.endswith(NAMES)
        or (".u_ending." in register.name and not register.name.endswith("cycles_o"))
    ]


def flips(stage: Stage, cycles: int, rng: random.Random) -> Iterator[tuple[Register, int, int]]:
    """Bits, of a wide register some, in every cycle: register, bit, cycles from the snapshot."""
    for register in control(stage):
        bits = range(register.element_bits)
        for bit in bits if len(bits) <= WIDE else rng.sample(bits, WIDE // 2):
            for clock in range(cycles):
                yield register, bit, clock


def near_the_end(stage: Stage, begin: int, entry: RsaEntry, cycles: int) -> tuple[int, int]:
    """Snapshots: shortly before a program halts, and of the core at rest behind it."""
    rtl = stage.rtl
    rtl.restore(begin)
    rtl.begin(entry, stage.e_bits)
    rtl.go(cycles - BEFORE)
    near = rtl.save()
    rtl.step(BEFORE + BEHIND)
    settle(stage)
    return near, rtl.save()


def run_out(stage: Stage, near: int, register: Register, bit: int, clock: int) -> None:
    """From the snapshot over the end of the program, with a flip on the way."""
    stage.rtl.restore(near)
    stage.rtl.step(clock)
    stage.rtl.flip(register, 0, bit)
    stage.rtl.step(BEFORE + BEHIND - clock)


def settle(stage: Stage) -> None:
    """Wait for the end of a wipe, which begins some cycles after its cause."""
    stage.rtl.step(4)
    stage.rtl.idle()


def empty(stage: Stage) -> bool:
    return all(stage.rtl.peek(name) == 0 for name in stage.rtl.image.variables)


def released(stage: Stage) -> int | None:
    """The result that the host gets, if it gets one."""
    try:
        return stage.rtl.get("M") if stage.rtl.result_valid else None
    except DeviceError:
        return None


def works(stage: Stage) -> bool:
    """A private operation with the key that is there gives the right result, or none."""
    stage.rtl.put("C", stage.message)
    stage.rtl.begin(RsaEntry.PRIVATE, stage.e_bits)
    assert stage.rtl.go(stage.rtl.limit)[0], "it does not end"
    settle(stage)
    return released(stage) in (None, stage.result)


def test_where_a_private_operation_ends(stage: Stage, rng: random.Random) -> None:
    rtl = stage.rtl
    near, rest = near_the_end(stage, stage.ready, RsaEntry.PRIVATE, stage.cycles)
    for register, bit, clock in flips(stage, BEFORE + BEHIND, rng):
        where = (register.name, bit, clock - BEFORE)
        run_out(stage, near, register, bit, clock)
        assert released(stage) in (None, stage.result), where
        settle(stage)
        assert released(stage) in (None, stage.result), where
        assert rtl.key_valid or empty(stage), where
    rtl.restore(rest)
    assert released(stage) == stage.result


def near_a_refusal(stage: Stage) -> int:
    """A snapshot shortly before an operation ends whose message is not below n."""
    rtl = stage.rtl
    rtl.restore(stage.loaded)
    rtl.put("C", stage.key.n)
    begin = rtl.save()
    rtl.begin(RsaEntry.PRIVATE, stage.e_bits)
    _, cycles = rtl.go(rtl.limit)
    assert rtl.status_code == RsaStatus.OPERAND
    return near_the_end(stage, begin, RsaEntry.PRIVATE, cycles)[0]


def test_where_a_refused_operation_ends(stage: Stage, rng: random.Random) -> None:
    """No flip makes the zeros that it leaves a result."""
    rtl, near = stage.rtl, near_a_refusal(stage)
    for register, bit, clock in flips(stage, BEFORE + BEHIND, rng):
        where = (register.name, bit, clock - BEFORE)
        run_out(stage, near, register, bit, clock)
        assert not rtl.result_valid, where
        settle(stage)
        assert not rtl.result_valid, where
        assert rtl.key_valid or empty(stage), where


@pytest.mark.parametrize("name", ["released_q", "released_off_q"])
def test_a_release_of_a_refused_operation_that_waits(stage: Stage, name: str) -> None:
    """Its last instruction waits for an engine, so that a release holds for it."""
    rtl, near = stage.rtl, near_a_refusal(stage)
    waits, release = (
        next(found for found in stage.registers if found.name.endswith(f"u_core.{end}"))
        for end in ("eng_waits_q", name)
    )
    rtl.restore(near)
    rtl.stick(waits, 0, 0, 1)
    rtl.step(BEFORE + BEHIND)
    rtl.flip(release, 0, 0)
    rtl.step(2)
    rtl.release()
    rtl.step(BEHIND)
    assert rtl.status_code == RsaStatus.OPERAND
    assert not rtl.result_valid


@pytest.mark.parametrize("good", [True, False], ids=["good key", "refused key"])
def test_where_the_set_up_of_a_key_ends(stage: Stage, good: bool, rng: random.Random) -> None:
    """A key that is not valid leaves no word; one that is refused never becomes valid."""
    rtl = stage.rtl
    begin, cycles = (
        (stage.written, stage.key_cycles) if good else (stage.refused, stage.refused_cycles)
    )
    near, rest = near_the_end(stage, begin, RsaEntry.KEY, cycles)
    assert rtl.key_valid == good
    seen = set()
    for register, bit, clock in flips(stage, BEFORE + BEHIND, rng):
        where = (register.name, bit, clock - BEFORE)
        run_out(stage, near, register, bit, clock)
        settle(stage)
        assert released(stage) is None, where
        seen.add(rtl.key_valid)
        if not rtl.key_valid:
            assert empty(stage), where
        elif not rtl.same(rest):
            assert good, where
            assert works(stage), where
    assert seen == ({True, False} if good else {False})


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("program", ["private", "good key", "refused key"])
def test_what_decides_on_the_wipe_is_held(stage: Stage, program: str, value: int) -> None:
    """For good: neither the zeros of a wipe are a result, nor does a refused key stay."""
    rtl = stage.rtl
    begin, entry, cycles = {
        "private": (stage.ready, RsaEntry.PRIVATE, stage.cycles),
        "good key": (stage.written, RsaEntry.KEY, stage.key_cycles),
        "refused key": (stage.refused, RsaEntry.KEY, stage.refused_cycles),
    }[program]
    near, _ = near_the_end(stage, begin, entry, cycles)
    rtl.restore(near)
    (register,) = (found for found in stage.registers if found.name.endswith("u_ending.drop_q"))
    rtl.stick(register, 0, 0, value)
    rtl.step(BEFORE + BEHIND)
    settle(stage)
    assert released(stage) in (None, stage.result)
    assert rtl.key_valid or empty(stage)
    assert rtl.alarm == (value != (program == "refused key"))


@pytest.mark.parametrize("second", [False, True], ids=["both wipes", "the second wipe"])
def test_a_refused_key_is_reported_when_the_engine_is_wiped(stage: Stage, second: bool) -> None:
    """A bit held for good ends the engine's wipes too early."""
    rtl = stage.rtl
    end, asked = (
        next(found for found in stage.registers if found.name.endswith(name))
        for name in ("u_engine.end_q", "u_wipe.second_q")
    )
    rtl.restore(stage.refused)
    rtl.begin(RsaEntry.KEY, stage.e_bits)
    rtl.go(stage.refused_cycles)
    for _ in range(stage.wipe_cycles if second else 0):
        if not rtl.is_zero(asked):
            break
        rtl.step()
    rtl.stick(end, 0, 0, 1)
    done, _ = rtl.go(8 * stage.wipe_cycles)
    assert not done
    assert rtl.alarm
    rtl.release()
    done, _ = rtl.go(4 * stage.wipe_cycles)
    assert done
    settle(stage)
    assert empty(stage)


def test_a_release_does_not_last_into_the_next_program(stage: Stage, rng: random.Random) -> None:
    """An instruction at the end of `private` skipped, in both copies of the program counter."""
    outcomes = Counter(
        run_fault(stage, Plan("private", stage.cycles - before, kind="skip"), rng).name
        for before in range(1, 6 * BEFORE)
    )
    print(dict(outcomes))
    assert set(outcomes) <= {"harmless", "detected"}
    assert outcomes["detected"] > BEFORE


def test_a_first_instruction_taken_too_early_is_an_alarm(stage: Stage) -> None:
    """While its word comes from the program memory, three cycles that are left become one."""
    rtl = stage.rtl
    (left,) = (found for found in stage.registers if found.name.endswith("u_control.count_q"))
    rtl.restore(stage.ready)
    rtl.begin(RsaEntry.PRIVATE, stage.e_bits)
    while rtl.value(left) == 3:  # it counts from the second cycle of the start on
        rtl.step()
    assert rtl.value(left) == 2
    rtl.flip(left, 0, 0)
    rtl.flip(left, 0, 1)
    rtl.step(6)
    assert rtl.alarm
    settle(stage)
    assert empty(stage)


def test_a_start_is_not_lost_silently(stage: Stage, rng: random.Random) -> None:
    """The result of before is not taken for that of an operation that did not begin."""
    rtl = stage.rtl
    rtl.restore(stage.done)
    rtl.put("C", other := stage.message ^ 1)
    expected = pow(other, stage.key.d, stage.key.n)
    begin = rtl.save()
    for register, bit, clock in flips(stage, 4, rng):
        where = (register.name, bit, clock)
        rtl.restore(begin)
        rtl.begin(RsaEntry.PRIVATE, stage.e_bits)
        rtl.step(clock)
        rtl.flip(register, 0, bit)
        ended, _ = rtl.go(rtl.limit)
        assert ended or rtl.status_code == RsaStatus.FAULT, where
        assert released(stage) in (None, expected), where
