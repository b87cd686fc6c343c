# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_systolic`: values by Algorithm 3.2 on whole numbers, cycles by phases.

`modfab.models.mul_systolic_array` is the same engine cycle by cycle and element by element.
"""

from __future__ import annotations

from dataclasses import dataclass

from modfab.models.engine import EngineModel
from modfab.numbers import WORD_BITS, words_of


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of an array for `num_bits` bits of modulus and digits of `radix_bits` bits.

    In radix 2 an element has `element_bits` digits, else one.

    >>> shape = Shape(1024, 4)
    >>> shape.mod_digits, shape.num_digits, shape.num_elements, shape.product_cycles
    (256, 258, 259, 532)
    """

    num_bits: int
    radix_bits: int
    element_bits: int = 1

    @property
    def width_bits(self) -> int:
        """Bits of an element."""
        return self.element_bits if self.radix_bits == 1 else self.radix_bits

    @property
    def mod_digits(self) -> int:
        """The paper's m: digits of the modulus."""
        return -(-self.num_bits // self.radix_bits)

    @property
    def num_digits(self) -> int:
        """Digits of an operand; a product has a step for each, and one more."""
        return self.mod_digits + 2

    @property
    def num_elements(self) -> int:
        """Processing elements: operand digits, and one more for the sum's overflow."""
        return self.r_bits // self.width_bits + 1

    @property
    def slot_elements(self) -> int:
        """Elements that hold digits of operands."""
        return -(-self.r_bits // self.width_bits)

    @property
    def r_bits(self) -> int:
        """log2 of the array's R: the loop divides by one digit in every step but the first."""
        return self.radix_bits * self.num_digits

    @property
    def entries(self) -> int:
        """Entries of a table of multiples."""
        return 1 << self.radix_bits

    @property
    def mul_start(self) -> int:
        """Cycles of a product before its first step: tables fill, but for the last two entries."""
        return 1 if self.radix_bits == 1 else self.entries - 3

    @property
    def step_cycles(self) -> int:
        """Cycles from the first step's table phase to the last sum phase of the second lane."""
        return 2 * (self.num_digits + 1) + 1

    @property
    def product_cycles(self) -> int:
        """One product, or two side by side."""
        return self.mul_start + self.step_cycles

    @property
    def first_word_cycles(self) -> int:
        """Acceptance of a store to its first word: fill, steps, digits of a word, registers."""
        digits = -(-WORD_BITS // self.radix_bits)
        return (self.entries - 1) + self.step_cycles + 2 * digits + 4

    @property
    def store_cycles(self) -> int:
        """A store: to the first word, then as fast as digits arrive, one every second cycle."""
        digits = -(-WORD_BITS * words_of(self.num_bits) // self.radix_bits)
        return self.first_word_cycles + 2 * (digits - -(-WORD_BITS // self.radix_bits))

    @property
    def load_cycles(self) -> int:
        """Words and digits of an operand, one a cycle, and the last digit's way into the array."""
        return words_of(self.num_bits) + self.num_digits + 1

    @property
    def feed_cycles(self) -> int:
        """From the acceptance of a load to that of its last word: words and digits before it."""
        words = words_of(self.num_bits)
        return words + WORD_BITS * (words - 1) // self.radix_bits

    @property
    def chain(self) -> str:
        """Products of set-up, from 2R to R^2: squares and products with 2R (`s`, `m`).

        >>> Shape(1024, 4).chain
        'sssssssmsss'
        """
        return "".join("sm" if bit == "1" else "s" for bit in f"{self.r_bits:b}"[1:])

    @property
    def setup_cycles(self) -> int:
        """Check, three passes of M, M^, its table, and the chain of products."""
        passes = 3 * (2 * self.num_digits + 6)
        hat = (self.entries - 2) + 6
        return 1 + passes + hat + (self.entries - 1) + len(self.chain) * self.product_cycles

    def wipe_cycles(self, num_slots: int) -> int:
        """Tables, slots, and twice the length of the array for what is on its way."""
        slots = 1 << (num_slots + 1 - 1).bit_length()
        return self.entries + 5 + slots + 2 * self.num_digits + 6


@dataclass(frozen=True, slots=True)
class Constants:
    """What set-up derives from a modulus M, with R = 2**shape.r_bits and k = radix_bits.

    Attributes:
        mu: -M^-1 mod 2^k.
        hat: M^ = (mu*M + 1) / 2^k.
        r: Congruent to R, at most R/4.
        r2: Congruent to R^2, at most R/2.
    """

    mu: int
    hat: int
    r: int
    r2: int


def normalised(modulus: int, r_bits: int) -> int:
    """R - c * M * 2^t: congruent to R = 2**r_bits modulo M and at most R/4, without a division.

    M * 2^t has its highest bit in position r_bits - 3; c is 4, 5 or 6 by the next two bits.

    >>> [normalised(m, 16) / 2**16 for m in (3, 5, 7, 0x1235)]
    [0.25, 0.21875, 0.125, 0.14654541015625]
    """
    top = modulus.bit_length() - 1
    below = (modulus << 2 >> top) & 3
    factor = {0: 6, 1: 5}.get(below, 4)
    return (1 << r_bits) - (factor * modulus << (r_bits - 3 - top))


def product(a: int, b: int, hat: int, shape: Shape) -> int:
    """Algorithm 3.2 with S/2^k rounded down and q*M^ in place of (S + q*M~)/2^k.

    Args:
        a, b: Factors, at most R/2.
        hat: M^ = (M~ + 1) / 2^k; S ends in q, so both forms are equal.
        shape: Digits and steps.

    Returns:
        Congruent to a*b/R modulo M, at most R/2.

    Source: [BLUM01] Algorithm 3.2 in docs/papers.md.

    >>> shape = Shape(16, 4)
    >>> modulus = 0xC5A7
    >>> value = product(1000, 2000, setup_constants(modulus, shape).hat, shape)
    >>> value * 2**shape.r_bits % modulus == 1000 * 2000 % modulus
    True
    """
    mask = shape.entries - 1
    total = 0
    for step in range(shape.num_digits + 1):
        quotient = total & mask if step else 0
        digit = a >> (step * shape.radix_bits) & mask
        total = (total >> shape.radix_bits) + quotient * hat + digit * b
    return total


def read_out(value: int, modulus: int, constants: Constants, shape: Shape) -> int:
    """The canonical value/R mod M, without a comparison.

    The steps are those of a product, but each takes h*M off again, h = floor(q*mu / 2^k), so that
    what it adds is a quotient digit times M itself: from y < R they lead to a value in 1..M. As y =
    value + r is congruent to value + R, that is the canonical residue plus 1.

    >>> shape = Shape(16, 4)
    >>> constants = setup_constants(0xC5A7, shape)
    >>> [read_out(v, 0xC5A7, constants, shape) for v in (0, 0xC5A7, constants.r, constants.r2)]
    [0, 0, 1, 28947]
    """
    total = value + constants.r
    for _ in range(shape.num_digits):
        quotient = total & (shape.entries - 1)
        spared = quotient * constants.mu >> shape.radix_bits
        total = (total >> shape.radix_bits) + quotient * constants.hat - spared * modulus
    return total - 1


def setup_constants(modulus: int, shape: Shape) -> Constants:
    """Everything that depends on the modulus only, as set-up computes it."""
    mu = -pow(modulus, -1, shape.entries) % shape.entries
    hat = (mu * modulus + 1) >> shape.radix_bits
    r = normalised(modulus, shape.r_bits)
    power = 2 * r
    for kind in shape.chain:
        power = product(power, power if kind == "s" else 2 * r, hat, shape)
    return Constants(mu, hat, r, power)


class SystolicModel(EngineModel[int]):
    """Engine model; slots hold x*R mod M, at most R/2, with the array's R; the contract's R is 1.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = SystolicModel(num_bits=16, num_slots=8, radix_bits=4)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFF1,)))
    >>> engine.run(Command(Op.SETUP)).cycles, engine.status.name
    (230, 'OK')
    >>> _ = engine.run(Command(Op.LOAD, dst0=4, words=(1000,)))
    >>> engine.run(Command(Op.MUL, dst0=5, a0=4, b=4)).cycles
    28
    >>> engine.run(Command(Op.STORE, a0=5)).words[0] == 1000 * 1000 % 0xFFF1
    True
    """

    num_lanes = 2

    def __init__(
        self, num_bits: int, num_slots: int, radix_bits: int, element_bits: int = 1
    ) -> None:
        self.shape = Shape(num_bits, radix_bits, element_bits)
        self.constants = Constants(0, 0, 0, 0)
        super().__init__(num_bits, num_slots)

    @property
    def r_bits(self) -> int:
        """0: the Montgomery factor is inside the representation."""
        return 0

    def from_integer(self, value: int) -> int:
        """The product with R^2: into Montgomery form."""
        return product(value, self.constants.r2, self.constants.hat, self.shape)

    def to_integer(self, private: int) -> int:
        """Out of Montgomery form."""
        return read_out(private, self.modulus, self.constants, self.shape)

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """One product; the other lane computes zero."""
        return product(a, b, self.constants.hat, self.shape), self.shape.product_cycles

    def multiply2(self, a0: int, a1: int, b: int) -> tuple[int, int, int]:
        """Two products in the time of one."""
        lane0, cycles = self.multiply(a0, b)
        return lane0, self.multiply(a1, b)[0], cycles

    def prepare(self) -> tuple[int, int, int, int]:
        """Set-up; 1, R and R^2 of the contract are all 1."""
        self.constants = setup_constants(self.modulus, self.shape)
        one = self.constants.r
        return one, one, one, self.shape.setup_cycles

    def load_cycles(self, is_modulus: bool) -> int:
        """Words and digits; an operand's product with R^2 follows."""
        return self.shape.load_cycles + (0 if is_modulus else self.shape.product_cycles)

    def store_cycles(self) -> tuple[int, int]:
        """Read-out, then the words."""
        return self.shape.store_cycles, self.shape.first_word_cycles
