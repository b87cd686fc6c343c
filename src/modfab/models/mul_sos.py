# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_sos`: separated operand scanning, word by word, width at run time."""

from __future__ import annotations

from dataclasses import dataclass

from modfab.models.engine import EngineModel
from modfab.numbers import WORD_BITS


@dataclass(frozen=True, slots=True)
class SosTiming:
    """Cycles of everything the engine does with `words` active 32-bit words.

    Attributes:
        words: Active 32-bit words of the modulus.
        word_bits: Bits of the engine's own word, 32 or 64.
        mul_stages: Register stages of a 16 x 16 multiplier.
        overlap: The next product begins while the last words of this one leave the pipeline.

    >>> [SosTiming(n // 32, 32, 2, True).product for n in (160, 256, 512, 1024)]
    [107, 188, 578, 2178]
    """

    words: int
    word_bits: int
    mul_stages: int
    overlap: bool

    @property
    def num_words(self) -> int:
        """B: words of a value, one more than the modulus has (Walter's bound)."""
        return -(-self.words * WORD_BITS // self.word_bits) + 1

    @property
    def _splits(self) -> int:
        """Halvings of a factor down to 16 bits."""
        return (self.word_bits // 16).bit_length() - 1

    @property
    def y_latency(self) -> int:
        """A slot's operand address to its word of the sum: two reads, multiplier, three adders."""
        return self.mul_stages + 2 * self._splits + 5

    @property
    def drain(self) -> int:
        """A slot's operand address to its quotient word; nothing is on its way any more."""
        return self.y_latency + self.mul_stages + self._splits + 1

    @property
    def product(self) -> int:
        """B rows A * B_i and B rows m_i * N; a row cannot be shorter than its data's way back."""
        b = self.num_words
        step1 = b * max(b, 6, (self.drain - 1) // 2)
        step2 = (b - 1) * max(b, self.drain - 1)
        last = max(b, self.y_latency + 2) if self.overlap else b + self.y_latency + 1
        return step1 + step2 + last

    @property
    def row_pass(self) -> int:
        """One row by itself, until nothing of it is on its way."""
        return self.num_words + self.drain

    @property
    def setup(self) -> int:
        """1 twice, N', complement of N, doublings from 1 to R and on to 2^B R, squarings."""
        log_word = self.word_bits.bit_length() - 1
        doublings = self.num_words * (self.word_bits + 1)
        passes = 3 + 2 * log_word + 2 * doublings
        return self.drain + passes * self.row_pass + log_word * self.product

    @property
    def load(self) -> int:
        """One cycle a word, and the word above the topmost."""
        return self.drain + self.words + 1

    @property
    def store_latency(self) -> int:
        """Complement of N, comparison, conditional subtraction, read."""
        return self.drain + 3 * self.row_pass + 3

    @property
    def store(self) -> int:
        """Three cycles a word, and one without."""
        return self.store_latency + 3 * (self.words - 1) + 1


def row(
    total: list[int], index: int, factor: int, operand: list[int], top: int, word_bits: int
) -> int:
    """One row of the schedule: total[index..] += factor * operand, in place, B words.

    Args:
        total: The double-length sum T, words of `word_bits` bits.
        index: Where the row begins.
        factor: B_i in step 1, m_i in step 2; one word.
        operand: A or N, B words.
        top: Carry of the row before, 0 or 1; it belongs to this row's last word.
        word_bits: Bits of a word.

    Returns:
        The row's own carry, 0 or 1.

    Source: [QURESHI08] section 4.1 in docs/papers.md.

    >>> total = [1, 0, 0, 0]
    >>> row(total, 0, 3, [5, 7], 0, 32), total
    (0, [16, 21, 0, 0])
    """
    mask = (1 << word_bits) - 1
    high = carry = 0
    for j, word in enumerate(operand):
        product = factor * word
        value = total[index + j] + (product & mask) + high + carry
        value += top if j == len(operand) - 1 else 0
        high, carry = product >> word_bits, value >> word_bits
        total[index + j] = value & mask
    return high + carry


def negative_inverse(low_word: int, word_bits: int) -> int:
    """N' = -N^-1 mod 2^word_bits from the modulus' low word, by Newton's iteration as in hardware.

    >>> negative_inverse(3, 32) * 3 & 0xFFFFFFFF == 0xFFFFFFFF
    True
    """
    inverse, mask = 1, (1 << word_bits) - 1
    for _ in range(word_bits.bit_length() - 1):
        inverse = (low_word * inverse + 2) * inverse & mask
    return inverse


def sos_product(a: list[int], b: list[int], n: list[int], word_bits: int) -> list[int]:
    """Montgomery product of word vectors, slot by slot as the RTL.

    Args:
        a, b: Factors, B words each, least significant first, values below 2n.
        n: Odd modulus, B words, the topmost 0.
        word_bits: Bits of a word; R = 2^(word_bits * B).

    Returns:
        a * b / R mod n in B words, below 2n.

    Source: [QURESHI08] section 4.1, with [WALTER99]'s bound, in docs/papers.md.

    >>> from modfab.numbers import to_words
    >>> sos_product([5, 0], [7, 0], [13, 0], 32) == to_words(35 * pow(2**64, -1, 13) % 13, 2)
    True
    """
    size, mask = len(n), (1 << word_bits) - 1
    inverse = negative_inverse(n[0], word_bits)
    total, top = [0] * (2 * size), 0
    for i in range(size):
        top = row(total, i, b[i], a, top, word_bits)
    for i in range(size):
        factor = total[i] * inverse & mask
        top = row(total, i, factor, n, top, word_bits)
    return [*total[size : 2 * size - 1], top]


class SosModel(EngineModel[int]):
    """Engine model; a slot holds a value below 2M.

    The product is computed on whole integers; it is the value that `sos_product` gives, because
    the quotient words together are the one m < R with a*b + m*M divisible by R.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = SosModel(num_bits=64, num_slots=8, word_bits=32, mul_stages=2, overlap=True)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFFFFFF1, 1)))
    >>> _ = engine.run(Command(Op.SETUP))
    >>> engine.status.name, engine.slots[1] == 2**96 % 0x1FFFFFFF1
    ('OK', True)
    """

    runtime_words = True

    def __init__(
        self, num_bits: int, num_slots: int, word_bits: int, mul_stages: int, overlap: bool
    ) -> None:
        self.word_bits, self.mul_stages, self.overlap = word_bits, mul_stages, overlap
        self._inverse = 0
        super().__init__(num_bits, num_slots)

    @property
    def timing(self) -> SosTiming:
        """Cycles at the active width."""
        return SosTiming(self.active_words, self.word_bits, self.mul_stages, self.overlap)

    @property
    def r_bits(self) -> int:
        """R = 2**r_bits: one word more than the active width."""
        return self.word_bits * self.timing.num_words

    def from_integer(self, value: int) -> int:
        """Values are kept as they are loaded."""
        return value

    def to_integer(self, private: int) -> int:
        """One conditional subtraction."""
        return private - self.modulus if private >= self.modulus > 0 else private

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """(a*b + m*M) / R, below 2M."""
        mask = (1 << self.r_bits) - 1
        quotient = (a * b & mask) * self._inverse & mask
        return (a * b + quotient * self.modulus) >> self.r_bits, self.timing.product

    def prepare(self) -> tuple[int, int, int, int]:
        """R by doubling 1, R^2 from 2^B R by as many squarings as a word's bits have bits."""
        timing = self.timing
        self._inverse = -pow(self.modulus, -1, 1 << self.r_bits) % (1 << self.r_bits)
        r = (1 << self.r_bits) % self.modulus
        square = (r << timing.num_words) % self.modulus
        for _ in range(self.word_bits.bit_length() - 1):
            square, _ = self.multiply(square, square)
        return 1, r, square, timing.setup

    def load_cycles(self, is_modulus: bool) -> int:
        """The same for an operand and the modulus."""
        return self.timing.load

    def store_cycles(self) -> tuple[int, int]:
        """The whole store, and its first word."""
        return self.timing.store, self.timing.store_latency
