# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the product followed by a division."""

from tests.contract.cases import Case, sweep

LUT_DIGITS = {"UseDsp": 0}
DSP_DIGITS = {"UseDsp": 1}

CASES = [
    Case(id="smallest-two-lanes", num_bits=16, params={"DigitBits": 17, "NumLanes": 2}),
    Case(id="divide-two-bits", params={"DivBitsPerClock": 2}),
    Case(id="no-multiplier", params=LUT_DIGITS | {"DigitBits": 1, "DivBitsPerClock": 4}),
    *(
        sweep(num_bits=widths, params=digits | {"DigitBits": bits, "DivBitsPerClock": per_clock})
        for digits, bits, per_clock in (
            *(
                (LUT_DIGITS, bits, clock)
                for bits, clock in ((1, 1), (2, 2), (4, 4), (8, 1), (16, 2))
            ),
            *((DSP_DIGITS, 16, clock) for clock in (1, 4)),
            *((DSP_DIGITS, 17, clock) for clock in (2, 4)),
            *((DSP_DIGITS, 18, clock) for clock in (1, 4)),
        )
        for widths in (range(16, 64), range(64, 513))
    ),
    sweep(num_bits=range(16, 513), params={"NumLanes": 2, "NumSlots": 128}),
    sweep(num_bits=4096, params={}),
]
