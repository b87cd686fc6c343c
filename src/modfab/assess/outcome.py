# SPDX-License-Identifier: Apache-2.0
"""Runs one fault on a simulated core and classifies its outcome."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import gcd

from modfab.assess.models import Change, Plan
from modfab.assess.stage import AssessKey, Stage
from modfab.errors import DeviceError
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.registers import COPIES, Register
from modfab.sim.snapshots import COPY_CYCLES, READ_CYCLES, WRITE_CYCLES

OUTCOMES = ("detected", "harmless", "wrong", "factoring", "hung", "secret_left")
"""What a fault can come to. A factoring result is counted under `wrong` too, or `detected` where
the host refused it, and `secret_left` beside what else came of the run."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one fault.

    Attributes:
        name: detected, harmless, wrong or hung.
        factoring: The result that left the core gives a prime of n.
        secret_left: After a wipe something is left; `run_block` asks whether the key is in it.
        by_host: The host's check with e found a wrong result.
        other_message: The result is right for the message that the fault has left in the core.
    """

    name: str
    factoring: bool = False
    secret_left: bool = False
    by_host: bool = False
    other_message: bool = False

    def counted(self) -> list[str]:
        """The counters that it adds to."""
        flags = {
            "factoring": self.factoring,
            "secret_left": self.secret_left,
            "caught_by_host": self.by_host,
            "other_message": self.other_message,
        }
        return ["runs", self.name, *(name for name, there in flags.items() if there)]


def gives_a_factor(key: AssessKey, message: int, result: int) -> bool:
    """Whether a wrong result tells a prime of n, as Boneh, DeMillo and Lipton showed.

    >>> key = AssessKey(61, 53, 17)
    >>> half_wrong = pow(65, key.d, 61) * 53 * pow(53, -1, 61)  # right modulo 61, 0 modulo 53
    >>> gives_a_factor(key, 65, half_wrong), gives_a_factor(key, 65, pow(65, key.d, key.n))
    (True, False)
    """
    difference = (pow(result, key.e, key.n) - message) % key.n
    return 1 < gcd(difference, key.n) < key.n


def run_fault(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
    """One run from a snapshot, with its fault."""
    return _RUNS[plan.phase](stage, plan, rng)


# ---- what is changed ----
def _apply(stage: Stage, plan: Plan, rng: random.Random) -> None:
    rtl = stage.rtl
    if plan.kind == "replace":
        _replace(stage, rng)
    elif plan.kind != "bits":
        _move(stage, 1 if plan.kind == "skip" else -1)
    for change in plan.changes:
        where = (change.register, change.element, change.bit)
        rtl.flip(*where)
        if change.value is not None:
            if rtl.value(change.register, change.element) >> change.bit & 1 != change.value:
                rtl.flip(*where)
            rtl.stick(*where, change.value, change.cycles)


def _named(stage: Stage, end: str) -> Register:
    return next(found for found in stage.registers if found.name.endswith(end))


def _set(stage: Stage, register: Register, value: int) -> None:
    changed = stage.rtl.value(register) ^ value
    for bit in range(register.element_bits):
        if changed >> bit & 1:
            stage.rtl.flip(register, 0, bit)


def _move(stage: Stage, by: int) -> None:
    """Both copies of the program counter, so that they still agree."""
    counter, inverse = (_named(stage, f"u_fetch.{name}") for name in ("pc_q", "pc_inv_q"))
    ones = (1 << counter.element_bits) - 1
    value = stage.rtl.value(counter) + by & ones
    _set(stage, counter, value)
    _set(stage, inverse, ones ^ value)


def _replace(stage: Stage, rng: random.Random) -> None:
    """Another instruction in the register that is executed, or for a while in the fetched one."""
    rtl, code = stage.rtl, stage.rtl.image.code
    value = code[rng.randrange(len(code))].encode()
    if rng.getrandbits(1):
        _set(stage, _named(stage, "u_core.instr_q"), value)
        return
    fetched = _named(stage, "u_fetch.instr_q")
    cycles = 1 << rng.randrange(8)
    _set(stage, fetched, value)
    for bit in range(fetched.element_bits):
        rtl.stick(fetched, 0, bit, value >> bit & 1, cycles)


# ---- the phases ----
def _private(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
    rtl = stage.rtl
    start = max((p for p in stage.points if p.clock <= plan.clock), key=lambda point: point.clock)
    rtl.restore(start.snapshot)
    rtl.go(plan.clock - start.clock)
    _apply(stage, plan, rng)
    clock, done = plan.clock, False
    for point in (p for p in stage.points if p.clock > plan.clock):
        done, cycles = rtl.go(point.clock - clock)
        clock += cycles
        if not done and clock == point.clock and rtl.same(point.snapshot):
            return Outcome("harmless")  # from here on it is the run without a fault
        if done:
            break
    if not done:
        done, _ = rtl.go(rtl.limit)
    return _judge(stage, plan, done, {stage.message})


def _operate(stage: Stage, plan: Plan, messages: set[int]) -> Outcome:
    stage.rtl.begin(RsaEntry.PRIVATE, stage.e_bits)
    done, _ = stage.rtl.go(stage.rtl.limit)
    return _judge(stage, plan, done, messages)


def _stored(stage: Stage) -> set[int]:
    """The message as either copy of the memory holds it; none is left by a wipe."""
    if not stage.rtl.key_valid:
        return set()
    address, words = stage.rtl.image.variables["C"]
    copies = [_named(stage, end) for end in COPIES]
    return {
        sum(stage.rtl.value(copy, address + i) << 32 * i for i in range(words)) for copy in copies
    }


def _before(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
    rtl = stage.rtl
    rtl.restore(stage.ready)
    rtl.step(plan.clock)
    _apply(stage, plan, rng)
    rtl.step()
    return _operate(stage, plan, {stage.message} | _stored(stage))


def _idle(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
    rtl = stage.rtl
    rtl.restore(stage.loaded)
    rtl.step(plan.clock)
    _apply(stage, plan, rng)
    rtl.step(4)
    rtl.idle()
    if not rtl.key_valid:  # wiped; a message would stay in the empty core
        return _settle(stage, plan, Outcome("detected"))
    rtl.put("C", stage.message)
    return _operate(stage, plan, {stage.message})


def _after(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
    stage.rtl.restore(stage.done)
    stage.rtl.step(plan.clock)
    _apply(stage, plan, rng)
    return _judge(stage, plan, True, {stage.message})


def _key(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
    rtl = stage.rtl
    rtl.restore(stage.refused if plan.phase == "refused_key" else stage.written)
    rtl.begin(RsaEntry.KEY, stage.e_bits)
    done, cycles = rtl.go(plan.clock)
    rtl.step(plan.clock - cycles)  # behind the end
    _apply(stage, plan, rng)
    if not done:
        done, _ = rtl.go(rtl.limit)
    rtl.step(4)
    rtl.idle()
    if not done or not rtl.key_valid:  # of a valid key the core computes, whatever its status
        return _judge(stage, plan, done, {stage.message})
    rtl.put("C", stage.message)
    return _operate(stage, plan, {stage.message})


def _wipe(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
    rtl = stage.rtl
    rtl.restore(stage.done)
    rtl.pulse()
    rtl.step(plan.clock)
    _apply(stage, plan, rng)
    return _judge(stage, plan, True, {stage.message})


def _bus(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
    """A message word or a result word that changes on its way; the host's check decides."""
    rtl, words = stage.rtl, stage.rtl.image.variables["C"][1]
    rtl.restore(stage.loaded)
    for index in range(words):
        _meet(stage, plan, range(index * WRITE_CYCLES, (index + 1) * WRITE_CYCLES))
        rtl.put_word("C", index, stage.message >> 32 * index & 0xFFFFFFFF)
    written = words * WRITE_CYCLES + COPY_CYCLES
    rtl.step(COPY_CYCLES)
    if plan.clock == written - 1:
        _apply(stage, plan, rng)
    rtl.begin(RsaEntry.PRIVATE, stage.e_bits)
    done, _ = rtl.go(rtl.limit)
    if plan.clock < written or not done or not rtl.result_valid:
        return _judge(stage, plan, done, {stage.message}, host=True)
    first, num_words = rtl.image.variables["M"]
    result = 0
    for index in range(num_words):
        start = written + index * READ_CYCLES
        _meet(stage, plan, range(start, start + READ_CYCLES))
        word, good = rtl.read(first + index)
        if not good:
            return _settle(stage, plan, Outcome("detected"))
        result |= word << 32 * index
    return _settle(stage, plan, _released(stage, result, {stage.message}, host=True))


def _meet(stage: Stage, plan: Plan, cycles: range) -> None:
    """Let the fault meet the next access, when its cycle is one of these."""
    if plan.clock in cycles:
        places = [(change.register, change.element, change.bit) for change in plan.changes]
        stage.rtl.flip_in_access(plan.clock - cycles.start + 1, places)


# ---- outcome ----
def _judge(stage: Stage, plan: Plan, done: bool, messages: set[int], host: bool = False) -> Outcome:
    rtl = stage.rtl
    if not done:
        return Outcome("hung")
    outcome = Outcome("harmless" if plan.phase == "wipe" else "detected")
    if rtl.result_valid and plan.phase != "wipe":
        try:
            result = rtl.get("M")
        except DeviceError:
            result = None
        if result is not None:
            outcome = _released(stage, result, messages, host)
    return _settle(stage, plan, outcome)


def _released(stage: Stage, result: int, messages: set[int], host: bool) -> Outcome:
    key = stage.key
    if result == stage.result:
        return Outcome("harmless")
    known = messages | _stored(stage)
    factoring = any(gives_a_factor(key, message, result) for message in known)
    if host and pow(result, key.e, key.n) != stage.message:  # but whoever sees the bus has read it
        return Outcome("detected", factoring, by_host=True)
    if any(result == pow(message, key.d, key.n) for message in known):
        return Outcome("harmless", other_message=True)
    return Outcome("wrong", factoring)


def _settle(stage: Stage, plan: Plan, outcome: Outcome) -> Outcome:
    """Wait for the end of a wipe, and look what it has left."""
    rtl = stage.rtl
    rtl.step(4)
    if rtl.idle() >= rtl.limit:
        told = outcome.name == "wrong" or outcome.factoring  # it was read before
        return outcome if told else Outcome("hung")
    if rtl.key_valid:
        return outcome if plan.phase != "wipe" else Outcome("hung")
    name = "detected" if plan.phase == "wipe" and rtl.alarm else outcome.name
    left = _left(stage, plan.changes)
    return replace(outcome, name=name, secret_left=left)


def _left(stage: Stage, changes: tuple[Change, ...]) -> bool:
    """Whether a wiped register holds more bits than the fault itself has set, or copies."""
    found = remains(stage)
    return any(sum(map(int.bit_count, values)) > len(changes) for values in found.values())


def remains(stage: Stage) -> dict[str, list[int]]:
    """What the registers that a wipe leaves zero hold now, of those that hold something."""
    rtl = stage.rtl
    return {
        register.name: [rtl.value(register, element) for element in range(register.elements)]
        for register in stage.cleared
        if not rtl.is_zero(register)
    }


_RUNS = {
    "private": _private,
    "before": _before,
    "idle": _idle,
    "after": _after,
    "key": _key,
    "refused_key": _key,
    "wipe": _wipe,
    "bus": _bus,
}
