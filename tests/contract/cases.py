# SPDX-License-Identifier: Apache-2.0
"""The parameter sets that go through the contract suite: one line puts an engine in."""

from __future__ import annotations

from dataclasses import dataclass, field

from modfab.catalog import Params


@dataclass(frozen=True)
class Case:
    """One parameter set.

    Attributes:
        engine: Name in the catalogue.
        num_bits: Width; 0 draws one from `widths` with the printed seed.
        overrides: Parameters other than the defaults.
        widths: Where a random width comes from.
        full: Run with --full only.
    """

    engine: str
    num_bits: int = 0
    overrides: Params = field(default_factory=dict)
    widths: range = range(16, 200)
    full: bool = False


CASES = [
    Case("bit_serial", 16),
    Case("bit_serial", overrides={"Variant": 0}),
    Case("bit_serial", overrides={"Variant": 0, "BitsPerClock": 4}),
    Case("bit_serial", overrides={"Variant": 1, "BitsPerClock": 2}),
    Case("bit_serial", overrides={"BitsPerClock": 8, "NumSlots": 11}),
    Case("bit_serial", 512),
    *(
        Case("bit_serial", overrides={"Variant": v, "BitsPerClock": u}, widths=w, full=True)
        for v in (0, 1, 2)
        for u in (1, 2, 4, 8)
        for w in (range(16, 64), range(64, 513))
    ),
    Case("bit_serial", 4096, full=True),
]
