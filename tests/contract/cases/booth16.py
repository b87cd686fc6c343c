# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the radix-16 Booth engine."""

from modfab.models.mul_booth16 import BOOTH4, BOOTH16, RADIX2, RADIX16
from tests.contract.cases import Case, sweep

RECODINGS = {"booth16": BOOTH16, "radix16": RADIX16, "booth4": BOOTH4, "radix2": RADIX2}

CASES = [
    *(Case(id=name, params={"Recoding": recoding}) for name, recoding in RECODINGS.items()),
    Case(id="smallest", num_bits=16),
    Case(id="wide", num_bits=256, params={"NumSlots": 11}),
    *(
        sweep(num_bits=widths, params={"Recoding": recoding})
        for recoding in RECODINGS.values()
        for widths in (range(16, 64), range(64, 700))
    ),
    sweep(num_bits=2048, params={}),
    sweep(num_bits=4096, params={}),
]
