# SPDX-License-Identifier: Apache-2.0
"""The table of RSA cores beside their engines alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from modfab.build.core import Core, engine_core
from modfab.build.rsa import rsa_core
from modfab.flow.record import Record
from modfab.flow.store import read_folder
from modfab.pages.readme import checkout, filled
from modfab.pages.speeds import PAGES, rsa_cost_block, rsa_speed_block
from modfab.paths import results_dir
from tests.pages.report_records import measured

PATH: dict[str, Any] = {
    "start": "u_dut.u_core.u_rsa.a_q",
    "end": "u_dut.u_engine.busy_q",
    "logic_ns": 2.25,
    "routing_ns": 6.0,
}


def routed(core: Core, level: str, mhz: float, **path: str) -> Record:
    found = measured(core, level, "ecp5-85k", mhz)
    return replace(found, path=PATH | path)


def rows(*records: Record) -> list[list[str]]:
    lines = rsa_speed_block(records).splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_core_stands_beside_its_engine_with_the_same_slots() -> None:
    core = rsa_core("sos", 256)
    alone = engine_core("sos", 256, dict(core.unit.params))
    other = engine_core("sos", 256, {})
    assert other.params != alone.params
    (row,) = rows(
        routed(core, "rsa", 120.0),
        routed(alone, "engine", 160.0, start="u_dut.u_engine.x_q"),
        routed(other, "engine", 300.0),
    )
    slots = str(alone.params["NumSlots"])
    assert row == [
        *("`sos`", "1 engine, blinded", "rsa, ladder", "ecp5-85k", "512"),
        *("160.0 (1)", slots, "`u_engine.x_q` to `u_engine.busy_q`, 8.25 ns"),
        *("120.0 (1)", "0.75", "`u_rsa.a_q` to `u_engine.busy_q`, 8.25 ns"),
    ]


def test_an_engine_with_other_slots_says_so() -> None:
    core, other = rsa_core("sos", 256), engine_core("sos", 256, {})
    (row,) = rows(routed(core, "rsa", 120.0), routed(other, "engine", 300.0))
    assert row[5:7] == ["300.0 (1)", str(other.params["NumSlots"])]
    assert row[9] == "0.40"


def test_a_dual_port_engine_stands_beside_two_contexts() -> None:
    core = rsa_core("qp_systolic", 256, {"Contexts": 1}, "window", engines=2, pair=True)
    alone = engine_core("qp_systolic", 256, {})
    assert alone.params["Contexts"] == 2
    (row,) = rows(routed(core, "rsa_axil", 150.0), routed(alone, "engine", 200.0))
    assert row[1:3] == ["dual-port engine, blinded", "rsa_axil, window"]
    assert row[9] == "0.75"


def test_the_path_is_that_of_the_seed_at_the_median() -> None:
    core = rsa_core("sos", 256)
    runs = [
        routed(core, "rsa", mhz, end=f"u_dut.u_engine.{end}")
        for mhz, end in ((100.0, "slow_q"), (150.0, "fast_q"), (120.0, "median_q"))
    ]
    seeds = [
        replace(run, circuit="c", request=replace(run.request, seed=seed))
        for seed, run in enumerate(runs, 1)
    ]
    (row,) = rows(*seeds)
    assert row[8::2] == ["120.0 (3)", "`u_rsa.a_q` to `u_engine.median_q`, 8.25 ns"]


def test_what_is_not_routed_says_so() -> None:
    (row,) = rows(routed(rsa_core("sos", 256), "rsa", 120.0, start=""))
    assert (*row[5:8], row[9]) == ("-", "-", "-", "-")
    assert row[10] == "a cell without a name to `u_engine.busy_q`, 8.25 ns"
    assert "Not measured yet: `modfab synth " in rsa_speed_block([])


def test_what_the_default_build_costs() -> None:
    safe, plain, other = (
        rsa_core("sos", bits, hardened=hardened, exponent_words=1 + hardened)
        for bits, hardened in ((256, True), (256, False), (512, True))
    )
    one, two, three = (
        measured(core, "rsa", "ecp5-85k", mhz, lut=lut)
        for core, mhz, lut in ((safe, 190.0, 2100), (plain, 200.0, 2000), (other, 180.0, 3000))
    )
    block = rsa_cost_block([one, two, three])
    (line,) = block.splitlines()[2:]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[4:8] == ["512", "2,000", "2,100", "+5.0 %"]
    cycles = [int(cell.replace(",", "")) for cell in cells[11:13]]
    assert cycles == [plain.cycles()["private"], safe.cycles()["private"]]
    assert cells[14:] == ["200.0 (1)", "190.0 (1)"]
    assert "Not measured yet: `modfab synth " in rsa_cost_block([one, three])
    other_sequencer = rsa_core("sos", 256, sequencer="window", exponent_words=2)
    windowed = measured(other_sequencer, "rsa", "ecp5-85k", 190.0)
    assert len(rsa_speed_block([replace(windowed, path=PATH)]).splitlines()) == 3
    assert "Not measured yet: `modfab synth " in rsa_cost_block([windowed, two])


def test_the_page_has_the_tables() -> None:
    (page,) = PAGES
    text = Path(checkout() / page).read_text()
    for name in ("rsa_speed", "rsa_cost"):
        assert text.count(f"<!-- generated:{name} -->") == 1
    assert "Not measured yet" in filled(text, [])


def test_nextpnr_packs_more_sites_than_there_are_luts_as_the_page_says() -> None:
    """docs/measured.md: up to a fifth more, systolic most, booth16 least."""
    more: dict[str, list[float]] = {}
    for one in read_folder(results_dir()):
        if "TRELLIS_COMB" in one.used:
            luts = one.area["lut"] + one.wrapper["lut"]
            more.setdefault(one.request.engine, []).append(one.used["TRELLIS_COMB"] / luts - 1)
    largest = {engine: max(found) for engine, found in more.items()}
    assert min(min(found) for found in more.values()) > 0
    assert 0.15 < max(largest.values()) <= 0.21
    assert max(largest, key=lambda engine: largest[engine]) == "systolic"
    assert min(largest, key=lambda engine: largest[engine]) == "booth16"
