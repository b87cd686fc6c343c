# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_mul_mod`: a full product, then its remainder by restoring division."""

from __future__ import annotations

from modfab.models.plain import PlainModel

PIPE_STAGES = 3
"""Register stages of the hard multipliers."""


def low_bits(num_bits: int, digit_bits: int, div_bits_per_clock: int) -> int:
    """Bits of the lower half of the product: whole digits that fill whole cycles of the division.

    Where a digit does not, as many digits as a cycle has bits do.

    >>> low_bits(256, 16, 4), low_bits(256, 17, 1), low_bits(256, 18, 4)
    (256, 272, 288)
    """
    group = digit_bits if digit_bits % div_bits_per_clock == 0 else digit_bits * div_bits_per_clock
    return -(-num_bits // group) * group


def full_product(a: int, b: int, digit_bits: int, num_digits: int) -> tuple[int, int]:
    """a*b as hi, lo with `num_digits` digits in lo, one digit of `a` after the other.

    Args:
        a, b: Factors; a below 2**(digit_bits * num_digits).
        digit_bits: Bits of a digit.
        num_digits: Digits of a.

    Returns:
        hi, not above b, and lo.

    >>> full_product(0xFEDC, 0xBA98, 4, 4) == divmod(0xFEDC * 0xBA98, 1 << 16)
    True
    """
    hi = lo = 0
    mask = (1 << digit_bits) - 1
    for k in range(num_digits):
        hi += (a >> (k * digit_bits) & mask) * b
        lo |= (hi & mask) << (k * digit_bits)
        hi >>= digit_bits
    return hi, lo


def remainder(hi: int, lo: int, n: int, num_low_bits: int) -> int:
    """(hi * 2**num_low_bits + lo) mod n for hi < n, one bit of lo at a time from the top.

    >>> remainder(0x12, 0x3456, 0x1235, 16) == 0x123456 % 0x1235
    True
    """
    for k in reversed(range(num_low_bits)):
        hi = 2 * hi + (lo >> k & 1)
        if hi >= n:
            hi -= n
    return hi


class MulModModel(PlainModel):
    """Engine model; slots hold residues.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = MulModModel(16, 8, use_dsp=1, digit_bits=16, div_bits_per_clock=2, num_lanes=1)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFF1,)))
    >>> engine.run(Command(Op.SETUP)).cycles, engine.status.name
    (4, 'OK')
    >>> _ = engine.run(Command(Op.LOAD, dst0=4, words=(0xFFF0,)))
    >>> engine.run(Command(Op.MUL, dst0=5, a0=4, b=4)).cycles, engine.slots[5]
    (14, 1)
    """

    def __init__(
        self,
        num_bits: int,
        num_slots: int,
        use_dsp: int,
        digit_bits: int,
        div_bits_per_clock: int,
        num_lanes: int,
    ) -> None:
        super().__init__(num_bits, num_slots, num_lanes)
        self.digit_bits = digit_bits
        self.div_bits_per_clock = div_bits_per_clock
        self._fill = PIPE_STAGES if use_dsp else 0
        self._low_bits = low_bits(num_bits, digit_bits, div_bits_per_clock)

    def lane(self, a: int, b: int) -> tuple[int, int]:
        """Multiplication with the filling of its pipeline, then division."""
        num_digits = self._low_bits // self.digit_bits
        hi, lo = full_product(a, b, self.digit_bits, num_digits)
        value = remainder(hi, lo, self.modulus, self._low_bits)
        return value, num_digits + self._fill + self._low_bits // self.div_bits_per_clock
