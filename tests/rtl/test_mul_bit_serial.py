# SPDX-License-Identifier: Apache-2.0
"""What is particular to the bit-serial engine: the paper's cycles, its variants."""

from __future__ import annotations

import random

import pytest

from modfab.build.core import modexp_core
from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.models.mul_bit_serial import FLAT, PLAIN, SUM, loop_steps

PAPER_CYCLES = {PLAIN: 528643, SUM: 266244, FLAT: 135684}
"""[LIAO24] Tables 3, 5, 6: one 256-bit decryption."""


@pytest.mark.parametrize("variant", PAPER_CYCLES)
def test_decryption_takes_at_most_the_papers_cycles(variant: int) -> None:
    config = modexp_core("bit_serial", 256, {"Variant": variant}, "ladder")
    exponent = (1 << 256) - 1
    cycles = config.sequencer.exp_cycles(config.engine, config.params, exponent, 256)
    assert cycles + config.engine.cycles.setup(config.params) <= PAPER_CYCLES[variant]


def test_variants_compute_the_same_steps(rng: random.Random) -> None:
    for _ in range(200):
        n = rng.getrandbits(64) | 1
        b, x = rng.randrange(n), rng.getrandbits(8)
        m = rng.randrange(2 * n)
        steps = {loop_steps(m, x, b, n, 8, variant) for variant in (PLAIN, SUM, FLAT)}
        assert len(steps) == 1
        assert steps.pop() < 2 * n


@pytest.mark.parametrize(
    ("bits", "options", "expected"),
    [
        (15, {}, "Parameter NumBits must be one of 16..4096 (bits), but 15 was given"),
        (64, {"Variant": 3}, "Parameter Variant must be one of 0, 1, 2"),
        (64, {"BitsPerClock": 3}, "Parameter BitsPerClock must be one of 1, 2, 4, 8"),
        (64, {"NumSlots": 7}, "Parameter NumSlots must be one of 8..128"),
        (64, {"Unknown": 1}, "Engine bit_serial has no parameter 'Unknown'; it has NumBits"),
    ],
)
def test_bad_parameters(bits: int, options: dict[str, int], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        get_engine("bit_serial").resolve(bits, options)
    assert expected in str(error.value)
