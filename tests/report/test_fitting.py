# SPDX-License-Identifier: Apache-2.0
"""How many cores fit, and the page of the smallest one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from modfab.flow.record import Record
from modfab.pages.studies.sos import small_core_block
from modfab.report.fitting import SMALL_DEVICES, cores_of, fitting
from tests.flow.test_store import record

AREA = {"lut": 1000, "ff": 900, "multipliers": 0, "block_rams": 0}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, (12, "LUT4")),
        ({"ff": 1200}, (10, "flip-flops")),
        ({"multipliers": 15}, (1, "multipliers")),
        ({"block_rams": 9}, (3, "block RAMs")),
        ({"lut": 12_001}, (0, "LUT4")),
    ],
)
def test_the_first_resource_to_end_decides(
    change: dict[str, int], expected: tuple[int, str]
) -> None:
    assert fitting(AREA | change, SMALL_DEVICES["LFE5U-12F"]) == expected


def core(sequencer: str, **changes: Any) -> Record:
    """A stored AXI4-Lite core with `sos`."""
    made = record(seed=1, mhz=100.0, cycles={"mul": 9, "exp": 200_000})
    request = replace(
        made.request,
        engine="sos",
        level="modexp_axil",
        sequencer=sequencer,
        params={"NumBits": 2048, "NumSlots": 8},
        exp_bits=2048,
        target="ecp5-25k",
    )
    return replace(made, request=replace(request, **changes))


def test_one_core_for_each_sequencer_routed_first() -> None:
    synthesis = replace(core("ladder", seed=None), mhz=None)
    known = [core("ladder"), synthesis, core("l2r"), core("l2r", exp_bits=17)]
    known += [core("r2l", target="xc7"), core("r2l", level="engine"), core("r2l", level="modexp")]
    known += [core("r2l", params={"NumBits": 2048, "NumSlots": 8, "WordBits": 64})]
    found = cores_of(known, "sos", 2048)
    assert [(m.synthesis.request.sequencer, m.mhz) for m in found] == [
        ("l2r", 100.0),
        ("ladder", 100.0),
    ]


def test_page() -> None:
    row = (
        "| modexp_axil | ladder | 200,000 | 100 | 50 | 2 | 1 | 100.0 (1) | 2 | 14 (multipliers) "
        "| 14 (multipliers) |"
    )
    assert row in small_core_block([core("ladder")])
    assert small_core_block([]).startswith("Not measured yet: `modfab synth --engine sos")
