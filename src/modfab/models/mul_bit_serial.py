# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_bit_serial`: bit-serial Montgomery products in three variants."""

from __future__ import annotations

from modfab.models.engine import EngineModel

PLAIN, SUM, FLAT = 0, 1, 2
"""Variants: two dependent ifs, m + d1 + d2, one of four precomputed sums."""


def loop_steps(m: int, x: int, b: int, n: int, num_steps: int, variant: int) -> int:
    """`num_steps` iterations of m <- (m + x_i*b + q*n) / 2, as `mf_mul_bit_serial_step`.

    Args:
        m: Accumulator, below 2n.
        x: Bits of the multiplier, the first iteration's in bit 0.
        b, n: Multiplicand and odd modulus, b < n.
        num_steps: Iterations.
        variant: PLAIN, SUM or FLAT; all give the same value.

    Returns:
        The accumulator, below 2n.

    Source: [LIAO24] Algorithm 3 and section 3.4 in docs/papers.md.

    >>> [loop_steps(0, 5, 9, 13, 4, v) for v in (PLAIN, SUM, FLAT)]
    [15, 15, 15]
    """
    sums = (0, n, b, b + n)
    for _ in range(num_steps):
        bit = x & 1
        if variant == PLAIN:
            if bit:
                m += b
            if m & 1:
                m += n
        else:
            q = (m ^ (bit & b)) & 1
            if variant == SUM:
                m = m + (b if bit else 0) + (n if q else 0)
            else:
                m += sums[2 * bit + q]
        m >>= 1
        x >>= 1
    return m


class BitSerialModel(EngineModel[int]):
    """Engine model; slots hold canonical integers.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = BitSerialModel(num_bits=16, num_slots=8, variant=FLAT, bits_per_clock=1)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFF1,)))
    >>> engine.run(Command(Op.SETUP)).cycles, engine.status.name
    (34, 'OK')
    >>> engine.run(Command(Op.MUL, dst0=5, a0=2, b=0)).cycles
    18
    >>> engine.slots[5] == engine.slots[1] == 2**16 % 0xFFF1
    True
    """

    def __init__(self, num_bits: int, num_slots: int, variant: int, bits_per_clock: int) -> None:
        self.variant = variant
        self.bits_per_clock = bits_per_clock
        self._r_bits = -(-num_bits // bits_per_clock) * bits_per_clock
        super().__init__(num_bits, num_slots)

    @property
    def r_bits(self) -> int:
        """R = 2**r_bits: the bits of the modulus, rounded up to whole cycles."""
        return self._r_bits

    def from_integer(self, value: int) -> int:
        """Canonical integers are the private form."""
        return value

    def to_integer(self, private: int) -> int:
        """Slots are canonical already."""
        return private

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """Fetch, the loop, one conditional subtraction."""
        m = loop_steps(0, a, b, self.modulus, self._r_bits, self.variant)
        cycles_per_group = 2 if self.variant == PLAIN else 1
        cycles = 1 + cycles_per_group * (self._r_bits // self.bits_per_clock) + 1
        return (m - self.modulus if m >= self.modulus else m), cycles

    def prepare(self) -> tuple[int, int, int, int]:
        """Doubling modulo n, one a cycle: 1 becomes R, then R^2."""
        value, constants = 1, []
        for count in range(2 * self._r_bits + 1):
            if count in (0, self._r_bits, 2 * self._r_bits):
                constants.append(value)
            value = 2 * value - (self.modulus if 2 * value >= self.modulus else 0)
        one, r, r2 = constants
        return one, r, r2, 1 + 2 * self._r_bits + 1

    def load_cycles(self, is_modulus: bool) -> int:
        """One cycle a word and one to write the slot."""
        return self.num_words + 1

    def store_cycles(self) -> tuple[int, int]:
        """One cycle to read the slot, then one a word."""
        return self.num_words + 1, 2
