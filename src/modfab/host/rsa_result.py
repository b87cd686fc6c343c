# SPDX-License-Identifier: Apache-2.0
"""What one operation of the RSA core gave and cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RsaResult:
    """One operation of the RSA core.

    Attributes:
        value: The result.
        exp_cycles: Cycles of the operation.
        setup_cycles: Cycles of the key's set-up; 0 when it was loaded already.
        total_cycles: Both.
    """

    value: int
    exp_cycles: int
    setup_cycles: int

    @property
    def total_cycles(self) -> int:
        """Cycles from start to done, set-up included."""
        return self.exp_cycles + self.setup_cycles
