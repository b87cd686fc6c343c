# SPDX-License-Identifier: Apache-2.0
"""The parameter sets that go through the contract suite: one line puts an engine in."""

from __future__ import annotations

from dataclasses import dataclass, field

from modfab.catalog import Params


@dataclass(frozen=True)
class Case:
    """One parameter set.

    Attributes:
        engine: Name in the catalogue, or with `_pair` behind it for one port of its pair.
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
    Case("qp_systolic", 64),
    Case("qp_systolic", overrides={"DigitBits": 11}, widths=range(64, 200)),
    Case("qp_systolic", overrides={"DigitBits": 17, "Contexts": 1}, widths=range(64, 200)),
    Case("qp_systolic", 0, {"QuotientDelay": 2, "MulStages": 5}, range(64, 200)),
    Case("qp_systolic", 0, {"QuotientDelay": 2, "MulStages": 4, "DigitBits": 13}, range(64, 200)),
    *(
        Case(
            "qp_systolic",
            0,
            {"QuotientDelay": 2, "MulStages": m, "DigitBits": w, "Contexts": c},
            range(64, 400),
            full=True,
        )
        for m in (3, 4, 5)
        for w, c in ((8, 2), (11, 1), (16, 1), (17, 2), (18, 2))
    ),
    Case("qp_systolic", 1024, {"QuotientDelay": 2, "MulStages": 5}, full=True),
    Case("qp_systolic", 64, {"NumElements": 1, "NumSlots": 9, "Contexts": 1}),
    Case("qp_systolic", 160, {"NumElements": 4}),
    Case("qp_systolic", overrides={"DigitBits": 9, "NumElements": 3}, widths=range(64, 200)),
    Case(
        "qp_systolic",
        0,
        {"NumElements": 4, "QuotientDelay": 2, "MulStages": 4},
        range(64, 200),
    ),
    *(
        Case(
            "qp_systolic",
            0,
            {"DigitBits": w, "NumElements": p, "QuotientDelay": 2, "MulStages": m},
            range(128, 700),
            full=True,
        )
        for w, p, m in ((8, 2, 3), (13, 3, 4), (17, 5, 4), (18, 2, 4), (18, 9, 4))
    ),
    *(
        Case("qp_systolic", 0, {"DigitBits": w, "NumElements": p}, range(128, 700), full=True)
        for w in (8, 13, 17, 18)
        for p in (2, 3, 5, 8)
    ),
    Case("qp_systolic", 1024, {"NumElements": 8}, full=True),
    Case("qp_systolic", 1024, {"NumElements": 16}, full=True),
    Case("qp_systolic", 1024, {"NumElements": 32}, full=True),
    Case("qp_systolic", 2048, {"NumElements": 16}, full=True),
    Case("qp_systolic", 4096, {"NumElements": 8}, full=True),
    Case("qp_systolic_pair", 0, {"Port": 0, "Lag": 5}, range(64, 200)),
    Case("qp_systolic_pair", 0, {"Port": 1, "Lag": 4, "DigitBits": 13}, range(64, 200)),
    *(
        Case(
            "qp_systolic_pair", 0, {"Port": p, "Lag": k, "DigitBits": w}, range(64, 400), full=True
        )
        for p in (0, 1)
        for k, w in ((1, 18), (2, 8), (3, 17), (8, 9), (21, 18), (64, 11))
    ),
    Case("qp_systolic_pair", 1024, {"Port": 1, "Lag": 33}, full=True),
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
    Case("mod_product", 16),
    Case("mod_product", overrides={"ClocksPerStep": 2, "NumLanes": 2}),
    Case("mod_product", overrides={"BitsPerStep": 8, "ClocksPerStep": 2}),
    Case("mul_mod", 16, {"DigitBits": 17, "NumLanes": 2}),
    Case("mul_mod", overrides={"DivBitsPerClock": 2}),
    Case("mul_mod", overrides={"UseDsp": 0, "DigitBits": 1, "DivBitsPerClock": 4}),
    *(
        Case("mod_product", 0, {"BitsPerStep": u, "ClocksPerStep": c}, range(16, 513), full=True)
        for u in (1, 2, 4, 8)
        for c in (1, 2)
    ),
    *(
        Case("mul_mod", 0, {"UseDsp": d, "DigitBits": b, "DivBitsPerClock": v}, w, full=True)
        for d, b, v in (
            *((0, 1, 1), (0, 2, 2), (0, 4, 4), (0, 8, 1), (0, 16, 2)),
            *((1, 16, 1), (1, 16, 4), (1, 17, 2), (1, 17, 4), (1, 18, 1), (1, 18, 4)),
        )
        for w in (range(16, 64), range(64, 513))
    ),
    Case("mod_product", 0, {"NumLanes": 2, "NumSlots": 9}, range(16, 513), full=True),
    Case("mul_mod", 0, {"NumLanes": 2, "NumSlots": 128}, range(16, 513), full=True),
    Case("sos", 32, {"MulStages": 4}),
    Case("sos", 96, {"MulStages": 1, "WordBits": 64}),
    Case("sos", 0, {}, range(33, 289)),
    Case("sos", 0, {"WordBits": 64, "Overlap": 0, "NumSlots": 9}, range(32, 289)),
    *(
        Case("sos", 0, {"WordBits": w, "MulStages": s, "Overlap": o}, range(32, 1025), full=True)
        for w in (32, 64)
        for s in (1, 2, 3, 4)
        for o in (0, 1)
    ),
    *(Case("sos", n, {"WordBits": w}, full=True) for n in (1024, 4096) for w in (32, 64)),
    Case("mod_product", 4096, full=True),
    Case("mul_mod", 4096, full=True),
    Case("systolic", 16),
    Case("systolic", 33, {"RadixBits": 1}),
    Case("systolic", overrides={"RadixBits": 2, "NumSlots": 17}),
    Case("systolic", 160),
    *(
        Case("systolic", 0, {"RadixBits": k}, widths, full=True)
        for k in range(1, 7)
        for widths in (range(16, 64), range(64, 513))
    ),
    Case("systolic", 1024, full=True),
    Case("systolic", 1024, {"RadixBits": 1}, full=True),
    Case("systolic", 4096, full=True),
    *(Case("booth16", overrides={"Recoding": r}) for r in range(4)),
    Case("booth16", 16),
    Case("booth16", 256, {"NumSlots": 11}),
    *(
        Case("booth16", overrides={"Recoding": r}, widths=w, full=True)
        for r in range(4)
        for w in (range(16, 64), range(64, 700))
    ),
    Case("booth16", 2048, full=True),
    Case("booth16", 4096, full=True),
    Case("redundant_mul", 16),
    Case("redundant_mul", overrides={"DigitBits": 5}, widths=range(16, 100)),
    Case("redundant_mul", overrides={"DigitBits": 8, "Redundant": 0, "NumSlots": 11}),
    Case("redundant_mul", 256),
    Case("redundant_mul", 64, {"PipelineStages": 3}),
    Case("redundant_mul", 0, {"PipelineStages": 1, "DigitBits": 5}, range(16, 100)),
    Case("redundant_mul", 0, {"PipelineStages": 5, "DigitBits": 17, "NumSlots": 11}),
    Case("redundant_lut", 64),
    Case("redundant_lut", overrides={"DigitBits": 5}, widths=range(16, 100)),
    Case("redundant_lut", overrides={"DigitBits": 8, "Redundant": 0}, widths=range(16, 100)),
    Case("redundant_lut", 64, {"Redundant": 0, "NumSlots": 11}),
    *(
        Case(engine, 0, {"DigitBits": r, "Redundant": redundant}, range(16, 300), full=True)
        for engine in ("redundant_mul", "redundant_lut")
        for r in (5, 6, 7, 8, 9, 10, 12, 14, 16, 18)
        for redundant in (0, 1)
    ),
    *(
        Case(engine, n, {"Redundant": redundant}, full=True)
        for engine in ("redundant_mul", "redundant_lut")
        for n in (16, 512, 1024, 2048)
        for redundant in (0, 1)
    ),
    Case("redundant_mul", 0, {"DigitBits": 17, "NumSlots": 128}, range(16, 600), full=True),
    Case("redundant_mul", 4096, full=True),
    *(
        Case("redundant_mul", 0, {"DigitBits": r, "PipelineStages": p}, range(16, 300), full=True)
        for r in (5, 6, 8, 12, 16, 17)
        for p in (1, 3, 5)
    ),
    Case("redundant_mul", 16, {"PipelineStages": 3}, full=True),
    Case("redundant_mul", 16, {"PipelineStages": 1, "DigitBits": 17}, full=True),
    *(Case("redundant_mul", n, {"PipelineStages": 3}, full=True) for n in (512, 1024, 4096)),
    Case("redundant_mul", 2048, {"PipelineStages": 5, "NumSlots": 128}, full=True),
]
