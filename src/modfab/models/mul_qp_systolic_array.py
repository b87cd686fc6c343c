# SPDX-License-Identifier: Apache-2.0
"""The full array of `mf_mul_qp_systolic`, element by element and cycle by cycle."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from modfab.models.mul_qp_systolic import Slots, multiple, table
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.numbers import to_words

X_CLOCK, Q_CLOCK = 5, 6
"""Cycles from a product's start to its first step at element 0: x at its multiplier, q at its
multiplier. So many cycles later as a product has registers the two additions follow, each on its
own; the sum is there one cycle after the second, and the next step two after this one."""


@dataclass(frozen=True, slots=True)
class Product:
    """One product of the schedule.

    Attributes:
        start: Cycle in which the operand feed starts it or the pair that it belongs to.
        lane: 0; 1 for the second of a pair, one cycle behind.
        x, y, dst: Slots.
        second: It is the second one of two in turn: its x is of before the first one's result.
    """

    start: int
    lane: int
    x: int
    y: int
    dst: int
    second: bool = False


@dataclass(frozen=True, slots=True)
class ElementState:
    """What an element holds in one cycle.

    Attributes:
        work: The product and its step whose sum is in `s`; None when it means nothing.
        s: The sum.
    """

    work: tuple[Product, int] | None
    s: int


class FullArray(Slots):
    """Elements of `mf_mul_qp_systolic_array` with their slots, cycle by cycle.

    >>> shape = Shape(64, 18)
    >>> n = 2**64 - 59
    >>> array = FullArray(shape, n, num_slots=8)
    >>> array.poke(4, 123), array.poke(5, 456)
    (None, None)
    >>> array.start(x=4, y=5, dst=6) == shape.period
    True
    >>> array.finish()
    >>> from modfab.models.mul_qp_systolic import Reduction
    >>> array.peek(6) == Reduction(n, shape).product(123, 456)
    True
    """

    def __init__(self, shape: Shape, modulus: int, num_slots: int) -> None:
        e = shape.num_digits
        super().__init__(shape, num_slots)
        self.shape, self.now, self.free = shape, 0, 0  # `free`: cycle of the next start
        self.products: deque[Product] = deque()
        self.mh = to_words(multiple(modulus, shape), e, shape.digit_bits)
        self.entries = table(modulus, shape) if shape.tables else []
        self.x_at, self.q_at = [0] * e, [0] * e  # what walks right
        self.before: list[int] = []  # x of a second product in turn
        self.px, self.pq = ([[0] * shape.mul_stages for _ in range(e)] for _ in range(2))
        self.u, self.s, self.carry = [0] * e, [0] * (e + 1), [0] * (e + 1)
        self.below = [0] * (2 * shape.delay)  # element 0's lower digit, now and in cycles before
        self.right = [[0] * e for _ in range(shape.delay - 1)]  # digits on their way to the right

    def start(self, x: int, y: int, dst: int, x1: int = 0, dst1: int | None = None) -> int:
        """Plan a product, or a pair when dst1 is given, after those before; returns its cycles."""
        shape = self.shape
        if dst1 is not None and shape.in_turn:
            if dst == y:
                x, dst, x1, dst1 = x1, dst1, x, dst
            then = self.free + 2 * shape.num_steps
            self.products.append(Product(self.free, 0, x, y, dst))
            self.products.append(Product(then, 0, x1, y, dst1, second=True))
        else:
            self.products.append(Product(self.free, 0, x, y, dst))
            if dst1 is not None:
                self.products.append(Product(self.free, 1, x1, y, dst1))
        cycles = shape.period if dst1 is None else shape.pair_period
        self.free += cycles
        return cycles

    def finish(self) -> None:
        """Advance until the last result is in its slot."""
        while self.products:
            self.clock()

    def state(self) -> list[ElementState]:
        """What every element holds in the cycle that begins."""
        return [
            ElementState(self._event(j, Q_CLOCK + self.shape.mul_stages + 1), self.s[j])
            for j in range(self.shape.num_digits)
        ]

    def _age(self, item: Product, j: int) -> int:
        return self.now - item.start - item.lane - j

    def _event(self, j: int, cycle: int) -> tuple[Product, int] | None:
        """The product and the step for which element j is in that cycle of a step."""
        for item in self.products:
            step, odd = divmod(self._age(item, j) - cycle, 2)
            if not odd and 0 <= step < self.shape.num_steps:
                return item, step
        return None

    def clock(self) -> None:
        """The rising edge at the end of a cycle."""
        e, mask = self.shape.num_digits, (1 << self.shape.digit_bits) - 1
        self._enter(mask)
        elements = [self._element(j, mask) for j in range(e)]
        sums = [s + c for s, c in zip(self.s, self.carry, strict=True)]
        resolved = self._resolved([value & mask for value in sums[:-2]])
        for item in self.products:
            digit = self._age(item, 0) - self.shape.period - 3
            if 0 <= digit < e:
                self.slots[item.dst][digit] = resolved[digit]
        self.carry = [0, *(value >> self.shape.digit_bits for value in sums[:-1])]
        self.u, self.s[:-1] = [u for u, _ in elements], [s for _, s in elements]
        self.below = [self.s[0] & mask, *self.below[:-1]]
        self.x_at, self.q_at = [0, *self.x_at[:-1]], [0, *self.q_at[:-1]]
        self.now += 1
        last = self.shape.period + 3 + e
        while self.products and self._age(self.products[0], 0) > last:
            self.products.popleft()

    def _resolved(self, sums: list[int]) -> list[int]:
        """Digits of a result: sums' from `delay` elements to the left, in front quotient digits."""
        seen = [[self.below[1], *sums]]
        for k, row in enumerate(self.right, 1):
            seen.append([self.below[2 * k + 1], *row[:-1]])
        self.right = seen[:-1]
        return seen[-1]

    def _enter(self, mask: int) -> None:
        """Digits at element 0: x from its slot or on its way there, q from the sum itself."""
        found = self._event(0, X_CLOCK)
        if found:
            item, step = found
            digits = self.slots[item.x]
            if item.second:
                self.before = self.before if step else list(digits)
                digits = self.before
            self.x_at[0] = digits[step] if step < self.shape.num_digits else 0
        found = self._event(0, Q_CLOCK)
        if found:
            late = 2 * self.shape.delay + 1 - self.shape.mul_stages
            self.q_at[0] = self.below[late] if found[1] > self.shape.delay else 0

    def _element(self, j: int, mask: int) -> tuple[int, int]:
        """Registers of an element: u and s after this cycle."""
        u, s = self.u[j], self.s[j]
        found = self._event(j, Q_CLOCK + self.shape.mul_stages)
        if found:
            s = u + self.pq[j][-1] + (self.s[j + 1] & mask if found[1] else 0)
        found = self._event(j, X_CLOCK + self.shape.mul_stages)
        if found:
            u = (self.s[j] >> self.shape.digit_bits if found[1] else 0) + self.px[j][-1]
        found = self._event(j, X_CLOCK)
        y = self.slots[found[0].y][j] if found else 0
        self.px[j] = [self.x_at[j] * y, *self.px[j][:-1]]
        self.pq[j] = [self._quotient_product(j), *self.pq[j][:-1]]
        return u, s

    def _quotient_product(self, j: int) -> int:
        """The element's digit of q * mh: a product, or two digits read at different weights."""
        q, bits = self.q_at[j], self.shape.table_bits
        if not self.entries:
            return q * self.mh[j]
        if j >= self.shape.table_digits:
            return 0
        lower, upper = self.entries[q & ((1 << bits) - 1)][j], self.entries[q >> bits][j]
        return lower + (upper << bits)
