# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the redundant digits with a table for the quotient."""

from tests.contract.cases import Case, sweep

CASES = [
    Case(id="usual", num_bits=64),
    Case(id="short-digits", num_bits=range(16, 100), params={"DigitBits": 5}),
    Case(id="plain-short-digits", num_bits=range(16, 100), params={"DigitBits": 8, "Redundant": 0}),
    Case(id="plain-digits", num_bits=64, params={"Redundant": 0, "NumSlots": 11}),
    *(
        sweep(num_bits=range(16, 300), params={"DigitBits": digit_bits, "Redundant": redundant})
        for digit_bits in (5, 6, 7, 8, 9, 10, 12, 14, 16, 18)
        for redundant in (0, 1)
    ),
    *(
        sweep(num_bits=num_bits, params={"Redundant": redundant})
        for num_bits in (16, 512, 1024, 2048)
        for redundant in (0, 1)
    ),
]
