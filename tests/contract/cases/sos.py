# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of separated operand scanning."""

from tests.contract.cases import Case, sweep

CASES = [
    Case(id="one-word", num_bits=32, params={"MulStages": 4}),
    Case(id="half-a-wide-word", num_bits=96, params={"MulStages": 1, "WordBits": 64}),
    Case(id="usual", num_bits=range(33, 289)),
    Case(
        id="no-overlap",
        num_bits=range(32, 289),
        params={"WordBits": 64, "Overlap": 0, "NumSlots": 9},
    ),
    Case(id="adders-in-dsp-blocks", num_bits=range(32, 289), params={"DspAdd": 1, "MulStages": 1}),
    Case(id="dsp-no-overlap", num_bits=range(32, 289), params={"DspAdd": 1, "Overlap": 0}),
    *(
        sweep(
            num_bits=range(32, 1025),
            params={"WordBits": word_bits, "MulStages": stages, "Overlap": overlap},
        )
        for word_bits in (32, 64)
        for stages in (1, 2, 3, 4)
        for overlap in (0, 1)
    ),
    *(
        sweep(num_bits=num_bits, params={"WordBits": word_bits})
        for num_bits in (1024, 4096)
        for word_bits in (32, 64)
    ),
]
