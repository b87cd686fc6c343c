# SPDX-License-Identifier: Apache-2.0
"""Sizes and cycles of `mf_mul_qp_systolic`: what follows from its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from modfab.numbers import words_of

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
        resume: 1: a set-up can be a short one.
        load_sum: 1: a load can add a slot.
        in_turn: 1: a pair is two products in turn, the second one right behind the first.

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
    resume: int = field(default=0, kw_only=True)
    load_sum: int = field(default=0, kw_only=True)
    in_turn: int = field(default=0, kw_only=True)

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
        """Cycles of two products that share an operand: they fill each other's cycles.

        In turn the second one needs nothing of the first, so it begins with the first free step.

        >>> Shape(1024, 18).pair_period, Shape(1024, 18, in_turn=1).pair_period
        (126, 248)
        """
        return self.period + 2 * self.num_steps * self.in_turn

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
    def resume_cycles(self) -> int:
        """Of a short set-up: 1, the halvings, a product; then tables become full.

        >>> Shape(1024, 18, min_mod_bits=992).setup_cycles, Shape(1024, 18).resume_cycles
        (12017, 3029)
        """
        step = self.num_places + SERIAL_CYCLES + SERIAL_PAUSE
        serial = 1 + self.guard * self.digit_bits
        if self.tables:
            serial += 1 + max(1, (self.fill_cycles + 15) // step)
        return serial * step + self.period + RUN_PAUSE + 8

    @property
    def resume_bits(self) -> int:
        """log2 of what becomes R^2 by a product with the unit of the last element."""
        return 2 * self.r_bits + self.digit_bits * (self.r_digits - self.num_digits + 1)

    @property
    def sum_bits(self) -> int:
        """log2 of what divides the slot that a load adds: its digits are shifted out like x's.

        >>> Shape(1024, 18).sum_bits - Shape(1024, 18).r_bits
        36
        """
        return self.digit_bits * self.r_digits

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
