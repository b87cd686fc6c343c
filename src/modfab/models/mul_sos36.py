# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_sos36`: quotient-free operand scanning, short squares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modfab.models.engine import EngineModel
from modfab.numbers import WORD_BITS

DIGIT_BITS = 36
"""Bits of a word of a slot."""
ROW_MIN = 7
"""Cycles of a row of step 1, so that the row before has written what it reads."""
NEWTON = 5
"""Newton iterations for N': each doubles the number of correct bits, 2 at first, 36 wanted."""
LOG_SQUARES = 2
"""Squares at the end of a set-up."""


@dataclass(frozen=True, slots=True)
class Sos36Timing:
    """Cycles of everything the engine does with `words` active 32-bit words.

    Attributes:
        words: Active 32-bit words of the modulus.
        mul_stages: Register stages of an 18 x 18 multiplier.

    >>> [(t.square, t.product) for t in (Sos36Timing(n // 32, 3) for n in (256, 512, 1024))]
    [(152, 165), (401, 491), (1360, 1751)]
    """

    words: int
    mul_stages: int

    @property
    def num_words(self) -> int:
        """L: 36-bit words of a value, with at least four bits to spare."""
        return self.words * WORD_BITS // DIGIT_BITS + 1

    @property
    def y_latency(self) -> int:
        """A slot's operand address to its word of the sum: read, multiplier, five adders."""
        return self.mul_stages + 7

    @property
    def drain(self) -> int:
        """The row of nothing at the start of every command but a product."""
        return self.y_latency + 3

    @property
    def _reduction(self) -> int:
        """L - 1 rows q * mh, one word m, and the row m * M."""
        length = self.num_words + 1
        rows = (self.num_words - 1) * max(length, self.y_latency)
        return rows + self.y_latency + max(length, self.y_latency + 2)

    @property
    def _first_row(self) -> int:
        """A row of step 1; the only row of one word waits for its quotient."""
        return max(self.num_words + 1, ROW_MIN) if self.num_words > 1 else self.y_latency

    @property
    def product(self) -> int:
        """The cycle that reads b_0, L rows A * b_i, the reduction."""
        return 1 + self.num_words * self._first_row + self._reduction

    @property
    def square(self) -> int:
        """The same with rows that become shorter by a word each."""
        rows = (max(self._first_row - i, ROW_MIN) for i in range(self.num_words))
        return 1 + (sum(rows) if self.num_words > 1 else self._first_row) + self._reduction

    @property
    def row_pass(self) -> int:
        """One row by itself, until nothing of it is on its way."""
        return self.num_words + self.drain

    @property
    def setup(self) -> int:
        """N', mh, M twice, 1, doublings to R and on to 2^(9L) R, squares."""
        passes = 1 + 2 * NEWTON + 4 + 45 * self.num_words + 2
        return 1 + self.drain + passes * self.row_pass + LOG_SQUARES * self.square

    @property
    def feed(self) -> int:
        """From a load's acceptance to that of its last word."""
        return self.drain + 2 + 8 * (self.words - 1)

    @property
    def load(self) -> int:
        """Nine cycles for each word of a slot, four bits a cycle."""
        return self.drain + 9 * self.num_words + 4

    @property
    def store_latency(self) -> int:
        """Two steps, a correction, the first word."""
        return 1 + self.drain + 3 * self.row_pass + 12

    @property
    def store(self) -> int:
        """Eight cycles a word."""
        return self.store_latency + 8 * (self.words - 1) + 1


def row(
    total: list[int],
    index: int,
    factor: int,
    operand: list[int],
    top: int = 0,
    digit_bits: int = DIGIT_BITS,
) -> int:
    """One row of the schedule: total[index..] += factor * operand, in place.

    Args:
        total: The double-length sum T, words of `digit_bits` bits.
        index: Where the row begins.
        factor: One word.
        operand: The row's words, the last one 0.
        top: Carry of the row before, 0 or 1; it belongs to this row's last word.
        digit_bits: Bits of a word; fewer in tests of the bounds.

    Returns:
        The row's own carry.

    Source: [QURESHI08] section 4.1 in docs/papers.md.

    >>> total = [1, 0, 0]
    >>> row(total, 0, 3, [5, 7, 0]), total
    (0, [16, 21, 0])
    """
    mask = (1 << digit_bits) - 1
    high = carry = 0
    for j, word in enumerate(operand):
        product = factor * word
        value = total[index + j] + (product & mask) + high + carry
        value += top if j == len(operand) - 1 else 0
        high, carry = product >> digit_bits, value >> digit_bits
        total[index + j] = value & mask
    return high + carry


def square_row(a: list[int], i: int, digit_bits: int = DIGIT_BITS) -> list[int]:
    """Row i of a square: a_i itself, then the words of 2A above it, then 0.

    >>> [hex(word) for word in square_row([7, 1 << 35, 5], 0)]
    ['0x7', '0x0', '0xb', '0x0']
    """
    mask = (1 << digit_bits) - 1
    below = [0, *(word >> (digit_bits - 1) for word in a[i + 1 :])]
    above = [word << 1 & mask for word in a[i + 1 :]]
    return [a[i], *(word | bit for word, bit in zip(above, below, strict=False)), 0]


def negative_inverse(low_word: int) -> int:
    """N' = -M^-1 mod 2^36 from the modulus' low word, by Newton's iteration as in hardware.

    >>> negative_inverse(3) * 3 & (1 << 36) - 1 == (1 << 36) - 1
    True
    """
    mask = (1 << DIGIT_BITS) - 1
    inverse = low_word + 2 & mask
    for _ in range(NEWTON):
        inverse = (low_word * inverse + 2 & mask) * inverse & mask
    return inverse


def rows_of_step1(
    a: list[int], b: list[int] | None, digit_bits: int = DIGIT_BITS
) -> Iterator[tuple[int, int, list[int]]]:
    """Place, factor and operand of each row of step 1; without b those of a square."""
    for i in range(len(a)):
        yield (i, b[i], [*a, 0]) if b is not None else (2 * i, a[i], square_row(a, i, digit_bits))


def sos36_product(a: list[int], b: list[int] | None, modulus: list[int]) -> list[int]:
    """Montgomery product of word vectors, slot by slot as the RTL.

    Args:
        a, b: Factors, L words each, least significant first, values below 3M; b None: a square.
        modulus: Odd, L words, at least four bits of the highest one 0.

    Returns:
        a * b / R mod M in L words, below 3M; R = 2^(36 L).

    Source: [QURESHI08] section 4.1 and [ORUP95], in docs/papers.md.

    >>> from modfab.numbers import to_words
    >>> sos36_product([5], [7], [13]) == to_words(35 * pow(2**36, -1, 13) % 13, 1, 36)
    True
    """
    size, mask = len(modulus), (1 << DIGIT_BITS) - 1
    inverse = negative_inverse(modulus[0])
    multiple = [0] * (size + 1)
    multiple[0] = 1
    row(multiple, 0, inverse, [*modulus, 0])
    total = [0] * (2 * size)
    for place, factor, operand in rows_of_step1(a, b):
        row(total, place, factor, operand)
    top = 0
    for i in range(1, size):
        top = row(total, i, total[i - 1], [*multiple[1:], 0], top)
    last = total[size - 1] * inverse & mask
    row(total, size - 1, last, [*modulus, 0])
    return total[size:]


class Sos36Model(EngineModel[int]):
    """Engine model; a slot holds a value below 3M.

    Products are computed on whole integers; `sos36_product` gives the same values word by word.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = Sos36Model(num_bits=64, num_slots=8, mul_stages=3)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFFFFFF1, 1)))
    >>> _ = engine.run(Command(Op.SETUP))
    >>> engine.status.name, engine.slots[1] == 2**72 % 0x1FFFFFFF1
    ('OK', True)
    """

    runtime_words = True

    def __init__(
        self, num_bits: int, num_slots: int, mul_stages: int, long_r: bool = False
    ) -> None:
        self.mul_stages, self.long_r = mul_stages, long_r
        self._inverse = self._multiple = 0
        super().__init__(num_bits, num_slots)

    @property
    def timing(self) -> Sos36Timing:
        """Cycles at the active width."""
        return Sos36Timing(self.active_words, self.mul_stages)

    @property
    def r_bits(self) -> int:
        """R = 2**r_bits."""
        return DIGIT_BITS * self.timing.num_words

    def from_integer(self, value: int) -> int:
        """Values are kept as they are loaded."""
        return value

    def to_integer(self, private: int) -> int:
        """At most two subtractions."""
        return private % self.modulus if self.modulus else private

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """L - 1 quotient digits that are the sum's lowest word, one that makes the word 0."""
        mask, total = (1 << DIGIT_BITS) - 1, a * b
        for _ in range(self.timing.num_words - 1):
            total = (total >> DIGIT_BITS) + (total & mask) * self._multiple
        last = total * self._inverse & mask
        return (total + last * self.modulus) >> DIGIT_BITS, self.timing.product

    def square(self, a: int) -> tuple[int, int]:
        """The product a * a in fewer cycles."""
        return self.multiply(a, a)[0], self.timing.square

    def prepare(self) -> tuple[int, int, int, int]:
        """R by doubling 1, R^2 from 2^(9L) R by two squares."""
        timing = self.timing
        self._inverse = negative_inverse(self.modulus & ((1 << DIGIT_BITS) - 1))
        self._multiple = (self._inverse * self.modulus + 1) >> DIGIT_BITS
        r = (1 << self.r_bits) % self.modulus
        square = (r << 9 * timing.num_words) % self.modulus
        for _ in range(LOG_SQUARES):
            square, _ = self.square(square)
        return 1, r, square, timing.setup

    def load_cycles(self, is_modulus: bool) -> int:
        """The same for an operand and the modulus."""
        return self.timing.load

    def store_cycles(self) -> tuple[int, int]:
        """The whole store, and its first word."""
        return self.timing.store, self.timing.store_latency
