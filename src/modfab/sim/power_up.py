# SPDX-License-Identifier: Apache-2.0
"""What registers and memories of a simulated core hold before its first reset: seeded noise."""

from __future__ import annotations

import os
import random

SEED_VARIABLE = "MODFAB_SEED"


def power_up_seed(seed: int | None = None) -> int:
    """Verilator's seed of one simulated core, 1..2**31 - 1 (0 would mean a fixed state).

    Args:
        seed: Any number. None takes the text of the environment's `MODFAB_SEED`, which the test
            suite sets and prints, and without that the same seed always, so that a program
            repeats its runs.

    >>> power_up_seed(5) == power_up_seed(5) != power_up_seed(6)
    True
    """
    text = os.environ.get(SEED_VARIABLE, "") if seed is None else str(seed)
    return random.Random(text).randrange(1, 1 << 31)
