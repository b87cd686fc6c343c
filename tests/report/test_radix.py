# SPDX-License-Identifier: Apache-2.0
"""The radix sweep: what counts, which radix is best, and the drawing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from modfab.flow.record import Record
from modfab.pages.studies.systolic import radix_block, widths_block
from modfab.report.radix import best, points, radix_svg
from tests.flow.test_store import record


def swept(radix_bits: int, target: str, pair: int, num_bits: int = 256, **changes: Any) -> Record:
    """A measurement of the sweep: 150 LUT + FF."""
    seed = 1 if target == "ecp5-85k" else None
    path = {} if seed else {"logic_ns": 2.0}
    made = record(
        seed=seed, mhz=200.0 if seed else None, path=path, cycles={"mul": 1, "mul2": pair}
    )
    request = replace(
        made.request,
        engine="systolic",
        sequencer="",
        level="engine",
        params={"NumBits": num_bits, "NumSlots": 8, "RadixBits": radix_bits},
        exp_bits=0,
        target=target,
    )
    return replace(made, request=request, **changes)


def test_points_are_area_times_time() -> None:
    known = points([swept(4, "ecp5-85k", 2_000), swept(2, "xc7", 1_000)])
    assert [(p.target, p.radix_bits, p.num_seeds) for p in known] == [
        ("ecp5-85k", 4, 1),
        ("xc7", 2, 0),
    ]
    assert [p.area_time for p in known] == [150 * 10, 150 * 2]


def test_what_does_not_belong_is_left_out() -> None:
    good = swept(4, "ecp5-85k", 100)
    requests = [
        replace(good.request, level="modexp"),
        replace(good.request, engine="sos"),
        replace(good.request, target="xcup"),
    ]
    others = [replace(good, request=request) for request in requests]
    wide = {**good.request.params, "RadixBits": 1, "ElementBits": 16}
    others.append(replace(good, request=replace(good.request, params=wide)))
    slots = {**good.request.params, "NumSlots": 14}  # a core's engine, beside the one as it comes
    others.append(replace(good, request=replace(good.request, params=slots)))
    synthesis = replace(good, mhz=None, request=replace(good.request, seed=None))
    synthesis = replace(synthesis, path={"logic_ns": 2.0})  # what can be routed has to be
    assert points([*others, synthesis, swept(4, "xc5v", 100), swept(4, "xc7", 9, 768)]) == []
    assert points([]) == []


def test_best_needs_two_and_takes_the_least() -> None:
    known = points([swept(k, "xc7", cycles) for k, cycles in ((1, 900), (2, 500), (3, 700))])
    assert {key: p.radix_bits for key, p in best(known).items()} == {("xc7", 256): 2}
    assert best(known[:1]) == {}


def test_page_and_drawing() -> None:
    runs = [swept(k, "xc7", cycles) for k, cycles in ((1, 900), (2, 500))]
    text = radix_block(runs)
    assert "| engine | xc7 | 256 | 1 | 150 | 2.00 (logic alone) | 900 |" in text
    assert "* **xc7, 256 bits**: radix 4 (`RadixBits` 2) has the least" in text
    assert radix_block([]).startswith("Not measured yet: `modfab synth --engine systolic")
    svg = radix_svg(points(runs))
    assert svg == radix_svg(points(runs))
    assert "xc7, 256 bits" in svg
    assert "<svg" in radix_svg([])


def whole(radix_bits: int, element_bits: int, num_bits: int, mhz: float) -> Record:
    """A routed exponentiator."""
    made = swept(radix_bits, "ecp5-85k", 9, num_bits, mhz=mhz)
    params = {**made.request.params, "ElementBits": element_bits}
    request = replace(
        made.request, level="modexp", sequencer="r2l", exp_bits=num_bits, params=params
    )
    return replace(made, request=request)


def test_the_frequency_over_the_width() -> None:
    runs = [whole(4, 1, width, mhz) for width, mhz in ((160, 200.0), (1024, 150.0))]
    runs += [whole(1, 16, 160, 210.0), swept(4, "ecp5-85k", 9, 512)]
    runs += [whole(1, 1, 1024, 90.0), whole(4, 2, 1024, 99.0), whole(2, 1, 1024, 77.0)]
    text = widths_block(runs)
    assert "| modexp, r2l | 160 | 200.0 (1) | 100 | 50 | 210.0 (1) | 100 | 50 |" in text
    assert "| modexp, r2l | 1024 | 150.0 (1) | 100 | 50 | - | - | - |" in text
    assert "* **radix 16**: -25% from 160 to 1024 bits." in text
    assert "radix 2**" not in text
    assert widths_block([]).startswith("Not measured yet: `modfab synth --engine systolic")
