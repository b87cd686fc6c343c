# SPDX-License-Identifier: Apache-2.0
"""The systolic array of `mf_mul_systolic_array`, cycle by cycle and element by element.

Lists are indexed by element; element 0 holds the least significant digits, one or, in radix 2, as
many as `Shape.element_bits`. A program is one `Token`
a cycle for element 0; every other element gets it one cycle after its right neighbour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from modfab.models.mul_systolic import Shape
from modfab.numbers import from_words, to_words

ONE, SQUARED, NEGATIVE, MODULUS = range(4)
"""Slots of the array: R mod M, R^2 mod M, -M, M. Others are those of the contract."""


@dataclass(frozen=True, slots=True)
class Token:
    """What one element does in one cycle; the default is nothing. Fields as the array's ports."""

    rd: int = 0
    fill: bool = False
    first: bool = False
    we_b: bool = False
    we_m: bool = False
    tab: int = 0
    inj: int | None = None
    inj_lane: int = 0
    wr: int | None = None
    clear: bool = True
    late: bool = False
    carry: int = 0
    a_stream: bool = False
    a_const: int = 0
    a_quot: bool = False
    a_mu: bool = False
    quot: bool = False
    find_mu: bool = False
    arm: int | None = None
    ld: int | None = None
    note: str = ""


IDLE = Token()


@dataclass(frozen=True, slots=True)
class ElementState:
    """One element between two cycles: its token's note, digits of a, q, T and S, multiple of B."""

    note: str
    a: int
    q: int
    t: int
    s: int
    acc: int


class SystolicArray:
    """Registers and memories of the array; `clock` advances all of them.

    >>> shape = Shape(16, 4)
    >>> array = SystolicArray(shape, num_slots=8)
    >>> array.set_modulus(0xC5A7)
    >>> array.poke(4, 1000), array.poke(5, 2000)
    (None, None)
    >>> cycles = array.run(product_program(shape, 4, 5, 6))
    >>> cycles == shape.product_cycles
    True
    >>> array.peek(6) * 2**shape.r_bits % 0xC5A7 == 1000 * 2000 % 0xC5A7
    True
    """

    def __init__(self, shape: Shape, num_slots: int) -> None:
        n = shape.num_elements
        self.shape = shape
        self.tok = [IDLE] * n
        self.a, self.q, self.t, self.acc, self.b = ([0] * n for _ in range(5))
        self.s, self.pipe = [0] * (n + 1), [0] * n
        self.t_cy, self.s_cy, self.f_cy = ([0] * (n + 1) for _ in range(3))
        self.s_old, self.pipe_old, self.got = ([0] * n for _ in range(3))
        self.armed = [False] * n
        self.slots = [[0] * n for _ in range(num_slots + 1)]
        self.tab_b = [[0] * n for _ in range(shape.entries)]
        self.tab_m = [[0] * n for _ in range(shape.entries)]
        self.mu = self.mu_multiple = self.late = 0
        self.tab_h = [0] * shape.entries

    # ---- access between programs ----
    def poke(self, slot: int, value: int) -> None:
        """Write a slot at once."""
        shape = self.shape
        words = to_words(value, shape.slot_elements, shape.width_bits)
        self.slots[slot] = [*words, 0][: shape.num_elements]

    def peek(self, slot: int) -> int:
        """Value of a slot; call it when the last token has passed every element."""
        return from_words(self.slots[slot], self.shape.width_bits)

    def set_modulus(self, modulus: int) -> None:
        """M and -M into their slots, then the array makes mu, M^ and the tables of M^ and h."""
        self.poke(MODULUS, modulus)
        self.poke(NEGATIVE, (1 << self.shape.r_bits) - modulus)
        self.run(hat_program(self.shape))
        self.run(fill_m_program(self.shape))

    def run(self, program: Iterable[Token]) -> int:
        """Clock a program, then let it pass through the array; returns the program's own cycles."""
        cycles = 0
        for token in program:
            self.clock(token)
            cycles += 1
        for _ in range(self.shape.num_elements + 1):
            self.clock(IDLE)
        return cycles

    def state(self) -> list[ElementState]:
        """The state of every element, for dumps and drawings."""
        return [
            ElementState(*fields)
            for fields in zip(
                (token.note for token in self.tok),
                *(self.a, self.q, self.t, self.s[:-1], self.acc),
                strict=True,
            )
        ]

    # ---- one cycle ----
    def clock(self, token: Token) -> None:
        """The rising edge at the end of a cycle; `token` is what element 0 does in the next."""
        k, n, digit_mask = self.shape.radix_bits, self.shape.num_elements, self.shape.entries - 1
        width = self.shape.width_bits
        mask = (1 << width) - 1
        slot = [self.slots[tok.rd][j] for j, tok in enumerate(self.tok)]
        fill = [self.acc[j] + self.b[j] + self.f_cy[j] for j in range(n)]
        multiple = [slot[j] if tok.first else fill[j] & mask for j, tok in enumerate(self.tok)]
        t_sum = [
            self.tab_m[self.q[j]][j] + self.tab_b[self.a[j]][j] + self.t_cy[j] for j in range(n)
        ]
        s_sum = [self._addend(j) + self.t[j] + self.s_cy[j] for j in range(n)]
        a_next, q_next, late_next = self._head(multiple[0] & digit_mask, s_sum[0] & digit_mask)
        taken, held = self._memories(multiple, s_sum)
        shifted = [self._shifted(self.pipe[j + 1], self.pipe_old[j]) for j in range(n - 1)]
        shifted.append(self.pipe_old[n - 1] >> k)
        moved = [
            shifted[j] if tok.inj is None else self.slots[tok.inj][j]
            for j, tok in enumerate(self.tok)
        ]
        if self.shape.slot_elements < n:
            moved[-1] = 0
        self.pipe_old, self.pipe, self.s_old = self.pipe, moved, self.s[:-1]
        for j, tok in enumerate(self.tok):
            self.b[j] = slot[j] if tok.first else self.b[j] if tok.fill else 0
            self.acc[j] = multiple[j] if tok.fill else held[j]
            self.f_cy[j + 1] = fill[j] >> width if tok.fill and not tok.first else 0
            self.t[j], self.t_cy[j + 1] = t_sum[j] & mask, t_sum[j] >> width
            self.s_cy[j + 1] = s_sum[j] >> width
        self.s = [*(total & mask for total in s_sum), 0]
        if self.tok[-1].late and not self.tok[-1].clear:
            self.s[n - 1] &= self._below_r()
        passed = [replace(tok, ld=None) if taken[j] else tok for j, tok in enumerate(self.tok)]
        self.tok = [replace(token, late=token.late or bool(self.late)), *passed[:-1]]
        self.s_cy[0], self.late = token.carry, late_next
        self.a, self.q = [a_next, *self.a[:-1]], [q_next, *self.q[:-1]]

    def _shifted(self, left: int, old: int) -> int:
        """A digit to the right: the element's own of two cycles before, the left one's lowest."""
        k, width = self.shape.radix_bits, self.shape.width_bits
        return ((left & (self.shape.entries - 1)) << width | old) >> k & ((1 << width) - 1)

    def _below_r(self) -> int:
        """Mask of the last element's bits that count less than R."""
        return (1 << self.shape.r_bits % self.shape.width_bits) - 1

    def _addend(self, j: int) -> int:
        tok = self.tok[j]
        if tok.clear:
            return self.acc[j] if tok.late else 0
        return self._shifted(self.s[j + 1], self.s_old[j])

    def _memories(self, multiple: list[int], s_sum: list[int]) -> tuple[list[bool], list[int]]:
        """Write tables and slots.

        Returns:
            Which elements take the digit that passes, and what they keep of a load.
        """
        shape, taken, held = self.shape, [], []
        for j, tok in enumerate(self.tok):
            if tok.we_b:
                self.tab_b[tok.tab][j] = multiple[j]
            if tok.we_m and j * shape.width_bits < shape.r_bits - shape.radix_bits:
                self.tab_m[tok.tab][j] = multiple[j]
            if tok.wr is not None and j < shape.slot_elements:
                self.slots[tok.wr][j] = s_sum[j] & self._slot_mask(j)
            waiting = (self.armed[j] or tok.arm is not None) and j < shape.slot_elements
            taken.append(waiting and tok.ld is not None)
            held.append(self._load(j, tok, waiting, taken[j]))
        return taken, held

    def _slot_mask(self, j: int) -> int:
        width = self.shape.width_bits
        return (1 << min(width, self.shape.r_bits - j * width)) - 1

    def _load(self, j: int, tok: Token, waiting: bool, taken: bool) -> int:
        """An element's part of a load; returns what it keeps of it in place of the multiple."""
        per_element = self.shape.width_bits // self.shape.radix_bits
        digits = (self.acc[j] if per_element > 1 else 0) | self.a[j] << self.got[j]
        if taken and tok.ld is not None:
            self.slots[tok.ld][j] = digits
        full = taken and self.got[j] == per_element - 1
        other = per_element > 1 and (tok.fill or tok.wr is not None)
        was_armed = self.armed[j]
        self.armed[j] = waiting and not full and not other
        self.got[j] = 0 if tok.arm is not None else (self.got[j] + taken) % per_element
        if per_element == 1 or not was_armed or tok.arm is not None or full or other:
            return 0
        return digits if taken else self.acc[j]

    def _head(self, multiple: int, s_sum: int) -> tuple[int, int, int]:
        """Element 0's next a and q, and whether the next step adds the accumulated multiple."""
        tok, mask, late = self.tok[0], self.shape.entries - 1, 0
        if tok.find_mu and multiple == mask:
            self.mu = tok.tab
        if tok.we_m:
            self.mu_multiple += self.mu
            self.tab_h[tok.tab] = self.mu_multiple >> self.shape.radix_bits
        else:
            self.mu_multiple = 0
        if tok.a_stream and tok.inj is not None:
            a = self.slots[tok.inj][0] & mask
            held = mask - 1 + tok.inj_lane
            late = int(self.shape.radix_bits > 1 and a >= held)
            a -= held * late
        elif tok.a_stream:
            a = self._shifted(self.pipe[1], self.pipe_old[0]) & mask
        elif tok.quot and tok.a_quot:
            a = self.tab_h[s_sum]
        else:
            a = self.mu if tok.a_mu else tok.a_const
        return a, s_sum if tok.quot else 0, late


# ---- programs: what mf_mul_systolic_seq sends to element 0 ----
def _fill(shape: Shape, x: int, slot: int, we_b: bool = False, we_m: bool = False) -> Token:
    """Entry x + 1 of a table."""
    if x > shape.entries - 2:
        return IDLE
    return Token(rd=slot, fill=True, first=x == 0, tab=x + 1, we_b=we_b, we_m=we_m, note="fill")


def _steps(shape: Shape, token: Token, y: int) -> Token:
    """Add what steps need: a sum of the step before from y = 3 on, quotients."""
    last = 2 * shape.num_digits
    note = f"{y & 1}:{y >> 1}" if 0 <= y <= last + 1 else token.note
    return replace(token, clear=y < 3, quot=1 <= y <= last, note=note)


def product_program(
    shape: Shape, a0: int, b: int, dst0: int, a1: int | None = None, dst1: int | None = None
) -> Iterator[Token]:
    """`OpMul`, or with a1 and dst1 `OpMul2`: one token for each cycle of the command."""
    steps_last = 2 * shape.num_digits + 2
    for x in range(shape.product_cycles):
        y = x - shape.mul_start
        token = _steps(shape, _fill(shape, x, b, we_b=True), y)
        if y == -1:
            token = replace(token, inj=a0)
        if y == 0 and a1 is not None:
            token = replace(token, inj=a1, inj_lane=1)
        if -1 <= y <= 2 * shape.num_digits:
            token = replace(token, a_stream=True)
        if y == steps_last - 1:
            token = replace(token, wr=dst0)
        if y == steps_last and a1 is not None:
            token = replace(token, wr=dst1)
        yield token


def read_out_program(shape: Shape, slot: int, dst: int) -> Iterator[Token]:
    """The steps of `OpStore`: dst gets the canonical value plus one."""
    fill_last, start = shape.entries - 2, shape.entries - 1
    steps_last = 2 * shape.num_digits + 2
    for x in range(start + steps_last + 1):
        y = x - start
        token = _steps(shape, _fill(shape, x, NEGATIVE, we_b=True), y)
        if x == fill_last:  # never needed for a multiple of -M
            token = replace(token, rd=ONE, first=True, a_const=shape.entries - 1)
        if x == start:
            token = replace(token, rd=slot, fill=True, first=True)
        token = replace(token, a_quot=True, late=y == 1 or y >= 3)
        yield replace(token, wr=dst) if y == steps_last - 1 else token


def hat_program(shape: Shape) -> Iterator[Token]:
    """Find mu in the multiples of M; M^ = (mu*M + 1) / 2^k into slot SQUARED."""
    fill_last = shape.entries - 2
    for x in range(fill_last + 6):
        token = replace(_fill(shape, x, MODULUS, we_b=True), find_mu=x <= fill_last)
        if x == fill_last + 1:
            token = replace(token, a_mu=True)
        if x == fill_last + 5:
            token = replace(token, clear=False, carry=1, wr=SQUARED)
        yield token


def fill_m_program(shape: Shape) -> Iterator[Token]:
    """The table of M^, and at element 0 that of h."""
    for x in range(shape.entries - 1):
        yield _fill(shape, x, SQUARED, we_m=True)


def load_program(shape: Shape, digits: Iterable[int], dst: int) -> Iterator[Token]:
    """Digits from the right; each stays in the first element that still waits for one."""
    yield Token(arm=dst)
    for digit in digits:
        yield Token(a_const=digit)
        yield Token(ld=dst)
