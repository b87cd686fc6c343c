# SPDX-License-Identifier: Apache-2.0
"""Cycles of extreme keys and messages."""

from __future__ import annotations

import random

import pytest

from modfab.assess.page import page
from modfab.assess.timing import EXPONENTS, MESSAGES, key_of, run_timing
from modfab.build.rsa import rsa_core


def test_cycles_follow_build_and_e_only(rng: random.Random) -> None:
    keys = len(EXPONENTS)
    report = run_timing(rsa_core("bit_serial", 64), keys, rng.randrange(1, 1 << 30))
    rows = report["rows"]
    assert set(rows) == {*EXPONENTS, *(f"message {name}" for name in MESSAGES)}
    assert all(row["deviations"] == 0 for row in rows.values())
    assert rows["message 0"]["runs"] == keys
    usual = rows["e = 65537"]
    assert usual["least"] == usual["most"] == rows["unequal primes"]["most"]
    assert "unequal primes" in page("timing", report)


@pytest.mark.parametrize(("kind", "d"), [("d = 1", 1), ("d tiny", 3)])
def test_extreme_exponents(kind: str, d: int, rng: random.Random) -> None:
    parts = key_of(kind, rng, 64).parts()
    assert (parts["DP"], parts["DQ"]) == (d, d)
