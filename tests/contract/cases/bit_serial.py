# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the bit-serial engine."""

from tests.contract.cases import Case, sweep

CASES = [
    Case(id="smallest", num_bits=16),
    Case(id="plain", params={"Variant": 0}),
    Case(id="plain-unrolled", params={"Variant": 0, "BitsPerClock": 4}),
    Case(id="sum-unrolled", params={"Variant": 1, "BitsPerClock": 2}),
    Case(id="flat-unrolled", params={"BitsPerClock": 8, "NumSlots": 11}),
    Case(id="wide", num_bits=512),
    *(
        sweep(num_bits=widths, params={"Variant": variant, "BitsPerClock": per_clock})
        for variant in (0, 1, 2)
        for per_clock in (1, 2, 4, 8)
        for widths in (range(16, 64), range(64, 513))
    ),
    sweep(num_bits=4096, params={}),
]
