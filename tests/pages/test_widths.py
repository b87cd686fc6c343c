# SPDX-License-Identifier: Apache-2.0
"""The table of engines and widths: which measurement stands there, and what explains a gap."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from modfab.catalog import ENGINES
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.store import newest, read_folder
from modfab.pages.widths import WIDTHS, left_out, routed_alone, widths_of_engines_block
from modfab.paths import results_dir
from modfab.report.compare import ROUTED
from tests.flow.test_store import record


def alone(num_bits: int, mhz: float, level: str = "engine", **params: int) -> list[Record]:
    """Synthesis and routing of `sos`."""
    made = []
    for seed in (None, 1):
        one = record(seed=seed, mhz=mhz if seed else None)
        request = replace(
            one.request,
            engine="sos",
            level=level,
            sequencer="",
            params=ENGINES["sos"].resolve(num_bits, params),
            exp_bits=0,
            target=ROUTED,
        )
        made.append(replace(one, request=request))
    return made


def test_an_engine_as_it_comes_stands_before_a_faster_form() -> None:
    known = [*alone(256, 200.0), *alone(256, 250.0, Overlap=0), *alone(512, 90.0, MulStages=1)]
    text = widths_of_engines_block(known)
    assert "| `sos` | 200.0 (1) | 90.0 (1), MulStages 1 | - | - |" in text
    assert "`sos` at 1024 bits: Not measured yet: `modfab synth --engine sos --bits 1024" in text
    assert set(routed_alone(known)) == {("sos", 256), ("sos", 512)}
    slower, faster = alone(512, 80.0, WordBits=64), alone(512, 90.0, MulStages=1)
    for known in ([*slower, *faster], [*faster, *slower]):
        assert routed_alone(known)["sos", 512].mhz == 90.0


def test_what_is_not_routed_alone_does_not_count() -> None:
    synthesis, _ = alone(256, 200.0)
    assert routed_alone([synthesis, *alone(256, 200.0, level="modexp")]) == {}
    elsewhere = replace(alone(256, 200.0)[1].request, target="ecp5-25k")
    assert routed_alone([replace(synthesis, mhz=200.0, request=elsewhere)]) == {}


def test_a_reason_stands_for_a_gap() -> None:
    (why,) = {why for (engine, _), why in left_out().items() if engine == "redundant_mul"}
    assert f"* `redundant_mul` at 2048 bits: {why}\n" in widths_of_engines_block([])


def test_a_reason_names_an_engine_and_a_width(tmp_path: Path) -> None:
    path = tmp_path / "left-out.toml"
    path.write_text('[[row]]\nengines = ["none"]\nbits = [256]\nwhy = "so"\n')
    with pytest.raises(
        UsageError, match=r"leaves out none at 256 bits; the engines are bit_serial"
    ):
        left_out(path)


def test_every_engine_is_routed_at_every_width_or_says_why_not() -> None:
    routed = {
        (one.request.engine, one.request.num_bits)
        for one in read_folder(results_dir())
        if one.mhz is not None and (one.request.level, one.request.target) == ("engine", ROUTED)
    }
    missing = set(product(ENGINES, WIDTHS)) - routed - left_out().keys()
    assert missing == set(), "route it, or give the reason in results/left-out.toml"


def test_no_reason_stands_beside_a_figure() -> None:
    assert not routed_alone(newest(read_folder(results_dir()))).keys() & left_out().keys()
