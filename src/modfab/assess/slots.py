# SPDX-License-Identifier: Apache-2.0
"""Reading the exponent of one operation from the slot numbers of its products."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import numpy.typing as npt

from modfab.assess.traces import Plan, set_up, start
from modfab.sim.toggles import Squares, ToggleRsa

BLOCK = 20
"""Operations after one set-up of the key."""

CHANCE = 0.55
"""A share of bits up to here is a coin's."""

_SEEN_FIRST = 8
"""Operations that are watched for the cycles in which a command changes."""

Signs = npt.NDArray[np.float32]


class Watcher:
    """Commands of a sequencer in an exponentiation, operation by operation.

    Args:
        rtl: The simulation.
        plan: Its key, and when its first exponentiation is.
        seed: Of messages and blinding.
    """

    def __init__(self, rtl: ToggleRsa, plan: Plan, seed: int) -> None:
        self.rtl, self.plan, self.seed, self.number = rtl, plan, seed, 0
        self.start = plan.exponentiation.start
        self.cycles = plan.exponentiation.end - self.start
        ends = ("gen_unit[0].u_sequencer.cmd_q",)
        self.registers = [r for r in rtl.registers() if r.name.endswith(ends)]

    def operation(self) -> tuple[int, Squares]:
        """The blinded exponent of an operation, and the command in each cycle."""
        rng = random.Random(f"{self.seed} slots {self.number}")
        if self.number % BLOCK == 0:
            set_up(self.rtl, self.plan.key, rng)
        self.number += 1
        start(self.rtl, self.plan.key, rng.randrange(self.plan.key.n), rng)
        self.rtl.go(self.start)
        exponent = self.rtl.peek("XD")
        seen = self.rtl.record(self.registers, self.cycles)
        self.rtl.go(self.rtl.limit)
        return exponent, seen[:, 0]


def _moments(commands: list[Squares]) -> npt.NDArray[np.intp]:
    """The first cycle, and each in which some operation's command changes."""
    early = np.stack(commands)
    moved = np.flatnonzero((early[:, 1:] != early[:, :-1]).any(axis=0)) + 1
    return np.concatenate([[0], moved])


def _features(commands: list[Squares]) -> Signs:
    """1 or -1 for each operation and each bit of a command, and each change from the one before."""
    values = np.stack(commands)
    both = np.concatenate([values, values[:, 1:] ^ values[:, :-1]], axis=1)
    shifts = np.arange(64, dtype=np.uint64)
    bits = np.concatenate([(both >> k & np.uint64(1)).astype(np.uint8) for k in shifts], axis=1)
    varied = bits[:, (bits != bits[:1]).any(axis=0)]
    return np.asarray(varied.astype(np.float32) * 2 - 1)


def guessed_share(learned: tuple[Signs, Signs], attacked: tuple[Signs, Signs]) -> float:
    """The share of bits that one feature each tells, learned from other operations.

    Args:
        learned, attacked: Features and exponent bits of some operations, all 1 or -1.
    """
    agreement = learned[0].T @ learned[1]
    best = np.abs(agreement).argmax(axis=0)
    sign = np.sign(agreement[best, np.arange(agreement.shape[1])])
    guesses = attacked[0][:, best] * np.where(sign == 0, 1, sign)
    return float((guesses == attacked[1]).mean())


def guess_slots(rtl: ToggleRsa, plan: Plan, operations: int, seed: int) -> dict[str, Any] | None:
    """Learn from half of the operations, guess the exponents of the others one by one.

    None where no bit of the exponent varies, as without exponent blinding: nothing was examined.
    """
    watcher = Watcher(rtl, plan, seed)
    early = [watcher.operation() for _ in range(min(operations, _SEEN_FIRST))]
    moments = _moments([commands for _, commands in early])
    late = (watcher.operation() for _ in range(operations - len(early)))
    seen = [(exponent, commands[moments]) for exponent, commands in (*early, *late)]
    num_bits = plan.core.shape.private_bits
    exponents = [[exponent >> bit & 1 for bit in range(num_bits)] for exponent, _ in seen]
    bits = np.array(exponents, np.float32) * 2 - 1
    varied = (bits != bits[:1]).any(axis=0)
    if not varied.any():
        return None
    bits, half = bits[:, varied], operations // 2
    features = _features([commands for _, commands in seen])
    if features.shape[1] == 0:
        share = 0.5
    else:
        share = guessed_share((features[:half], bits[:half]), (features[half:], bits[half:]))
    return {
        "operations": operations,
        "cycles": watcher.cycles,
        "bits": int(varied.sum()),
        "guessed": round(share, 4),
        "chance": CHANCE,
        "found": share > CHANCE,
    }
