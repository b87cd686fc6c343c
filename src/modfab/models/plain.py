# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_mul_residue_ctrl`: what the engines without Montgomery form (R = 1) share."""

from __future__ import annotations

from abc import abstractmethod

from modfab.models.engine import EngineModel


class PlainModel(EngineModel[int]):
    """Engine model whose slots hold residues; the product is left to `lane`."""

    def __init__(self, num_bits: int, num_slots: int, num_lanes: int) -> None:
        super().__init__(num_bits, num_slots)
        self.num_lanes = num_lanes

    @abstractmethod
    def lane(self, a: int, b: int) -> tuple[int, int]:
        """a*b mod M as one lane computes it, and the cycles that it takes."""

    @property
    def r_bits(self) -> int:
        """R = 1."""
        return 0

    def from_integer(self, value: int) -> int:
        """Residues are the private form."""
        return value

    def to_integer(self, private: int) -> int:
        """Slots are canonical already."""
        return private

    def multiply(self, a: int, b: int) -> tuple[int, int]:
        """One cycle to read the slots, the lane, one cycle to write."""
        value, cycles = self.lane(a, b)
        return value, cycles + 2

    def multiply2(self, a0: int, a1: int, b: int) -> tuple[int, int, int]:
        """The second lane starts, and writes, one cycle after the first."""
        value0, cycles = self.lane(a0, b)
        value1, _ = self.lane(a1, b)
        return value0, value1, cycles + 3

    def prepare(self) -> tuple[int, int, int, int]:
        """One cycle to check the modulus, three to write the number 1."""
        return 1, 1, 1, 4

    def load_cycles(self, is_modulus: bool) -> int:
        """One cycle a word and one to write the slot."""
        return self.num_words + 1

    def store_cycles(self) -> tuple[int, int]:
        """One cycle to read the slot, then one a word."""
        return self.num_words + 1, 2
