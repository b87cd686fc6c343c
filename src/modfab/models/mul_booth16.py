# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_booth16`: radix-16, 4 and 2 Montgomery products of signed operands."""

from __future__ import annotations

from dataclasses import dataclass

from modfab.models.engine import EngineModel

BOOTH16, RADIX16, BOOTH4, RADIX2 = range(4)
"""Recodings: the paper's, conventional radix 16, Booth radix 4, radix 2."""

_DIGIT_BITS = {BOOTH16: 4, RADIX16: 4, BOOTH4: 2, RADIX2: 1}
_TAIL_CYCLES = 3


@dataclass(frozen=True, slots=True)
class Booth16Config:
    """Width and recoding, and what follows from them.

    >>> Booth16Config(2048, BOOTH16).num_digits
    513
    """

    num_bits: int
    recoding: int

    @property
    def digit_bits(self) -> int:
        """Bits of a digit of the multiplier and of the quotient."""
        return _DIGIT_BITS[self.recoding]

    @property
    def booth(self) -> bool:
        """True when digits are signed by themselves."""
        return self.recoding in (BOOTH16, BOOTH4)

    @property
    def num_digits(self) -> int:
        """Digits of a multiplier: R is at least 4 * 2**num_bits."""
        return -(-(self.num_bits + 2) // self.digit_bits)

    @property
    def r_bits(self) -> int:
        """log2 of R."""
        return self.num_digits * self.digit_bits

    @property
    def mul_cycles(self) -> int:
        """Fetch, one iteration for each digit and one more, three passes of the carry."""
        return 1 + self.num_digits + 1 + _TAIL_CYCLES


def digits(x: int, cfg: Booth16Config) -> list[int]:
    """Digits of a signed multiplier, least significant first; their sum by weight is x.

    Args:
        x: Below 2**num_bits in magnitude.
        cfg: Booth recodings give digits of -radix/2..radix/2, the others 0..radix-1 and a
            two's-complement one at the top.

    Returns:
        `cfg.num_digits` digits.

    Source: [NGUYEN20] Algorithm 2 step 3 in docs/papers.md.

    >>> digits(-7, Booth16Config(16, BOOTH16)), digits(-7, Booth16Config(16, RADIX16))
    ([-7, 0, 0, 0, 0], [9, 15, 15, 15, -1])
    """
    bits, radix = cfg.digit_bits, 1 << cfg.digit_bits
    found, carry = [], 0
    for i in range(cfg.num_digits):
        value = (x >> (i * bits)) & (radix - 1)
        top = i == cfg.num_digits - 1
        high = value >> (bits - 1)
        negative = high if cfg.booth or top else 0
        found.append(value + carry - radix * negative)
        carry = high if cfg.booth else 0
    return found


def quotient(s: int, m_inverse: int, cfg: Booth16Config, last: bool) -> int:
    """The digit q that makes s + q*M divisible by the radix.

    Args:
        s: Accumulator.
        m_inverse: -M**-1 modulo the radix.
        cfg: Booth recodings take q from -radix/2 + 1 .. radix/2, the others from 0..radix - 1.
        last: The last digit, which without Booth is taken from -radix/2 .. radix/2 - 1.

    Source: [NGUYEN20] Algorithm 2 steps 4 and 5 in docs/papers.md.

    >>> [quotient(s, 1, Booth16Config(16, BOOTH16), False) for s in (7, 8, 9)]
    [7, 8, -7]
    """
    radix = 1 << cfg.digit_bits
    q = s * m_inverse % radix
    if cfg.booth:
        return q - radix if q > radix // 2 else q
    return q - radix if last and q >= radix // 2 else q


def product(x: int, y: int, modulus: int, cfg: Booth16Config) -> int:
    """The signed Montgomery product of signed operands, by Algorithm 2 without its correction.

    Args:
        x, y: Operands, -modulus < x, y < modulus.
        modulus: Odd.
        cfg: Width and recoding.

    Returns:
        A number congruent to x*y/R, above -modulus and below it.

    Source: [NGUYEN20] Algorithm 2 in docs/papers.md.

    >>> cfg = Booth16Config(16, BOOTH16)
    >>> (product(-5, 7, 0xFFF1, cfg) * 2**cfg.r_bits + 35) % 0xFFF1
    0
    """
    radix, bits = 1 << cfg.digit_bits, cfg.digit_bits
    m_inverse = -pow(modulus, -1, radix) % radix
    s = 0
    for i, digit in enumerate([*digits(x, cfg), 0]):
        q = quotient(s & (radix - 1), m_inverse, cfg, i == cfg.num_digits)
        s = ((s + q * modulus) >> bits) + digit * y
    return s


class Booth16Model(EngineModel[int]):
    """Engine model; slots hold signed numbers above -M and below M.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = Booth16Model(num_bits=2048, num_slots=8, recoding=BOOTH16)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFF1, *[0] * 63)))
    >>> _ = engine.run(Command(Op.SETUP))
    >>> engine.run(Command(Op.MUL, dst0=5, a0=2, b=0)).cycles
    518
    >>> engine.to_integer(engine.slots[5]) == pow(2, engine.r_bits, 0xFFF1)
    True
    """

    def __init__(self, num_bits: int, num_slots: int, recoding: int) -> None:
        self.cfg = Booth16Config(num_bits, recoding)
        super().__init__(num_bits, num_slots)

    @property
    def r_bits(self) -> int:
        """R = 2**r_bits: one digit of the quotient for each of the multiplier."""
        return self.cfg.r_bits

    def from_integer(self, value: int) -> int:
        """A canonical integer is a signed one as it is."""
        return value

    def to_integer(self, private: int) -> int:
        """The correction of the algorithm: M is added to a negative number."""
        return private + self.modulus if private < 0 else private

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """The loop over the digits of `a`."""
        if not self.modulus:
            return 0, self.cfg.mul_cycles
        return product(a, b, self.modulus, self.cfg), self.cfg.mul_cycles

    def prepare(self) -> tuple[int, int, int, int]:
        """Doubling 1 up to R, then square and double over the bits of log2 R up to R^2."""
        cfg, m = self.cfg, self.modulus
        x, doublings, squares = 1, 0, 0
        for _ in range(cfg.r_bits):
            x, doublings = self._double(x), doublings + 1
        r, x, doublings = x, self._double(x), doublings + 1
        for bit in bin(cfg.r_bits)[3:]:
            x, squares = product(x, x, m, cfg), squares + 1
            if bit == "1":
                x, doublings = self._double(x), doublings + 1
        check_and_one = 3
        double_cycles = 3 + _TAIL_CYCLES
        cycles = check_and_one + doublings * double_cycles + squares * cfg.mul_cycles
        return 1, r, x, cycles

    def _double(self, x: int) -> int:
        return 2 * x - (self.modulus if x >= 0 else -self.modulus)

    def load_cycles(self, is_modulus: bool) -> int:
        """One cycle a word and one to write the last."""
        return self.num_words + 1

    def store_cycles(self) -> tuple[int, int]:
        """Three cycles a word: read it, read the modulus, add."""
        return 3 * self.num_words, 3
