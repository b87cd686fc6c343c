# SPDX-License-Identifier: Apache-2.0
"""Redundant radix-2^r numbers, and the model that both redundant engines share.

A number is one integer of wide lanes, a digit in each: one operation on it is one on all digits.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from modfab.models.engine import EngineModel


@dataclass(frozen=True, slots=True)
class RedundantConfig:
    """Width of the number and of a digit, and what follows from them.

    >>> RedundantConfig(1024, 16, True).mul_cycles
    65
    """

    num_bits: int
    digit_bits: int
    redundant: bool

    @property
    def digits(self) -> int:
        """Digits of an operand, at least two."""
        return max(2, -(-self.num_bits // self.digit_bits))

    @property
    def r_bits(self) -> int:
        """log2 of R."""
        return self.digits * self.digit_bits

    @property
    def lane_bits(self) -> int:
        """Bits of a lane: a product of two digits fits."""
        return 2 * self.digit_bits + 8

    @property
    def mul_cycles(self) -> int:
        """One cycle for each digit, one for the correction."""
        return self.digits + 1

    @property
    def norm_cycles(self) -> int:
        """Cycles until no carry runs any more."""
        return self.digits - 1 if self.redundant else 1

    def lanes(self, num_digits: int, value: int) -> int:
        """The same value in every lane of a number."""
        return sum(value << (i * self.lane_bits) for i in range(num_digits))


class RedundantNumbers:
    """Arithmetic of one shape: numbers of up to `cfg.digits` + 3 digits.

    >>> numbers = RedundantNumbers(RedundantConfig(64, 16, True))
    >>> x = numbers.pack(0x1234_FFFF_8765)
    >>> hex(numbers.value(numbers.add([x, x])))
    '0x2469ffff0eca'
    """

    def __init__(self, cfg: RedundantConfig) -> None:
        self.cfg = cfg
        self._digit = (1 << cfg.digit_bits) - 1
        self._lane = (1 << cfg.lane_bits) - 1
        self._low = cfg.lanes(cfg.digits + 3, self._digit)
        self._high = cfg.lanes(cfg.digits + 3, self._lane >> cfg.digit_bits)
        self._third = cfg.lanes(cfg.digits + 3, self._lane >> 2 * cfg.digit_bits)
        self._top_lane = (cfg.digits - 1) * cfg.lane_bits
        self._top_bit = (cfg.digits - 1) * cfg.digit_bits

    def pack(self, value: int) -> int:
        """Canonical digits of a value that is not negative."""
        bits, found, lane = self.cfg.digit_bits, 0, 0
        while value:
            found |= (value & self._digit) << lane
            value, lane = value >> bits, lane + self.cfg.lane_bits
        return found

    def value(self, x: int) -> int:
        """The value of a number."""
        return sum(
            self.digit(x, i) << (i * self.cfg.digit_bits) for i in range(self.cfg.digits + 3)
        )

    def digit(self, x: int, index: int) -> int:
        """One digit."""
        return x >> (index * self.cfg.lane_bits) & self._lane

    def low(self, x: int) -> int:
        """Principal bits of every digit."""
        return x & self._low

    def high(self, x: int) -> int:
        """Redundant bits of every digit, at the digit where they count."""
        return (x >> self.cfg.digit_bits & self._high) << self.cfg.lane_bits

    def add(self, terms: Sequence[int]) -> int:
        """Lemma 1: the sum, every digit from its own place and the one below."""
        return sum(self.low(x) + self.high(x) for x in terms)

    def product_sum(self, x: int, y: int, c: int) -> int:
        """Lemma 3: x * y + c for one digit y; Lemma 2 with c = 0.

        Source: [NAKANO09] section 2.2 in docs/papers.md.
        """
        bits, lane = self.cfg.digit_bits, self.cfg.lane_bits
        p = x * y
        middle = (p >> bits) & self._low
        top = (p >> 2 * bits) & self._third
        return self.low(p) + (middle << lane) + (top << 2 * lane) + self.low(c) + self.high(c)

    def serial_product(self, x: int, y: int) -> tuple[list[int], int]:
        """Lemma 4: digits that leave one by one while y is scanned, and the digits above."""
        digits, c = [], 0
        for i in range(self.cfg.digits):
            total = self.product_sum(x, self.digit(y, i), c)
            digits.append(self.digit(total, 0))
            c = total >> self.cfg.lane_bits
        return digits, c

    def drop_digit(self, total: int) -> int:
        """A number whose lowest digit has no principal bits, divided by the radix."""
        return (total >> self.cfg.lane_bits) + (self.digit(total, 0) >> self.cfg.digit_bits)

    def top(self, x: int) -> int:
        """All of a number from its highest digit up, without carries from below."""
        d = self.cfg.digits
        return self.digit(x, d - 1) + (self.digit(x, d) << self.cfg.digit_bits)

    def correction_add(self, v: int, modulus: int, q: int) -> int:
        """The value v - q * modulus, carries moved one digit up; q = -1 adds the modulus."""
        n = -q * modulus
        lower = self.pack(n - (q > 0) & ((1 << self._top_bit) - 1)) + (q > 0)
        lower += v & ((1 << self._top_lane) - 1)
        top = self.top(v) + (n - (q > 0) >> self._top_bit)
        total = self.low(lower) + self.high(lower)
        top += total >> self._top_lane
        total &= (1 << self._top_lane) - 1
        if q >= 0:
            return total + (top << self._top_lane)
        return total + (self.pack(top) << self._top_lane)

    def half(self, x: int) -> int:
        """Half of an even number."""
        ones = self.cfg.lanes(self.cfg.digits + 3, 1)
        odd = (x & ones) >> self.cfg.lane_bits
        return ((x - (x & ones)) >> 1) + (odd << (self.cfg.digit_bits - 1))


def correction_select(top: int, m_top: int) -> int:
    """The correction (0, M or 2M, as 0, 1 or 2) from the top digits of a value and of M.

    Args:
        top: The value's highest digit with all above it.
        m_top: Highest digit of M.

    Source: deviation D1 in rtl/mul/redundant_mul/README.md.

    >>> [correction_select(top, 5) for top in (5, 6, 11, 12)]
    [0, 1, 1, 2]
    """
    return 2 if top > 2 * m_top + 1 else int(top > m_top)


class RedundantModel(EngineModel[int]):
    """Engine model; slots hold packed digits, or plain integers without redundancy."""

    table_cycles: int

    def __init__(self, cfg: RedundantConfig, num_slots: int) -> None:
        self.cfg = cfg
        self.numbers = RedundantNumbers(cfg)
        super().__init__(cfg.num_bits, num_slots)

    @abstractmethod
    def reduce(self, s: int) -> int:
        """(s + k*M) / 2^r, for the k that cancels the principal bits of the lowest digit."""

    @property
    def r_bits(self) -> int:
        """R = 2**r_bits: as many digits as the modulus."""
        return self.cfg.r_bits

    def from_integer(self, value: int) -> int:
        """Canonical digits."""
        return self.numbers.pack(value) if self.cfg.redundant else value

    def to_integer(self, private: int) -> int:
        """M is taken off once where it can be: slots hold values below 2M."""
        value = self.numbers.value(private) if self.cfg.redundant else private
        return value - self.modulus if value >= self.modulus else value

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """Scan b digit by digit; then correct."""
        if not self.modulus:
            return 0, self.cfg.mul_cycles
        product = self._redundant if self.cfg.redundant else self._plain
        return product(a, b), self.cfg.mul_cycles

    def _redundant(self, a: int, b: int) -> int:
        numbers, s = self.numbers, 0
        for i in range(self.cfg.digits):
            s = numbers.product_sum(a, numbers.digit(b, i), self.reduce(s))
        c = self.reduce(s)
        return numbers.correction_add(c, self.modulus, self._estimate(numbers.top(c), self.modulus))

    def _plain(self, a: int, b: int) -> int:
        r = self.cfg.r_bits
        k = -a * b * pow(self.modulus, -1, 1 << r) % (1 << r)
        c = (a * b + k * self.modulus) >> r
        top_bit = r - self.cfg.digit_bits
        return c - self._estimate(c >> top_bit, self.modulus) * self.modulus

    def _estimate(self, top: int, modulus: int) -> int:
        return correction_select(top, modulus >> (self.cfg.r_bits - self.cfg.digit_bits))

    def prepare(self) -> tuple[int, int, int, int]:
        """R^2 by doubling modulo the shifted M, halved back; R as the product of R^2 and 1."""
        cfg = self.cfg
        shift = cfg.r_bits - self.modulus.bit_length()
        big = self.modulus << shift
        one = self.from_integer(1)
        r2 = self._r2(big, shift) if cfg.redundant else self._plain_r2(big, shift)
        cycles = self.table_cycles + 4 * cfg.r_bits + cfg.digits + 6
        return one, self.multiply(r2, one)[0], r2, cycles

    def _r2(self, big: int, shift: int) -> int:
        numbers, x = self.numbers, self.numbers.pack(1 << shift)
        for _ in range(2 * self.cfg.r_bits):
            double = 2 * x
            x = numbers.correction_add(double, big, self._estimate(numbers.top(double), big))
        for _ in range(shift):
            x = numbers.correction_add(numbers.half(x), big, 0)
        for _ in range(self.cfg.r_bits - shift + 1):
            x = numbers.correction_add(x, big, 0)
        return x

    def _plain_r2(self, big: int, shift: int) -> int:
        x = 1 << shift
        for _ in range(2 * self.cfg.r_bits):
            top = 2 * x >> (self.cfg.r_bits - self.cfg.digit_bits)
            x = 2 * x - self._estimate(top, big) * big
        return x >> shift

    def load_cycles(self, is_modulus: bool) -> int:
        """One cycle a word and one to write the slot."""
        return self.num_words + 1

    def store_cycles(self) -> tuple[int, int]:
        """Two conversions, by M and by 0 or M; then one cycle a word."""
        first = 2 * self.cfg.norm_cycles + 1
        return first - 1 + self.num_words, first
