# SPDX-License-Identifier: Apache-2.0
"""Correlation of guessed words of a prime with toggles, for chosen ciphertexts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from modfab.assess.statistics import Correlation, Values, score_threshold
from modfab.assess.traces import Plan, cycles_of, run_traced, set_up, start
from modfab.sim.toggles import ToggleRsa

BLOCK = 50
"""Traces with the same first blinders."""

GUESSES = 256
"""Values of the lowest byte of a prime; the attack does not use that it is odd."""

REDUCTION, RECOMBINATION = "reduction", "recombination"
ATTACKS = (REDUCTION, RECOMBINATION)


def _table() -> Values:
    """For each byte and guess g the weight of (byte - g) mod 256, less what bits of the byte tell.

    The byte is public, and much of a core toggles with it; what is left is orthogonal to it.
    """
    byte = np.arange(256)
    weights = np.array([value.bit_count() for value in range(256)], np.float64)
    wanted = weights[byte[:, None] - np.arange(GUESSES)[None, :] & 0xFF]
    public = np.column_stack([np.ones(256), *(byte >> bit & 1 for bit in range(8))])
    return np.asarray(wanted - public @ np.linalg.lstsq(public, wanted, rcond=None)[0])


_GUESSED = _table()


def low_byte_guesses(varied: Sequence[int]) -> Values:
    """For each trace and guess g what the Hamming weight of (varied - g) mod 256 has beside varied.

    >>> low_byte_guesses([5, 7]).shape
    (2, 256)
    >>> bool(np.abs(low_byte_guesses([5])[0, 0]) < 1e-9)
    True
    """
    return np.asarray(_GUESSED[np.array(varied)])


@dataclass(frozen=True, slots=True)
class Attack:
    """Messages whose lowest byte is random, and what a core without blinding computes with it.

    Attributes:
        name: `reduction`: ciphertexts no longer than a prime, so that the first thing to subtract
            from them is the prime. `recombination`: ciphertexts of results just above every prime,
            whose remainder modulo q is their difference to q.
        plan: What is looked at: the phases in which that happens.
    """

    name: str
    plan: Plan

    def message(self, varied: int) -> int:
        """The message of a trace."""
        key, half = self.plan.key, self.plan.core.shape.half_bits
        if self.name == REDUCTION:
            return (1 << half - 1) + (0x5A << half - 9) + varied
        return pow((1 << half) + varied, key.e, key.n)

    def right(self) -> dict[str, int]:
        """The right guess of each prime that it looks for."""
        key = self.plan.key
        primes = {"p": key.p, "q": key.q} if self.name == REDUCTION else {"q": key.q}
        return {name: prime & 0xFF for name, prime in primes.items()}


def attack_of(name: str, plan: Plan) -> Attack:
    """An attack, on the phases in which the core computes what is guessed."""
    phase = {REDUCTION: "input", RECOMBINATION: "recombination"}[name]
    return Attack(name, plan.only((phase, "between")))


def run_block(
    rtl: ToggleRsa, attack: Attack, seed: int, block: int, noise: float
) -> tuple[list[int], Values]:
    """The varied byte of each trace of a block, and their toggles."""
    rng = random.Random(f"{seed} cpa {attack.name} {block}")
    draw = np.random.default_rng(rng.getrandbits(64))
    set_up(rtl, attack.plan.key, rng)
    varied, traces = [], []
    for _ in range(BLOCK):
        varied.append(rng.getrandbits(8))
        start(rtl, attack.plan.key, attack.message(varied[-1]), rng)
        traces.append(run_traced(rtl, attack.plan, None))
    found = np.stack(traces).astype(np.float64)
    if noise:
        found += draw.normal(0, noise, found.shape)
    return varied, found


def of_classes(scores: Values) -> Values:
    """The higher score of each two guesses that differ in the highest bit.

    It stands alone there, so that its sign, which is lost, is all that tells them apart.
    """
    return np.asarray(np.maximum(scores[: GUESSES // 2], scores[GUESSES // 2 :]))


def rows(sums: Correlation, attack: Attack) -> dict[str, dict[str, Any]]:
    """For each prime the rank of the right guess among all, and whether it stands out."""
    scores, cycles = sums.scores(), cycles_of(attack.plan)
    best, limit = of_classes(scores.max(axis=1)), score_threshold(scores.size, sums.count)
    classes = len(best)
    found = {}
    for prime, value in attack.right().items():
        right = value % classes
        known = {v % classes for v in (*attack.right().values(), attack.plan.key.n)} - {right}
        rivals = best.copy()
        rivals[list(known)] = 0  # the other prime is another row, and n is public
        rank = 1 + int((rivals > best[right]).sum())
        point = int(np.argmax(np.maximum(scores[right], scores[right + classes])))
        found[f"{attack.name}, {prime}"] = {
            "traces": sums.count,
            "cycles": len(cycles),
            "rank": rank,
            "of": classes - len(known),
            "z": round(float(best[right]), 2),
            "at_cycle": int(cycles[point]),
            "highest_z": round(float(rivals.max()), 2),
            "threshold": round(limit, 2),
            "found": bool(rank == 1 and best[right] > limit),
        }
    return found
