# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_redundant_mul`: k * M by multipliers."""

from __future__ import annotations

from modfab.models.redundant import RedundantConfig, RedundantModel


class RedundantMulModel(RedundantModel):
    """Engine model; the quotient digit is a product with -M^-1.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = RedundantMulModel(RedundantConfig(1024, 16, True), num_slots=8)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFF1, *[0] * 31)))
    >>> _ = engine.run(Command(Op.SETUP))
    >>> engine.run(Command(Op.MUL, dst0=5, a0=2, b=0)).cycles
    65
    >>> engine.to_integer(engine.slots[5]) == pow(2, engine.r_bits, 0xFFF1)
    True
    """

    def __init__(self, cfg: RedundantConfig, num_slots: int) -> None:
        super().__init__(cfg, num_slots)
        self.table_cycles = cfg.digit_bits
        self._inverse = self._packed = 0

    def prepare(self) -> tuple[int, int, int, int]:
        """As every redundant engine, after -M^-1."""
        radix = 1 << self.cfg.digit_bits
        self._inverse = -pow(self.modulus, -1, radix) % radix
        self._packed = self.numbers.pack(self.modulus)
        return super().prepare()

    def reduce(self, s: int) -> int:
        """The product sum k * M + s."""
        numbers = self.numbers
        k = numbers.digit(s, 0) * self._inverse % (1 << self.cfg.digit_bits)
        return numbers.drop_digit(numbers.product_sum(self._packed, k, s))
