# SPDX-License-Identifier: Apache-2.0
"""What the catalogue says of a store's last word, against its cycle formulas."""

from __future__ import annotations

import pytest

from modfab.catalog import ENGINES, get_engine


@pytest.mark.parametrize("name", ENGINES)
def test_the_tail_of_a_store(name: str) -> None:
    """The first word of one word is the last one."""
    engine = get_engine(name)
    params = {**engine.resolve(64), "NumBits": 32}
    assert engine.cycles.store(params) - engine.cycles.store_latency(params) == engine.store_tail
