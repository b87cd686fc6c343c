# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_redundant_lut`: k * M from a table of multiples."""

from __future__ import annotations

from modfab.models.redundant import RedundantConfig, RedundantModel

LONGEST_SINGLE_BITS = 10
"""Longest digit whose multiples are all in the table; longer ones take two reads."""


def index_bits(digit_bits: int) -> int:
    """Bits of an address of the table.

    >>> index_bits(8), index_bits(16)
    (8, 8)
    """
    return digit_bits if digit_bits <= LONGEST_SINGLE_BITS else digit_bits // 2


class RedundantLutModel(RedundantModel):
    """Engine model; multiples of M are read where the lowest digit points.

    >>> from modfab.models.engine import Command, Op, SLOT_MOD
    >>> engine = RedundantLutModel(RedundantConfig(1024, 16, True), num_slots=8)
    >>> _ = engine.run(Command(Op.LOAD, dst0=SLOT_MOD, words=(0xFFF1, *[0] * 31)))
    >>> _ = engine.run(Command(Op.SETUP))
    >>> engine.run(Command(Op.MUL, dst0=5, a0=2, b=0)).cycles
    65
    >>> engine.to_integer(engine.slots[5]) == pow(2, engine.r_bits, 0xFFF1)
    True
    """

    def __init__(self, cfg: RedundantConfig, num_slots: int) -> None:
        super().__init__(cfg, num_slots)
        self.index_bits = index_bits(cfg.digit_bits)
        self.table_cycles = 1 << self.index_bits
        self.table: list[int] = []

    def prepare(self) -> tuple[int, int, int, int]:
        """As every redundant engine, after the table."""
        self.table = [0] * self.table_cycles
        acc = 0
        for _ in range(self.table_cycles if self.cfg.redundant else 0):
            self.table[-acc % self.table_cycles] = acc
            acc = self.numbers.correction_add(acc, self.modulus, -1)
        return super().prepare()

    def reduce(self, s: int) -> int:
        """The sum of s and one or two words of the table."""
        low = self.numbers.digit(s, 0) & ((1 << self.cfg.digit_bits) - 1)
        return self.numbers.drop_digit(self.numbers.add([s, *self.multiples(low)]))

    def multiples(self, low: int) -> list[int]:
        """One multiple, or two of which the second counts 2^(r/2) times."""
        first = self.table[low % self.table_cycles]
        if self.index_bits == self.cfg.digit_bits:
            return [first]
        upper = low + self.numbers.digit(first, 0) >> self.index_bits
        return [first, self._moved(self.table[upper % self.table_cycles])]

    def _moved(self, multiple: int) -> int:
        """A multiple times 2^(r/2), digit by digit."""
        cfg, h = self.cfg, self.index_bits
        lower = cfg.lanes(cfg.digits + 2, (1 << h) - 1)
        upper = cfg.lanes(cfg.digits + 2, (1 << (cfg.lane_bits - h)) - 1)
        return ((multiple & lower) << h) + ((multiple >> h & upper) << cfg.lane_bits)
