# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of quotient-free operand scanning with squares."""

from tests.contract.cases import Case, sweep

CASES = [
    Case(id="one-word", num_bits=32, params={"MulStages": 2}),
    Case(
        id="usual",
        num_bits=range(33, 321),
        params={"MulStages": range(2, 5), "LongR": range(2), "NumSlots": range(8, 18)},
    ),
    *(sweep(num_bits=range(32, 1025), params={"MulStages": stages}) for stages in (2, 3, 4)),
    *(sweep(num_bits=num_bits, params={}) for num_bits in (288, 1024, 4096)),
]
