# SPDX-License-Identifier: Apache-2.0
"""Fault models: what is changed, where and when."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from modfab.assess.stage import Stage
from modfab.sim.registers import COPIES, Register
from modfab.sim.snapshots import COPY_CYCLES, READ_CYCLES, WRITE_CYCLES

Phase = Literal["key", "refused_key", "idle", "before", "private", "after", "wipe", "bus"]
Kind = Literal["bits", "skip", "repeat", "replace"]

FOREVER = 1 << 62
"""Cycles of a bit that is held for good: more than any run has."""


@dataclass(frozen=True, slots=True)
class Change:
    """One bit of a register.

    Attributes:
        register, element, bit: Where.
        value: None flips it; 0 or 1 holds it there.
        cycles: How long it is held.
    """

    register: Register
    element: int
    bit: int
    value: int | None = None
    cycles: int = 0

    @property
    def text(self) -> str:
        """The same for people.

        >>> Change(Register(0, "a_q", 2, 8), element=1, bit=3, value=1, cycles=FOREVER).text
        'a_q[1] bit 3 held at 1 for good'
        """
        span = "good" if self.cycles == FOREVER else f"{self.cycles} cycles"
        what = "flipped" if self.value is None else f"held at {self.value} for {span}"
        return f"{self.register.name}[{self.element}] bit {self.bit} {what}"


@dataclass(frozen=True, slots=True)
class Plan:
    """One fault.

    Attributes:
        phase: What the core is doing.
        clock: When, counted from the start of that; of `bus` in cycles of the host's accesses.
        changes: The bits that change.
        kind: Another kind than bits changes the program counter or the instruction.
    """

    phase: Phase
    clock: int
    changes: tuple[Change, ...] = ()
    kind: Kind = "bits"

    @property
    def text(self) -> str:
        """The same for people."""
        what = "; ".join(change.text for change in self.changes) if self.changes else self.kind
        return f"{self.phase}, cycle {self.clock}: {what}"


def _place(rng: random.Random, register: Register) -> tuple[Register, int, int]:
    return register, rng.randrange(register.elements), rng.randrange(register.element_bits)


def _any_bits(stage: Stage, rng: random.Random, count: int) -> tuple[Change, ...]:
    """Each bit of the core as likely as any other."""
    weights = [register.elements * register.element_bits for register in stage.registers]
    return tuple(
        Change(*_place(rng, register))
        for register in rng.choices(stage.registers, weights, k=count)
    )


def _register_bit(stage: Stage, rng: random.Random) -> Change:
    """Each register as likely as any other, which reaches states and counters."""
    return Change(*_place(rng, rng.choice(stage.registers)))


def _mixed(stage: Stage, rng: random.Random) -> tuple[Change, ...]:
    if rng.getrandbits(1):
        return (_register_bit(stage, rng),)
    return _any_bits(stage, rng, rng.randint(1, 3))


def transient(stage: Stage, rng: random.Random) -> Plan:
    """One to three bits anywhere, in a private operation."""
    return Plan("private", rng.randrange(stage.cycles), _any_bits(stage, rng, rng.randint(1, 3)))


def register(stage: Stage, rng: random.Random) -> Plan:
    """One bit of one register, in a private operation."""
    return Plan("private", rng.randrange(stage.cycles), (_register_bit(stage, rng),))


def _held(stage: Stage, rng: random.Random, cycles: int) -> Plan:
    found = _register_bit(stage, rng)
    change = Change(found.register, found.element, found.bit, rng.getrandbits(1), cycles)
    return Plan("private", rng.randrange(stage.cycles), (change,))


def stuck_for_clocks(stage: Stage, rng: random.Random) -> Plan:
    """One bit held for 2 to 1,024 cycles, in a private operation."""
    return _held(stage, rng, rng.randint(2, 1 << rng.randint(1, 10)))


def stuck_for_good(stage: Stage, rng: random.Random) -> Plan:
    """One bit held from a cycle of a private operation on."""
    return _held(stage, rng, FOREVER)


def skip(stage: Stage, rng: random.Random) -> Plan:
    """Both copies of the program counter one ahead: an instruction is left out."""
    return Plan("private", rng.randrange(stage.cycles), kind="skip")


def repeat(stage: Stage, rng: random.Random) -> Plan:
    """Both copies of the program counter one back: an instruction is done again."""
    return Plan("private", rng.randrange(stage.cycles), kind="repeat")


def replace(stage: Stage, rng: random.Random) -> Plan:
    """The instruction becomes another of the program, whose parity is right."""
    return Plan("private", rng.randrange(stage.cycles), kind="replace")


def _memories(stage: Stage) -> list[Register]:
    return [found for found in stage.registers if found.elements > 1]


def memory(stage: Stage, rng: random.Random) -> Plan:
    """One bit of a memory's word at rest, after key and message were written."""
    found = _memories(stage)
    weights = [register.elements for register in found]
    (chosen,) = rng.choices(found, weights)
    return Plan("before", rng.randrange(16), (Change(*_place(rng, chosen)),))


def memory_copies(stage: Stage, rng: random.Random) -> Plan:
    """The same bit of both copies of the word memory, at rest or in an operation."""
    copies = [found for found in stage.registers if found.name.endswith(COPIES)]
    _, element, bit = _place(rng, copies[0])
    changes = tuple(Change(copy, element, bit) for copy in copies)
    if rng.getrandbits(1):
        return Plan("before", rng.randrange(16), changes)
    return Plan("private", rng.randrange(stage.cycles), changes)


def before(stage: Stage, rng: random.Random) -> Plan:
    """After the message was written, before the start."""
    return Plan("before", rng.randrange(16), _mixed(stage, rng))


def after(stage: Stage, rng: random.Random) -> Plan:
    """After the operation, before the result is read."""
    return Plan("after", rng.randrange(16), _mixed(stage, rng))


def key_set_up(stage: Stage, rng: random.Random) -> Plan:
    """In key set-up; a private operation follows when the key is accepted."""
    return Plan("key", rng.randrange(stage.key_cycles), _mixed(stage, rng))


LAST_CYCLES = 16
"""Cycles before a program halts in which its end is decided."""

CYCLES_BEHIND = 4
"""Cycles after a program halts in which its end is still decided."""


def _last_clock(cycles: int, rng: random.Random) -> int:
    return max(cycles - LAST_CYCLES + rng.randrange(LAST_CYCLES + CYCLES_BEHIND), 0)


def key_end(stage: Stage, rng: random.Random) -> Plan:
    """Where the set-up of a good key ends; a private operation follows when it is accepted."""
    return Plan("key", _last_clock(stage.key_cycles, rng), (_register_bit(stage, rng),))


def refused_key(stage: Stage, rng: random.Random) -> Plan:
    """Where the set-up of a key that does not fit itself ends: nothing of it may stay."""
    clock = _last_clock(stage.refused_cycles, rng)
    return Plan("refused_key", clock, (_register_bit(stage, rng),))


def wipe(stage: Stage, rng: random.Random) -> Plan:
    """In a wipe of key and result."""
    return Plan("wipe", rng.randrange(stage.wipe_cycles), _mixed(stage, rng))


def idle(stage: Stage, rng: random.Random) -> Plan:
    """While the core holds a key and waits; a private operation follows."""
    return Plan("idle", rng.randrange(16), _mixed(stage, rng))


def _on_the_path(register: Register) -> bool:
    """Whether host words pass through a register: one of the core's port or of its memory's."""
    memory = ".u_memory." in register.name and register.elements == 1
    return memory or ".u_core.host_" in register.name


def bus(stage: Stage, rng: random.Random) -> Plan:
    """In any cycle of the message's writes or the result's reads; the host checks with e."""
    path = [found for found in stage.registers if _on_the_path(found)]
    words = stage.rtl.image.variables["C"][1]
    cycles = words * WRITE_CYCLES + COPY_CYCLES + words * READ_CYCLES
    return Plan("bus", rng.randrange(cycles), (Change(*_place(rng, rng.choice(path))),))


Model = Callable[[Stage, random.Random], Plan]

MODELS: dict[str, Model] = {
    "transient": transient,
    "register": register,
    "stuck_for_clocks": stuck_for_clocks,
    "stuck_for_good": stuck_for_good,
    "skip": skip,
    "repeat": repeat,
    "replace": replace,
    "memory": memory,
    "memory_copies": memory_copies,
    "before": before,
    "after": after,
    "key_set_up": key_set_up,
    "key_end": key_end,
    "refused_key": refused_key,
    "wipe": wipe,
    "idle": idle,
    "bus": bus,
}
"""Every model by its name in a report; runs are dealt to them in turn."""
