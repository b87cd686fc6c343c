# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the redundant digits with a multiplier for the quotient."""

from tests.contract.cases import Case, sweep

CASES = [
    Case(id="smallest", num_bits=16),
    Case(id="short-digits", num_bits=range(16, 100), params={"DigitBits": 5}),
    Case(id="plain-digits", params={"DigitBits": 8, "Redundant": 0, "NumSlots": 11}),
    Case(id="wide", num_bits=256),
    Case(id="three-stages", num_bits=64, params={"PipelineStages": 3}),
    Case(
        id="one-stage",
        num_bits=range(16, 100),
        params={"PipelineStages": 1, "DigitBits": 5},
    ),
    Case(id="five-stages", params={"PipelineStages": 5, "DigitBits": 17, "NumSlots": 11}),
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
    sweep(num_bits=range(16, 600), params={"DigitBits": 17, "NumSlots": 128}),
    sweep(num_bits=4096, params={}),
    *(
        sweep(num_bits=range(16, 300), params={"DigitBits": digit_bits, "PipelineStages": stages})
        for digit_bits in (5, 6, 8, 12, 16, 17)
        for stages in (1, 3, 5)
    ),
    sweep(num_bits=16, params={"PipelineStages": 3}),
    sweep(num_bits=16, params={"PipelineStages": 1, "DigitBits": 17}),
    *(sweep(num_bits=num_bits, params={"PipelineStages": 3}) for num_bits in (512, 1024, 4096)),
    sweep(num_bits=2048, params={"PipelineStages": 5, "NumSlots": 128}),
]
