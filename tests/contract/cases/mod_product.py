# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the interleaved modular product."""

from tests.contract.cases import Case, sweep

CASES = [
    Case(id="smallest", num_bits=16),
    Case(id="two-lanes", params={"ClocksPerStep": 2, "NumLanes": 2}),
    Case(id="eight-bits", params={"BitsPerStep": 8, "ClocksPerStep": 2}),
    *(
        sweep(num_bits=range(16, 513), params={"BitsPerStep": bits, "ClocksPerStep": cycles})
        for bits in (1, 2, 4, 8)
        for cycles in (1, 2)
    ),
    sweep(num_bits=range(16, 513), params={"NumLanes": 2, "NumSlots": 9}),
    sweep(num_bits=4096, params={}),
]
