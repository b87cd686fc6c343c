# SPDX-License-Identifier: Apache-2.0
"""Random parameters of what a test builds."""

from __future__ import annotations

import os
import random

import pytest

NEW = 3
"""By default, one test in so many draws new parameters; what the others draw is always the same, so
that their simulators are in the cache. With --full all draw new ones."""


def shape_draw(config: pytest.Config, name: str) -> random.Random:
    """Draws the parameters of a test: new ones, by the printed seed, or those of its name."""
    draw = random.Random(f"{os.environ['MODFAB_SEED']}:shape of {name}")
    is_new = config.getoption("--full") or draw.randrange(NEW) == 0
    return draw if is_new else random.Random(name)
