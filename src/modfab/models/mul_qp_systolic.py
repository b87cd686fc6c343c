# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_qp_systolic`: quotient-pipelined products in redundant digits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from modfab.models.engine import SLOT_R, EngineModel
from modfab.numbers import from_words, to_words, words_of

SERIAL_CYCLES = 13
"""Cycles of a serial operation beside one for each place."""

SERIAL_PAUSE = 5
"""Cycles of a set-up step on the serial unit beside the operation."""

RUN_PAUSE = 9
"""Cycles of a set-up step on the array beside the product."""

TABLE_BITS = 9
"""Bits of a quotient digit that address a table: two moduli have 1024 words of a block RAM."""

SETTLE = 8
"""Cycles of a store before the digits of a product that has just ended can be fetched."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes that follow from the width, the digit and the quotient delay.

    Attributes:
        num_bits: Bits of the modulus.
        digit_bits: Bits of a digit, w.
        delay: Quotient delay: a quotient digit is used so many steps after it is known.
        mul_stages: Registers of a product, at most 2 * delay + 1.
        min_mod_bits: A modulus is at least 2 to this power.
        tables: 1: a product with a quotient digit is read from tables.

    >>> shape = Shape(1024, 18)
    >>> shape.mod_digits, shape.num_digits, shape.num_steps, shape.period
    (57, 59, 61, 126)
    >>> Shape(1024, 18, delay=2, mul_stages=5).period
    132
    """

    num_bits: int
    digit_bits: int
    delay: int = field(default=1, kw_only=True)
    mul_stages: int = field(default=3, kw_only=True)
    min_mod_bits: int = field(default=0, kw_only=True)
    tables: int = field(default=0, kw_only=True)

    @property
    def guard(self) -> int:
        """Digits of the factor between an integer and its private form."""
        return self.delay + 1

    @property
    def mod_digits(self) -> int:
        """Digits of the modulus and of its multiple mh."""
        return -(-self.num_bits // self.digit_bits)

    @property
    def num_digits(self) -> int:
        """Digits of an operand below 2**(w*guard + 1) * n; elements of the array."""
        return -(-(self.num_bits + self.guard * self.digit_bits + 1) // self.digit_bits)

    @property
    def r_digits(self) -> int:
        """Digits shifted out by a product: 2**(w*r_digits) >= 4 * 2**(w*guard) * n."""
        return -(-(self.num_bits + self.guard * self.digit_bits + 2) // self.digit_bits)

    @property
    def num_steps(self) -> int:
        """Steps of a product: one a digit of R, and `guard` more for the last quotient digits."""
        return self.r_digits + self.guard

    @property
    def period(self) -> int:
        """Cycles of a product: two a step, and the way of a digit until the next one can start."""
        return 2 * self.num_steps + self.mul_stages + 1

    @property
    def pair_period(self) -> int:
        """Cycles of two products that share an operand: they fill each other's cycles."""
        return self.period

    @property
    def digit_products(self) -> int:
        """Products of two digits that a product needs: each a cycle of a multiplier.

        >>> Shape(1024, 18).digit_products, Shape(1024, 18, tables=True).digit_products
        (7019, 3599)
        """
        read = 0 if self.tables else self.mod_digits * (self.num_steps - self.delay)
        return self.num_digits * self.num_steps + read

    @property
    def table_bits(self) -> int:
        """Bits of a quotient digit that address a table at a time."""
        return min(TABLE_BITS, self.digit_bits)

    @property
    def table_digits(self) -> int:
        """Digits of the largest entry, (2**table_bits - 1) * mh: each is a table.

        >>> Shape(1024, 18).table_digits
        58
        """
        return -(-(self.num_bits + self.table_bits) // self.digit_bits)

    @property
    def fill_cycles(self) -> int:
        """Cycles that fill the tables: two an entry, of which each port of a pair has one."""
        return 2 << self.table_bits

    @property
    def hides_fill(self) -> bool:
        """The tables are full when the first product after the doublings of set-up begins.

        >>> Shape(70, 9, min_mod_bits=69).hides_fill, Shape(70, 9, min_mod_bits=32).hides_fill
        (False, True)
        """
        serial = (self.doublings + 1) * (self.num_places + SERIAL_CYCLES + SERIAL_PAUSE)
        return serial >= self.fill_cycles + 16

    @property
    def num_words(self) -> int:
        """Words of a value."""
        return words_of(self.num_bits)

    @property
    def word_digits(self) -> int:
        """Digits that hold all bits of the words."""
        return -(-32 * self.num_words // self.digit_bits)

    @property
    def num_places(self) -> int:
        """Digits of a value in the serial unit."""
        return max(self.num_digits + 1, self.word_digits)

    @property
    def r_bits(self) -> int:
        """log2 of the contract's R."""
        return self.digit_bits * (self.r_digits - self.guard)

    @property
    def doublings(self) -> int:
        """Doublings of 2**min_mod_bits that prepare R mod n.

        >>> Shape(1024, 18).doublings, Shape(1024, 18, min_mod_bits=1023).doublings
        (1080, 57)
        """
        return self.digit_bits * (2 * self.r_digits - self.num_digits + 1) - self.min_mod_bits

    @property
    def power_products(self) -> int:
        """Products that raise 2 to the power r_bits, from the left, for R**2."""
        bits = f"{self.r_bits:b}"
        return len(bits) - 1 + bits.count("1") - 1

    @property
    def setup_cycles(self) -> int:
        """Halvings, doublings and four more steps on the serial unit; products for the rest."""
        serial = self.guard * self.digit_bits + self.doublings + 4
        products = self.power_products + 4
        return (
            serial * (self.num_places + SERIAL_CYCLES + SERIAL_PAUSE)
            + products * (self.period + RUN_PAUSE)
            + 8
        )

    @property
    def load_modulus_cycles(self) -> int:
        """A cycle or two for each half word, and the pipeline."""
        return self._unpack_cycles + 11

    @property
    def load_cycles(self) -> int:
        """The words, and a product with R."""
        return self._unpack_cycles + 10 + self.period

    @property
    def feed_cycles(self) -> int:
        """From the acceptance of a load to that of its last word."""
        return self.word_cycles * (self.num_words - 1) + 2

    @property
    def word_cycles(self) -> int:
        """From a word of a load to the next one."""
        return self._unpack_cycles // self.num_words

    @property
    def _unpack_cycles(self) -> int:
        """Two where a half word can complete two digits."""
        return 2 * self.num_words * (1 if self.digit_bits >= 16 else 2)

    @property
    def reduce_cycles(self) -> int:
        """Cycles of a store before it turns to words: settle, fetch, serial operations."""
        fetch = 2 * self.num_digits + 4
        return SETTLE + fetch + (self.guard + 1) * (self.num_places + SERIAL_CYCLES + 2)

    @property
    def store_latency(self) -> int:
        """Cycles until the first word has left: two for each digit of it, and the pipeline."""
        return self.reduce_cycles + 2 * -(-32 // self.digit_bits) + 10

    @property
    def store_cycles(self) -> int:
        """The digits, one every second cycle, and the words that they become."""
        return self.reduce_cycles + 12 + _last_word_clock(self.digit_bits, self.num_words)

    def wipe_cycles(self, num_slots: int) -> int:
        """One, and the memory of x operands or the elements with their slots, which take longer."""
        memory = 1 << ((num_slots - 1).bit_length() + self.num_digits.bit_length())
        tables = self.fill_cycles + 16 if self.tables else 0
        return 1 + max(memory, 2 * (2 * self.num_digits + 16) + tables + 2 * num_slots)


@cache
def _last_word_clock(digit_bits: int, num_words: int) -> int:
    """Cycle in which the last word of a store leaves, from the first digit among the bits on.

    Digit i comes in cycle 2i; a half word that it completes is in the queue after that cycle, a
    second one after the next. A half leaves the queue in every cycle without a word at the output.

    >>> [_last_word_clock(18, words) for words in (2, 16, 32)]
    [8, 58, 115]
    """
    pushes = []
    for digit in range(-(-32 * num_words // digit_bits)):
        before, after = (bits * digit_bits // 16 for bits in (digit, digit + 1))
        pushes += [2 * digit + half for half in range(after - before)]
    waiting, halves, cycle = False, 0, 0  # a word waits; halves taken
    while True:
        if waiting:
            waiting = False
            if halves == 2 * num_words:
                return cycle
        elif pushes[halves] < cycle:
            halves += 1
            waiting = halves % 2 == 0
        cycle += 1


def multiple(n: int, shape: Shape) -> int:
    """mh: the multiple of n that ends in -1 modulo 2**(w*guard), plus one, without these digits.

    >>> (multiple(2**64 - 59, Shape(64, 16)) << 32) % (2**64 - 59)
    1
    """
    radix = 1 << (shape.digit_bits * shape.guard)
    return (-pow(n, -1, radix) % radix * n + 1) // radix


def quotient_pipelined_product(x: int, y: int, n: int, shape: Shape) -> int:
    """Product x * y * 2**(-w*r_digits) modulo n as the array computes it, not reduced.

    Args:
        x, y: Operands below that bound.
        n: Odd modulus, 3 or more.
        shape: Sizes.

    Returns:
        The value of the result's digits, below 2**(w*guard + 1) * n; the last quotient digits
        are its lowest digits.

    Source: [ORUP95], in docs/papers.md.

    >>> shape = Shape(64, 16)
    >>> n = (1 << 64) - 59
    >>> p = quotient_pipelined_product(12345, 67890, n, shape)
    >>> p % n == 12345 * 67890 * pow(2, -16 * shape.r_digits, n) % n
    True
    """
    w = shape.digit_bits
    mask = (1 << w) - 1
    mh = multiple(n, shape)
    s = 0
    waiting = [0] * shape.delay  # quotient digits that are not used yet, the oldest first
    for step in range(shape.num_steps):
        waiting.append(s & mask)
        s = (s >> w) + waiting.pop(0) * mh + (x >> (w * step) & mask) * y
    return (s << (w * shape.delay)) + from_words(waiting, w)


def table(n: int, shape: Shape) -> list[list[int]]:
    """Digits of v * mh for every v of `table_bits` bits, as the elements' tables hold them.

    Every entry is the one before plus mh; an element adds a digit and a carry.

    >>> shape = Shape(64, 18)
    >>> entries = table(2**64 - 59, shape)
    >>> len(entries), entries[511] == to_words(511 * multiple(2**64 - 59, shape), 5, 18)
    (512, True)
    """
    w, size = shape.digit_bits, shape.table_digits
    mh = to_words(multiple(n, shape), size, w)
    entries = [[0] * size]
    while len(entries) < 1 << shape.table_bits:
        entry, carry = [], 0
        for before, digit in zip(entries[-1], mh, strict=True):
            carry += before + digit
            entry.append(carry & ((1 << w) - 1))
            carry >>= w
        entries.append(entry)
    return entries


class Slots:
    """The slots of an array's model, as digits."""

    def __init__(self, shape: Shape, num_slots: int) -> None:
        self._digits = shape.num_digits, shape.digit_bits
        self.slots = [[0] * shape.num_digits for _ in range(num_slots)]

    def poke(self, slot: int, value: int) -> None:
        """Write a slot at once."""
        self.slots[slot] = to_words(value, *self._digits)

    def peek(self, slot: int) -> int:
        """Value of a slot; final when `finish` was called."""
        return from_words(self.slots[slot], self._digits[1])


class QpSystolicModel(EngineModel[int]):
    """Engine model; a slot holds v * 2**(w*guard) modulo n for the integer v, not reduced."""

    load_factor = True

    def __init__(self, shape: Shape, num_slots: int, contexts: int = 2) -> None:
        self.shape = shape
        self.num_lanes = contexts
        self.min_mod_bits = shape.min_mod_bits
        super().__init__(shape.num_bits, num_slots)

    @property
    def r_bits(self) -> int:
        """log2 of R."""
        return self.shape.r_bits

    def from_integer(self, value: int) -> int:
        """Shift by `guard` digits, and one product with R."""
        return self.from_product(value, self.slots[SLOT_R]) if self.modulus else 0

    def from_product(self, value: int, factor: int) -> int:
        """Shift by `guard` digits, and one product with the factor."""
        if not self.modulus:
            return 0
        return self._product(value << (self.shape.digit_bits * self.shape.guard), factor)

    def to_integer(self, private: int) -> int:
        """`guard` digit-serial Montgomery steps, a subtraction after each, and one more."""
        if not self.modulus:
            return 0
        w, n = self.shape.digit_bits, self.modulus
        for _ in range(self.shape.guard):
            private = (private + (private * -pow(n, -1, 1 << w)) % (1 << w) * n) >> w
            private -= n if private >= n else 0
        return private - n if private >= n else private

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """One product; the other lane idles."""
        return self._product(a, b), self.shape.period

    def multiply2(self, a0: int, a1: int, b: int) -> tuple[int, int, int]:
        """Two products on alternate cycles."""
        return self._product(a0, b), self._product(a1, b), self.shape.pair_period

    def _product(self, x: int, y: int) -> int:
        return quotient_pipelined_product(x, y, self.modulus, self.shape)

    def prepare(self) -> tuple[int, int, int, int]:
        """R by doubling, R^2 as a power of two in Montgomery form, 1 by a product with R."""
        shape, n = self.shape, self.modulus
        unit = 1 << (shape.digit_bits * (shape.num_digits - 1))
        doubled = (1 << shape.min_mod_bits) * pow(2, shape.doublings, n) % n
        r = self._product(doubled, unit)
        two = self._product(2 * doubled % n, unit)
        square = two
        for bit in f"{shape.r_bits:b}"[1:]:
            square = self._product(square, square)
            if bit == "1":
                square = self._product(square, two)
        one = self._product(1 << (shape.digit_bits * shape.guard), r)
        return one, r, square, shape.setup_cycles

    def load_cycles(self, is_modulus: bool) -> int:
        """As in `Shape`."""
        return self.shape.load_modulus_cycles if is_modulus else self.shape.load_cycles

    def store_cycles(self) -> tuple[int, int]:
        """As in `Shape`."""
        return self.shape.store_cycles, self.shape.store_latency
