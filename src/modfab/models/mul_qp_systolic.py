# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_qp_systolic`: quotient-pipelined products in redundant digits."""

from __future__ import annotations

from modfab.models.engine import SLOT_R, SLOT_R2, Command, EngineModel
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.numbers import from_words, to_words


def multiple(n: int, shape: Shape) -> int:
    """mh: the multiple of n that ends in -1 modulo 2**(w*guard), plus one, without these digits.

    >>> (multiple(2**64 - 59, Shape(64, 16)) << 32) % (2**64 - 59)
    1
    """
    radix = 1 << (shape.digit_bits * shape.guard)
    return (-pow(n, -1, radix) % radix * n + 1) // radix


class Reduction:
    """Quotient-pipelined products for one modulus, from their closed form.

    The array adds q_(i-delay) * mh + x_i * y in step i, and mh * 2**(w*guard) = m + 1 for a
    multiple m of the modulus that is -1 modulo 2**(w*guard). The sum over all steps is one
    Montgomery reduction: of (x*y + addend) * 2**w by m and 2**(w*(num_steps - delay)), whose
    quotient has the quotient digits as its digits. The array's own model makes every step.

    Args:
        modulus: Odd, 3 or more.
        shape: Sizes.

    Source: [ORUP95], in docs/papers.md.
    """

    def __init__(self, modulus: int, shape: Shape) -> None:
        w = shape.digit_bits
        self.modulus = modulus
        self._digit_bits = w
        self._shift = w * (shape.num_steps - shape.delay)
        self._mask = (1 << self._shift) - 1
        self._multiple = (multiple(modulus, shape) << w * shape.guard) - 1
        self._inverse = -pow(self._multiple, -1, 1 << self._shift) & self._mask

    def product(self, x: int, y: int, addend: int = 0) -> int:
        """(x * y + addend) * 2**(-w*r_digits) modulo n as the array computes it, not reduced.

        Args:
            x, y: Operands below the bound of the result.
            addend: Likewise; where it is not 0, the lowest digit of x is 0 and x is a value of
                `num_bits` bits shifted by `guard` digits.

        Returns:
            The value of the result's digits, below 2**(w*guard + 1) * n.

        >>> shape, n = Shape(64, 16), 2**64 - 59
        >>> p = Reduction(n, shape).product(12345, 67890)
        >>> p % n == 12345 * 67890 * pow(2, -16 * shape.r_digits, n) % n
        True
        """
        total = (x * y + addend) << self._digit_bits
        quotient = (total & self._mask) * self._inverse & self._mask
        return (total + quotient * self._multiple) >> self._shift


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

    def __init__(
        self, shape: Shape, num_slots: int, contexts: int = 2, factor_slots: int = 0
    ) -> None:
        self.shape = shape
        self.num_lanes = contexts + shape.in_turn
        self.min_mod_bits = shape.min_mod_bits
        self.resume = bool(shape.resume)
        self.load_sum = bool(shape.load_sum)
        self.factor_slots = factor_slots
        self._reduction: Reduction | None = None
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
        """Two products on alternate cycles, or in turn."""
        return self._product(a0, b), self._product(a1, b), self.shape.pair_period

    def _product(self, x: int, y: int, addend: int = 0) -> int:
        if self._reduction is None or self._reduction.modulus != self.modulus:
            self._reduction = Reduction(self.modulus, self.shape)
        return self._reduction.product(x, y, addend)

    def zeroize(self) -> None:
        """Forget what follows from the modulus, too."""
        super().zeroize()
        self._reduction = None

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

    def _fill_slots(self, command: Command) -> int:
        """A short one makes the multiple of the modulus only; the slots are unspecified."""
        return (
            self.shape.resume_cycles if self.resume and command.b else super()._fill_slots(command)
        )

    def _loaded_slot(self, command: Command, value: int) -> int:
        """Slot R^2 with `resume`: a product with the unit of the last element, not with R.

        With `load_sum` and a slot in `a0`: that slot is added in the first step.
        """
        if not self.modulus:
            return super()._loaded_slot(command, value)
        w, shape = self.shape.digit_bits, self.shape
        x = value << (w * shape.guard)
        if self.resume and command.dst0 == SLOT_R2:
            return self._product(x, 1 << (w * (shape.num_digits - 1)))
        if self.load_sum and command.a0:
            return self._product(x, self.slots[command.b or SLOT_R], self.slots[command.a0])
        return super()._loaded_slot(command, value)

    def load_cycles(self, is_modulus: bool) -> int:
        """As in `Shape`."""
        return self.shape.load_modulus_cycles if is_modulus else self.shape.load_cycles

    def store_cycles(self) -> tuple[int, int]:
        """As in `Shape`."""
        return self.shape.store_cycles, self.shape.store_latency
