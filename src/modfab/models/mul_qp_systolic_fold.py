# SPDX-License-Identifier: Apache-2.0
"""Shape and cycle-exact model of the folded array `mf_mul_qp_systolic_fold`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from modfab.models.mul_qp_systolic import Slots, multiple
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.numbers import to_words

STAGE = 2
"""Cycles from an element's digit of a sum to its neighbour's."""

RETURN = 4
"""Cycles from the last element to the first, through the memory of sums."""

CHAIN = 8
"""Cycles from the last element to the next product's first, but for those in a multiplier."""

HELD = 3
"""Cycles that a digit of a result is held at least, until it goes into its slot."""

AFTER = 2
"""Cycles that the product after a pair begins later: lane 0's result waits for lane 1's reads."""

AHEAD = 5
"""Cycles from the start of a product to its first digit at element 0, but for those in a
multiplier."""


@dataclass(frozen=True, slots=True)
class FoldedShape(Shape):
    """Sizes of an array with fewer elements than digits.

    Attributes:
        num_elements: Elements; each does a step, digit after digit.

    >>> shape = FoldedShape(1024, 18, 8)
    >>> shape.num_passes, shape.num_digits, shape.period, shape.pair_period
    (8, 59, 472, 946)
    """

    num_elements: int

    @property
    def num_passes(self) -> int:
        """Times that the digits go through the array."""
        own = {"delay": self.delay, "mul_stages": self.mul_stages}
        return -(-Shape(self.num_bits, self.digit_bits, **own).num_steps // self.num_elements)

    @property
    def num_steps(self) -> int:
        """Steps of a product: one an element in every pass."""
        return self.num_passes * self.num_elements

    @property
    def r_digits(self) -> int:
        """Digits shifted out by a product."""
        return self.num_steps - self.guard

    @property
    def period(self) -> int:
        """Cycles of a product."""
        return self._cycles(1)

    @property
    def pair_period(self) -> int:
        """Cycles of two products, whose passes alternate."""
        return self._cycles(2)

    def pass_cycles(self, lanes: int) -> tuple[int, int]:
        """A pass takes a cycle a digit, more if its sums would not be back for the lane's next one.

        Args:
            lanes: Products whose passes alternate, 1 or 2.

        Returns:
            Cycles of a pass, and of the last pass, which may wait for digits of its result.
        """
        through = STAGE * self.num_elements
        cycles = max(self.num_digits, -(-(through + RETURN) // lanes))
        return cycles, max(cycles + AFTER * (lanes - 1), through + self.mul_stages + CHAIN)

    def held_cycles(self, lanes: int) -> int:
        """Cycles that a digit of a result waits, as lane 1 may still read what it overwrites."""
        _, last = self.pass_cycles(lanes)
        soonest = STAGE * self.num_elements + self.mul_stages + CHAIN
        return last - soonest + HELD if lanes == 2 else HELD

    def _cycles(self, lanes: int) -> int:
        cycles, last = self.pass_cycles(lanes)
        return (lanes * self.num_passes - 1) * cycles + last


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of the digits.

    Attributes:
        cycle: When digit 0 reaches element 0.
        lane, number: Which of the two products; passes of it before this one.
        x, y: Slots of the operands.
        dst: Slot of the result when the pass ends its product, else None.
        held: Cycles that a digit of the result waits.
    """

    cycle: int
    lane: int
    number: int
    x: int
    y: int
    dst: int | None
    held: int


@dataclass(frozen=True, slots=True)
class ElementState:
    """What an element holds in one cycle.

    Attributes:
        work: The pass and the digit whose sum is in `s`; None when it means nothing.
        x, q: Digits of the factors that stay for a pass.
        s: The sum.
    """

    work: tuple[Pass, int] | None
    x: int
    q: int
    s: int


class FoldedArray(Slots):
    """Elements and memories of `mf_mul_qp_systolic_fold`, cycle by cycle.

    Lists are indexed by element, or by cycles since the value was at element 0.

    >>> shape = FoldedShape(64, 18, 2)
    >>> n = 2**64 - 59
    >>> array = FoldedArray(shape, n, num_slots=8)
    >>> array.poke(4, 123), array.poke(5, 456)
    (None, None)
    >>> array.start(x=4, y=5, dst=6) == shape.period
    True
    >>> array.finish()
    >>> from modfab.models.mul_qp_systolic import Reduction
    >>> array.peek(6) == Reduction(n, shape).product(123, 456)
    True
    """

    def __init__(self, shape: FoldedShape, modulus: int, num_slots: int) -> None:
        p, e = shape.num_elements, shape.num_digits
        super().__init__(shape, num_slots)
        self.shape, self.now, self.free = shape, 0, 0  # `free`: cycle of the next start
        self.passes: deque[Pass] = deque()
        self.sums = [[0] * e, [0] * e]
        self.q_lane = [[0] * shape.delay, [0] * shape.delay]  # of a lane's last pass
        self.results = [0] * e  # digits that are held
        self.mh = to_words(multiple(modulus, shape), e, shape.digit_bits)
        self.coming: dict[tuple[str, int], int] = {}  # what memories were asked for, by cycle
        self.x_at, self.y_at, self.m_at = [0] * p, [0] * (2 * p), [0] * (2 * p)
        self.x, self.q, self.u = [0] * p, [0] * p, [0] * p
        self.px, self.pq = ([[0] * shape.mul_stages for _ in range(p)] for _ in range(2))
        self.s = [0] * (p + 1)  # s[j] is what element j receives
        self.s_before = deque([self.s] * (2 * shape.delay + 1 - shape.mul_stages))
        self.whole, self.carry, self.result, self.lane = 0, 0, 0, 0
        self.coming_digits: list[int] = []  # of the result, before those of sums

    # ---- access and commands ----
    def start(self, x: int, y: int, dst: int, x1: int = 0, dst1: int | None = None) -> int:
        """Plan a product, or a pair when dst1 is given, after those before; returns its cycles."""
        lanes = 1 if dst1 is None else 2
        step, last = self.shape.pass_cycles(lanes)
        count = lanes * self.shape.num_passes
        for i in range(count):
            cycle = self.free + self.shape.mul_stages + AHEAD + i * step
            source, target = (x1, dst1) if i % lanes else (x, dst)
            ends = target if i >= count - lanes else None
            held = self.shape.held_cycles(lanes)
            self.passes.append(Pass(cycle, i % lanes, i // lanes, source, y, ends, held))
        cycles = (count - 1) * step + last
        self.free += cycles
        return cycles

    def finish(self) -> None:
        """Advance until the last result is in its slot."""
        while self.now < self.free + self.shape.num_digits + 1:
            self.clock()

    def state(self) -> list[ElementState]:
        """What every element holds in the cycle that begins."""
        return [
            ElementState(self._work(p), self.x[p], self.q[p], self.s[p + 1])
            for p in range(self.shape.num_elements)
        ]

    def _work(self, p: int) -> tuple[Pass, int] | None:
        for item in self._near():
            digit = self.now - item.cycle - STAGE * (p + 1)
            if 0 <= digit < self.shape.num_digits:
                return item, digit
        return None

    # ---- one cycle ----
    def clock(self) -> None:
        """The rising edge at the end of a cycle."""
        e, p = self.shape.num_digits, self.shape.num_elements
        ages = [(item, self.now - item.cycle) for item in self._near()]
        for item, age in ages:
            self._read(item, age)
        self.x_at[0], self.y_at[0], self.m_at[0], self.s[0] = (
            self.coming.pop((name, self.now), 0) for name in "xyms"
        )
        sums = [self._element(j, {age - STAGE * j for _, age in ages}) for j in range(p)]
        for item, age in ages:
            self._write(item, age - STAGE * p)
        self._resolve(any(age == STAGE * p for _, age in ages))
        self.s_before.append(self.s)
        self.s_before.popleft()
        self.s = [0, *sums]
        self.x_at = [0, *self.x_at[:-1]]
        self.y_at = [0, *self.y_at[:-1]]
        self.m_at = [0, *self.m_at[:-1]]
        self.now += 1
        if self.passes and self.now - self.passes[0].cycle > STAGE * p + e + self.passes[0].held:
            self.passes.popleft()

    def _near(self) -> Iterator[Pass]:
        """Passes that have begun or begin soon; the others are left out for speed."""
        ahead = self.shape.mul_stages + AHEAD
        return takewhile(lambda item: item.cycle <= self.now + ahead, self.passes)

    def _read(self, item: Pass, age: int) -> None:
        """What the memories are asked for; it is at element 0 three cycles later, mh at once."""
        e, p, stages = self.shape.num_digits, self.shape.num_elements, self.shape.mul_stages
        early = age + stages + 3
        if 0 <= early < p:
            step = item.number * p + early
            self.coming["x", self.now + 3] = self.slots[item.x][step] if step < e else 0
        if 0 <= early < e:
            self.coming["y", self.now + 3] = self.slots[item.y][early]
        if 0 <= age + 3 < e:
            self.coming["s", self.now + 3] = self.sums[item.lane][age + 3] if item.number else 0
        if 0 <= age + stages - 1 < e:
            self.coming["m", self.now] = self.mh[age + stages - 1]
        k, odd = divmod(age + stages - 1, STAGE)
        if not odd and 0 <= k < self.shape.delay:
            self.coming["q", self.now] = self.q_lane[item.lane][k] if item.number else 0

    def _element(self, j: int, ages: set[int]) -> int:
        """Registers of an element; ages are those of the passes as it sees them."""
        w, mask = self.shape.digit_bits, (1 << self.shape.digit_bits) - 1
        received = self.s[j]
        above = 0 if self.shape.num_digits in ages else received & mask
        total = self.u[j] + self.pq[j][-1] + above
        self.u[j] = (received >> w) + self.px[j][-1]
        delay, stages = self.shape.delay, self.shape.mul_stages
        if 1 - stages in ages:
            seen = self.s_before[0] if self.s_before else self.s
            own = seen[j - delay] & mask if j >= delay else None
            self.q[j] = self.coming.pop(("q", self.now)) if own is None else own
        if -stages in ages:
            self.x[j] = self.x_at[j]
        self.px[j] = [self.x[j] * self.y_at[STAGE * j], *self.px[j][:-1]]
        self.pq[j] = [self.q[j] * self.m_at[STAGE * j], *self.pq[j][:-1]]
        return total

    def _write(self, item: Pass, age: int) -> None:
        """Memories behind the last element; age counts from the first sum that leaves it."""
        mask = (1 << self.shape.digit_bits) - 1
        k, odd = divmod(age, STAGE)  # -delay for what came first
        if not odd and -self.shape.delay <= k < 0:
            self.q_lane[item.lane][k] = self.s[k - 1] & mask
        if 0 <= age < self.shape.num_digits:
            self.sums[item.lane][age] = self.s[-1]
        if 0 <= age - 1 < self.shape.num_digits and item.dst is not None:
            self.results[age - 1] = self.result
        digit = age - 1 - item.held
        if 0 <= digit < self.shape.num_digits and item.dst is not None:
            self.slots[item.dst][digit] = self.results[digit]
        if age == 0:
            self.lane = item.lane

    def _resolve(self, first: bool) -> None:
        """Digits of a result: the last quotient digits, then sums with their carries."""
        w, mask = self.shape.digit_bits, (1 << self.shape.digit_bits) - 1
        total = self.whole + self.carry
        self.whole = self.s[-1]
        self.carry = 0 if first else total >> w
        if first:
            self.coming_digits = list(self.q_lane[self.lane])
        else:
            self.coming_digits.append(total & mask)
        self.result = self.coming_digits.pop(0) if self.coming_digits else 0
