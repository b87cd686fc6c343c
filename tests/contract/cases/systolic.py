# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the systolic array."""

from tests.contract.cases import Case, sweep

CASES = [
    Case(id="smallest", num_bits=16),
    Case(id="radix2", num_bits=33, params={"RadixBits": 1}),
    Case(id="radix2-elements-of-4", num_bits=35, params={"RadixBits": 1, "ElementBits": 4}),
    Case(id="radix2-elements-of-8", num_bits=38, params={"RadixBits": 1, "ElementBits": 8}),
    Case(id="radix2-elements-of-16", num_bits=64, params={"RadixBits": 1, "ElementBits": 16}),
    Case(id="radix4", params={"RadixBits": 2, "NumSlots": 17}),
    Case(id="radix8", num_bits=range(33, 97), params={"RadixBits": 3}),  # no divisor of 32
    Case(id="usual", num_bits=160),
    *(
        sweep(num_bits=widths, params={"RadixBits": radix_bits})
        for radix_bits in range(1, 7)
        for widths in (range(16, 64), range(64, 513))
    ),
    *(
        sweep(num_bits=widths, params={"RadixBits": 1, "ElementBits": element_bits})
        for element_bits in (4, 8, 16)
        for widths in (range(16, 64), range(64, 513))
    ),
    sweep(num_bits=1024, params={}),
    sweep(num_bits=1024, params={"RadixBits": 1}),
    sweep(num_bits=4096, params={}),
]
