# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_mod_product`: a*b mod n by repeated addition."""

from __future__ import annotations

from modfab.models.plain import PlainModel


def loop_steps(m: int, t: int, x: int, n: int, num_steps: int) -> tuple[int, int]:
    """`num_steps` iterations of m <- m + x_i*t mod n, t <- 2t mod n, as the lane does them.

    Args:
        m, t: Sum and shifted factor, below n.
        x: Bits of the other factor, the first iteration's in bit 0.
        n: Modulus.
        num_steps: Iterations.

    Returns:
        m and t, below n.

    Source: [LIAO24] Algorithm 2 in docs/papers.md.

    >>> loop_steps(0, 9, 5, 13, 4)
    (6, 1)
    """
    for _ in range(num_steps):
        if x & 1:
            m += t
            m -= n if m >= n else 0
        t += t
        t -= n if t >= n else 0
        x >>= 1
    return m, t


class ModProductModel(PlainModel):
    """Engine model; slots hold residues.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = ModProductModel(16, 8, bits_per_step=4, clocks_per_step=2, num_lanes=1)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFF1,)))
    >>> engine.run(Command(Op.SETUP)).cycles, engine.status.name
    (4, 'OK')
    >>> _ = engine.run(Command(Op.LOAD, dst0=4, words=(0xFFF0,)))
    >>> engine.run(Command(Op.MUL, dst0=5, a0=4, b=4)).cycles, engine.slots[5]
    (10, 1)
    """

    def __init__(
        self,
        num_bits: int,
        num_slots: int,
        bits_per_step: int,
        clocks_per_step: int,
        num_lanes: int,
    ) -> None:
        super().__init__(num_bits, num_slots, num_lanes)
        self.clocks_per_step = clocks_per_step
        self.bits_per_step = bits_per_step
        self._num_steps = -(-num_bits // bits_per_step)

    def lane(self, a: int, b: int) -> tuple[int, int]:
        """The whole loop."""
        m, _ = loop_steps(0, b, a, self.modulus, self._num_steps * self.bits_per_step)
        return m, self.clocks_per_step * self._num_steps
