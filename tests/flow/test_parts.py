# SPDX-License-Identifier: Apache-2.0
"""What the parts of an engine cost, and the page that shows it."""

from __future__ import annotations

import fcntl
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from modfab.build.core import engine_core
from modfab.errors import ToolError, UsageError
from modfab.flow import measure as measure_module
from modfab.flow.area import area_of
from modfab.flow.design import Design
from modfab.flow.elaborate import Elaboration
from modfab.flow.measure import Options, measure
from modfab.flow.parts import _modules, _script, parts_of
from modfab.flow.store import Store
from modfab.flow.synth import Mapping, Synthesis
from modfab.flow.targets import get_target
from modfab.pages.studies.booth16 import booth16_block
from tests.flow.test_store import record

MODULES = {
    "mf_cfg_engine$a": {"mf_mul_x$a": 1},
    "mf_mul_x$a": {"FDRE": 7, "mf_p$a": 1, "mf_p$b": 2, "mf_q$a": 1},
    "mf_p$a": {"LUT3": 1},
    "mf_p$b": {"LUT3": 2, "RAM32M": 1},
    "mf_q$a": {"mf_p$a": 4, "FDRE": 1},
}


def test_cells_go_to_the_module_below_the_engine() -> None:
    parts = parts_of(MODULES, "mf_cfg_engine$a")
    assert {name: (p["lut"], p["lut_memory"], p["ff"]) for name, p in parts.items()} == {
        "mf_mul_x": (0, 0, 7),
        "mf_p": (13, 8, 0),
        "mf_q": (4, 0, 1),
    }


def test_parts_are_measured_once_and_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    design = Design(engine_core("booth16", 32))
    lines: list[str] = []
    found = measure(design, "xc7", Options(parts=True), Store(), lines.append)
    parts, area = found.synthesis.parts, found.synthesis.area
    assert {"mf_mul_booth16", "mf_mul_booth16_step", "mf_regfile_1w2r"} <= set(parts)
    assert sum(part["ff"] for part in parts.values()) >= area["ff"]
    assert sum(part["lut"] for part in parts.values()) >= area["lut"]
    # The whole has a few shift registers in LUTs besides.
    assert 0 < parts["mf_regfile_1w2r"]["lut_memory"] <= area["lut_memory"]
    count = len(lines)
    again = measure(design, "xc7", Options(parts=True), Store(), lines.append)
    assert again.synthesis == found.synthesis
    assert [line for line in lines[count:] if "from the store" not in line] == []
    assert measure(design, "xc7", Options(), Store()).synthesis.parts == parts


def test_parts_are_measured_while_nobody_synthesizes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both write the design's sources into one folder."""

    def held(folder: Path) -> None:
        with (folder / "synthesis.lock").open("a") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def synthesize(*words: Any, **_: object) -> Synthesis:
        held(words[2])
        return Synthesis(area_of({}), area_of({}), 1.0)

    def parts(*words: Any, **_: object) -> dict[str, dict[str, int]]:
        held(words[2])
        return {"mf_p": {"lut": 3}}

    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(measure_module, "elaborate", lambda *_: Elaboration((), "circuit"))
    monkeypatch.setattr(measure_module, "synthesize", synthesize)
    monkeypatch.setattr(measure_module, "measure_parts", parts)
    design, store = Design(engine_core("booth16", 32)), Store(tmp_path / "results.sqlite")
    found = measure(design, "xc7", Options(parts=True), store)
    assert found.synthesis.parts == {"mf_p": {"lut": 3}}


def test_parts_are_mapped_as_their_design_is() -> None:
    script = _script(get_target("ecp5-25k"), "mf_top", ["a.sv"], Mapping(True, 8, piece_bits=30))
    assert "synth_ecp5 -noflatten -nodffe -top mf_measure" in script
    assert "PIECE=30" in script
    assert "-mince 8" in script
    options = Options(parts=True, lut_multipliers=True)
    with pytest.raises(UsageError, match="--parts keeps its modules apart; leave one of them out"):
        measure(Design(engine_core("qp_systolic", 64)), "ecp5-25k", options)


def test_statistics_that_are_missing_are_reported(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="without the cells of each module"):
        _modules(tmp_path / "parts.json")


def test_page_shows_recodings_and_parts() -> None:
    made = record(path={"logic_ns": 2.0})
    request = replace(made.request, engine="booth16", target="xc7")
    part = {"lut": 60, "lut_memory": 20, "ff": 5}
    runs = [
        replace(
            made,
            request=replace(request, params={"NumBits": 64, "NumSlots": 8, "Recoding": recoding}),
            area=made.area | {"lut": lut, "lut_memory": 10},
            parts={"mf_mul_booth16_step": part} if recoding == 0 else {},
        )
        for recoding, lut in ((0, 50), (1, 150))
    ]
    text = booth16_block(runs)
    assert "| 64 | `booth16` | 50 | 10 | 50 | 2.00 | 66 | 0.13 | 0.2 | 0.0 | - |" in text
    assert "| 64 | `radix16` | 150 | 10 | 50 | 2.00 | 66 | 0.13 | 0.4 | 0.0 | 52.6% |" in text
    assert "Parts of `booth16`, 64 bits:" in text
    assert "| array | `mf_mul_booth16_step` | 60 | 20 | 5 |" in text
    assert "Parts of `radix16`" not in text
