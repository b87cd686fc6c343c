# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_redundant_mul_pipe`: two products interleaved, quotients looked ahead."""

from __future__ import annotations

from dataclasses import dataclass

from modfab.models.engine import EngineModel
from modfab.models.redundant import correction_select

STEP_CYCLES = 6
"""Cycles of one operation of the adder that set-up and conversion use."""

WIPE_TAIL = 20
"""Cycles of a wipe after the last slot, until no register holds anything."""


@dataclass(frozen=True, slots=True)
class PipeShape:
    """Widths of the pipelined engine and what follows from them.

    >>> PipeShape(1024, 16, 3).mul_cycles
    146
    """

    num_bits: int
    digit_bits: int
    stages: int

    @property
    def delay(self) -> int:
        """Steps between a quotient digit and its use."""
        return (self.stages - 1) // 2

    @property
    def mod_digits(self) -> int:
        """Digits of the modulus, at least two."""
        return max(2, -(-self.num_bits // self.digit_bits))

    @property
    def digits(self) -> int:
        """Digits of an operand, which is below 2^(guard_bits) * M."""
        return self.delay + 1 + max(2, -(-(self.num_bits + 1) // self.digit_bits))

    @property
    def guard_bits(self) -> int:
        """log2 of the bound of operands in units of M."""
        return (self.delay + 1) * self.digit_bits + 1

    @property
    def r_bits(self) -> int:
        """log2 of R: four times the bound fits, so that products keep it."""
        above = max(2, -(-(self.num_bits + 2) // self.digit_bits))
        return (self.delay + 1 + above) * self.digit_bits

    @property
    def steps(self) -> int:
        """Steps of a product: digits of R, one for the last quotient, one for each delayed."""
        return self.r_bits // self.digit_bits + 1 + self.delay

    @property
    def mul_cycles(self) -> int:
        """A step of each of two products, 8 cycles from a slot to the first sum and back."""
        return 2 * self.steps + 8

    @property
    def setup_cycles(self) -> int:
        """Halvings, shifts, doublings, halvings back; then two products at once."""
        shifts = self.mod_digits * self.digit_bits
        operations = self.guard_bits - 1 + 2 * shifts + 2 * self.r_bits + 7
        return 1 + STEP_CYCLES * operations + self.mul_cycles

    @property
    def convert_cycles(self) -> int:
        """A product, halvings, two runs of carries, and three cycles to the first word."""
        operations = 1 + self.guard_bits + 2 * (self.digits - 1)
        return self.mul_cycles + STEP_CYCLES * operations + 3


class PipeNumbers:
    """Arithmetic on numbers of `digits` digits, one in each lane of an integer.

    >>> numbers = PipeNumbers(PipeShape(64, 16, 3))
    >>> numbers.value(numbers.carry(numbers.pack(0x1234_5678) * 7)) == 0x1234_5678 * 7
    True
    """

    def __init__(self, shape: PipeShape) -> None:
        self.shape = shape
        self.lane_bits = 2 * shape.digit_bits + 8
        count = shape.digits + 3
        self._digit = (1 << shape.digit_bits) - 1
        self._lane = (1 << self.lane_bits) - 1
        self._ones = sum(1 << i * self.lane_bits for i in range(count))
        self._low = self._ones * self._digit
        self._high = self._ones * (self._lane >> shape.digit_bits)

    def pack(self, value: int) -> int:
        """Canonical digits."""
        found, lane = 0, 0
        while value:
            found |= (value & self._digit) << lane
            value, lane = value >> self.shape.digit_bits, lane + self.lane_bits
        return found

    def digit(self, x: int, index: int) -> int:
        """One digit."""
        return x >> index * self.lane_bits & self._lane

    def value(self, x: int) -> int:
        """The value of a number."""
        bits = self.shape.digit_bits
        return sum(self.digit(x, i) << i * bits for i in range(self.shape.digits + 3))

    def split(self, x: int) -> tuple[int, int]:
        """Principal bits, and what is above them in the lane of its own digit."""
        return x & self._low, x >> self.shape.digit_bits & self._high

    def carry(self, x: int) -> int:
        """Move every carry one place."""
        low, high = self.split(x)
        return low + (high << self.lane_bits)

    def half(self, x: int) -> int:
        """Half of an even number."""
        odd = x & self._ones
        return (x - odd >> 1) + (odd >> self.lane_bits << self.shape.digit_bits - 1)

    def top(self, x: int) -> int:
        """A number's digit where the modulus has its highest, with the one above."""
        d = self.shape.mod_digits
        return self.digit(x, d - 1) + (self.digit(x, d) << self.shape.digit_bits)


class RedundantPipeModel(EngineModel[int]):
    """Engine model; slots hold packed digits, at most four above 2^DigitBits - 1 each.

    >>> from modfab.models.engine import SLOT_MOD, Command, Op
    >>> engine = RedundantPipeModel(PipeShape(64, 16, 3), num_slots=8)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFF1, 0)))
    >>> _ = engine.run(Command(Op.SETUP))
    >>> engine.run(Command(Op.MUL, dst0=5, a0=2, b=0)).cycles
    26
    >>> engine.to_integer(engine.slots[5]) == pow(2, engine.r_bits, 0xFFF1)
    True
    """

    num_lanes = 2

    def __init__(self, shape: PipeShape, num_slots: int) -> None:
        self.shape = shape
        self.numbers = PipeNumbers(shape)
        self._mh = 0
        super().__init__(shape.num_bits, num_slots)

    @property
    def r_bits(self) -> int:
        """R = 2**r_bits."""
        return self.shape.r_bits

    def from_integer(self, value: int) -> int:
        """Canonical digits."""
        return self.numbers.pack(value)

    def to_integer(self, private: int) -> int:
        """What the product, the halvings and one subtraction of a store give."""
        return self.numbers.value(private) % self.modulus if self.modulus else 0

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """One product; it takes the cycles of two."""
        return self._product(a, b), self.shape.mul_cycles

    def multiply2(self, a0: int, a1: int, b: int) -> tuple[int, int, int]:
        """Two products, their steps in turn."""
        return self._product(a0, b), self._product(a1, b), self.shape.mul_cycles

    def _product(self, a: int, b: int) -> int:
        """S <- S div B + a * b_i + q * M^, q = the S mod B of `delay` steps before."""
        if not self.modulus:
            return 0
        numbers, delay, lane = self.numbers, self.shape.delay, self.numbers.lane_bits
        s, quotients = 0, [0] * delay
        for i in range(self.shape.steps):
            low, high = numbers.split(s)
            quotients.append(numbers.digit(low, 0))
            s = (low >> lane) + high
            for product in (a * numbers.digit(b, i), self._mh * quotients[i]):
                lower, upper = numbers.split(product)
                s += lower + (upper << lane)
        late = sum(q << j * lane for j, q in enumerate(quotients[len(quotients) - delay :]))
        return numbers.carry((s << delay * lane) + late)

    def prepare(self) -> tuple[int, int, int, int]:
        """M^ = 2^-(guard_bits - 1) by halving; R^2 by doubling; R as the product of R^2 and 1."""
        shape, numbers = self.shape, self.numbers
        one, m = 1, numbers.pack(self.modulus)
        x = one
        for _ in range(shape.guard_bits - 1):
            x = numbers.half(x + m if x & 1 else x)
        self._mh = self._minus(x, 0)
        r2 = self._r2()
        return one, self._product(one, r2), r2, shape.setup_cycles

    def _r2(self) -> int:
        """Doubled modulo the M that is shifted up to its container; halved back."""
        shape, numbers = self.shape, self.numbers
        container = shape.mod_digits * shape.digit_bits
        shift = container - self.modulus.bit_length()
        big = self.modulus << shift
        x = numbers.pack(1 << shift)
        for _ in range(2 * shape.r_bits):
            x *= 2
            m_top = big >> container - shape.digit_bits
            x = self._minus(x, correction_select(numbers.top(x), m_top) * big)
        for _ in range(shift):
            x = numbers.half(x)
        for _ in range(container - shift):
            x = self._minus(x, 0)
        return x

    def _minus(self, x: int, multiple: int) -> int:
        """Difference >= 0, in digits that are added first, their carries moved one place then.

        The digit above the modulus takes the sign, and keeps its carry.
        """
        numbers, cut = self.numbers, self.shape.mod_digits * self.numbers.lane_bits
        container = 1 << self.shape.mod_digits * self.shape.digit_bits
        lower = (x & ((1 << cut) - 1)) + numbers.pack(-multiple % container)
        low, high = numbers.split(lower)
        upper = (x >> cut) + (-multiple // container)
        return low + (high << numbers.lane_bits) + (upper << cut)

    def load_cycles(self, is_modulus: bool) -> int:
        """One cycle a word, three to the slot."""
        return self.num_words + 3

    def store_cycles(self) -> tuple[int, int]:
        """The conversion, then one cycle a word."""
        first = self.shape.convert_cycles + 1
        return first - 1 + self.num_words, first
