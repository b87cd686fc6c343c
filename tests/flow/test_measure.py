# SPDX-License-Identifier: Apache-2.0
"""The flow measures real designs with the real tools, stores them, and answers from the store."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from modfab.build.core import engine_core
from modfab.build.farm import FarmCore, farm_core
from modfab.build.rsa import half_of, rsa_core
from modfab.cli.design import design_of
from modfab.cli.synth_cmd import rows_of
from modfab.errors import ToolError, UsageError
from modfab.flow.area import area_of
from modfab.flow.design import Design
from modfab.flow.floorplan import floorplan_of
from modfab.flow.measure import Options, measure, request_of
from modfab.flow.record import record_from_json
from modfab.flow.store import Store
from modfab.flow.synth import APART, SPLIT_ALU, Mapping, check_capacity, mapping
from modfab.flow.targets import TARGETS, get_target
from modfab.flow.tools import Job, find_tool
from modfab.models.rsa.entry import RsaEntry
from modfab.paths import rtl_dir
from tests.support.kept_jobs import kept_job


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    return Store(tmp_path / "results.sqlite")


def small(level: str = "engine", num_bits: int = 16) -> Design:
    return design_of("bit_serial", num_bits, ({}, {}), level, "ladder", None)


def test_routed_figures_are_stored_and_answered_again(store: Store, tmp_path: Path) -> None:
    lines: list[str] = []
    options = Options(seeds=(1, 2))
    first = measure(small(), "ecp5-25k", options, store, lines.append)
    assert [record.request.seed for record in first.routings] == [1, 2]
    assert first.mhz is not None
    assert 40 < first.mhz < 400
    area = first.synthesis.area
    # Eight slots of 16 bits with two read ports alone are eight cells of six LUTs.
    assert area["lut_memory"] == 8 * 6
    assert area["ff"] >= 16 * 4
    assert first.synthesis.wrapper["ff"] >= 91 + 40
    assert first.synthesis.cycles["mul"] == 16 + 2
    used = first.routings[0].used
    assert used["TRELLIS_FF"] >= area["ff"]
    path = first.routings[0].path
    assert path["logic_ns"] + path["routing_ns"] == pytest.approx(
        1000 / (first.routings[0].mhz or 1), rel=0.02
    )
    assert re.search(r"mf_mul_bit_serial\w* \(u_dut\.u_engine", path["text"])
    assert all(floorplan_of(record).is_file() for record in first.routings)

    lines.clear()
    again = measure(small(), "ecp5-25k", options, store, lines.append)
    assert again == first
    assert len(lines) == 3
    assert all("from the store" in line for line in lines)


def test_logic_path_of_a_family_without_a_router(store: Store) -> None:
    short = measure(small(), "xc7", store=store).synthesis
    long = measure(small(num_bits=128), "xc7", store=store).synthesis
    # One carry chain grows with the width: 28 cells more of four bits each.
    more = long.path["logic_ns"] - short.path["logic_ns"]
    assert 28 * 0.05 < more < 28 * 0.3
    assert "longest logic path" in dict(rows_of(measure(small(), "xc7", store=store)))


def test_upper_levels_are_larger_than_their_engine(store: Store) -> None:
    levels = ("engine", "modexp", "modexp_axil")
    areas = [measure(small(level), "ecp5-85k", None, store).synthesis.area for level in levels]
    for below, above in itertools.pairwise(areas):
        assert above["lut"] > below["lut"] + 50
        assert above["ff"] > below["ff"] + 50


@pytest.mark.parametrize(
    "target",
    [
        "xc2vp",
        pytest.param("xcup", marks=pytest.mark.full),
        pytest.param("xc5v", marks=pytest.mark.full),
    ],
)
def test_families_of_the_papers(store: Store, target: str) -> None:
    area = measure(small(), target, None, store).synthesis.area
    assert area["lut"] > 50
    assert 16 * 4 <= area["ff"] < 400
    assert area["multipliers"] == area["block_rams"] == 0


def test_routing_needs_a_router(store: Store) -> None:
    with pytest.raises(UsageError, match=r"no open router for xc7.*leave --route out"):
        measure(small(), "xc7", Options(seeds=(1,)), store)


@pytest.mark.parametrize(("without", "option"), [(True, "--no-enables"), (False, "--enables")])
def test_enables_are_an_ecp5_matter(
    store: Store, monkeypatch: pytest.MonkeyPatch, without: bool, option: str
) -> None:
    """The command refuses it before any tool runs."""
    monkeypatch.setattr("modfab.flow.measure.elaborate", None)
    text = f"for the ecp5 targets, but xc7 was given; leave {option} out"
    with pytest.raises(UsageError, match=text):
        measure(small(), "xc7", Options(no_enables=without), store)


def test_rare_enables_and_resets_become_luts(store: Store) -> None:
    """No set of fewer flip-flops than asked for is left, and the record says so."""
    few = measure(small(), "ecp5-25k", Options(min_set=1000), store).synthesis
    assert few.request.min_set == 1000
    usual = measure(small(), "ecp5-25k", None, store).synthesis
    assert usual.request.key != few.request.key
    assert few.area["lut"] > usual.area["lut"] + 16
    with pytest.raises(UsageError, match="xc7 was given; leave --min-set out"):
        measure(small(), "xc7", Options(min_set=8), store)


def test_an_engine_says_how_it_is_mapped(store: Store) -> None:
    """Without clock enables where the catalogue says so, and nothing else was asked for."""
    design = Design(engine_core("qp_systolic", 64, overrides={"NumElements": 1}))
    ecp5 = measure(design, "ecp5-25k", None, store).synthesis
    assert ecp5.request.no_enables
    asked = measure(design, "ecp5-25k", Options(no_enables=False), store).synthesis
    assert not asked.request.no_enables
    assert asked.area["lut"] < ecp5.area["lut"]
    assert not request_of(design, get_target("xc7"), Options()).no_enables


def test_no_tool_runs_for_a_store_that_cannot_be_written(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what is stored the figures are shown all the same."""
    first = measure(small(), "ecp5-25k", None, store)
    (tmp_path / "file").write_text("")
    unwritable = Store(tmp_path / "file" / "results.sqlite")
    for stage in ("synthesize", "measure_parts", "route"):
        monkeypatch.setattr(f"modfab.flow.measure.{stage}", None)
    with pytest.raises(ToolError, match=r"cannot be used .*make it writable.*MODFAB_DATA"):
        measure(small(), "ecp5-25k", None, unwritable)
    monkeypatch.setattr(store, "check_writable", unwritable.check_writable)
    assert measure(small(), "ecp5-25k", None, store) == first
    for options in (Options(seeds=(1,)), Options(parts=True)):
        with pytest.raises(ToolError, match="cannot be used"):
            measure(small(), "ecp5-25k", options, store)


def test_unknown_router(store: Store) -> None:
    with pytest.raises(UsageError, match="no router 'r3'; choose one of router1, router2"):
        measure(small(), "ecp5-25k", Options(seeds=(1,), router="r3"), store)


@pytest.mark.full
@pytest.mark.parametrize("level", ["rsa_axil", "rsa"])
def test_rsa_core(level: str, store: Store) -> None:
    config = rsa_core("bit_serial", 34)
    record = measure(Design(config, bus=level != "rsa"), "ecp5-85k", None, store).synthesis
    assert record.area["multipliers"] == 4
    assert record.area["block_rams"] >= 4
    assert record.area["lut"] > 1000
    assert record.request.rsa == asdict(config.shape)
    assert record_from_json(record.to_json()) == record
    cycles = config.programs()
    assert record.cycles["private"] == cycles.program(RsaEntry.PRIVATE, 65537)
    assert record.cycles["key"] == cycles.program(RsaEntry.KEY, 65537)


@pytest.mark.full
def test_farm(store: Store) -> None:
    areas = []
    for cores in (1, 2):
        design = design_of("bit_serial", 68, ({}, {"cores": cores}), "farm_axil", "ladder", None)
        record = measure(design, "ecp5-85k", None, store).synthesis
        assert record.request.rsa is not None
        assert record.request.rsa["cores"] == cores
        assert record.area["multipliers"] == 4 * cores
        areas.append(record.area["lut"])
    assert 1.6 * areas[0] < areas[1] < 2 * areas[0]


@pytest.mark.parametrize("level", ["rsa", "rsa_axil"])
@pytest.mark.parametrize("pair", [False, True])
def test_a_design_has_every_module_that_it_uses(level: str, pair: bool) -> None:
    core = rsa_core("qp_systolic", 64, engines=2, pair=pair)
    texts = Design(core, bus=level != "rsa").rtl("")
    found = re.findall(r"^ +(mf_\w+) (?:#\(|u_\w+ \()", "\n".join(texts.values()), re.MULTILINE)
    assert "mf_mul_qp_systolic_pair" in found or not pair
    assert {f"{name}.sv" for name in found} <= set(texts)


def test_a_level_that_a_kind_does_not_have() -> None:
    with pytest.raises(UsageError, match="There is no level 'engine_axil'; choose one of engine, "):
        Design(engine_core("bit_serial", 34), bus=True)
    with pytest.raises(UsageError, match="There is no level 'farm'; choose one of engine"):
        Design(farm_core("bit_serial", 34, 2))
    with pytest.raises(UsageError, match="an even number of bits of n, but 511 were given"):
        half_of(511)


def test_rsa_options() -> None:
    options = {"engines": 2, "exponent_words": 0, "message_blinding": 0}
    design = design_of("bit_serial", 512, ({"BitsPerClock": 8}, options), "rsa", "window", None)
    assert design.core.non_defaults() == options
    assert (design.core.unit.num_bits, design.core.num_bits, design.level) == (256, 512, "rsa")
    with pytest.raises(UsageError, match="An RSA core has no option 'engine'; choose from engine"):
        design_of("bit_serial", 512, ({}, {"engine": 2}), "rsa", "ladder", None)
    with pytest.raises(UsageError, match="The sequencer l2r shows the exponent in its cycles"):
        rsa_core("bit_serial", 64, sequencer="l2r")
    with pytest.raises(UsageError, match="A farm shares one key, but its cores were to keep 2"):
        FarmCore(rsa_core("bit_serial", 64, keys=2), 2)
    alone = {"public_only": 1, "engines": 2, "pair": 1}
    with pytest.raises(UsageError, match="no secret to blind, but engines, pair was given"):
        design_of("bit_serial", 512, ({}, alone), "rsa", "ladder", None)
    with pytest.raises(UsageError, match="--rsa belongs to the kinds rsa, farm, but the core is"):
        design_of("bit_serial", 512, ({}, options), "modexp_axil", "ladder", None)


def test_unknown_target_and_level() -> None:
    with pytest.raises(UsageError, match="no target 'ice40'; choose one of ecp5-25k"):
        get_target("ice40")
    with pytest.raises(UsageError, match="no level 'cpu'; choose one of engine, modexp, modexp_"):
        small("cpu")


def test_wide_adders_are_split_where_chains_are_short(tmp_path: Path) -> None:
    (tmp_path / "adders.v").write_text("""
module adders (input [15:0] a, b, input signed [8:0] c, input ci, output [16:0] s, d, output lt);
  assign s = a + b + ci;
  assign d = a - c;
  assign lt = c < $signed(a[7:0]);
endmodule
""")
    (tmp_path / SPLIT_ALU.name).write_text(SPLIT_ALU.read_text())
    script = "read_verilog adders.v; prep -top adders; alumacc; select -assert-count 3 t:$alu; "
    script += f"equiv_opt -assert techmap -D LIMIT=5 -D PIECE=3 -map {SPLIT_ALU.name} t:$alu; "
    script += "design -load postopt; opt_clean; select -assert-min 12 t:$alu"
    arguments = ["-l", "yosys.log", "-p", script]
    kept_job(Job(find_tool("yosys"), arguments, tmp_path, "yosys.log", "Yosys", 120))
    assert mapping(get_target("xc7"), "top") == [f"{get_target('xc7').synth} -top top"]
    short = mapping(get_target("ecp5-85k"), "top", Mapping(piece_bits=30))
    assert any("LIMIT=300 -D PIECE=30" in step for step in short)


def test_sums_of_many_operands_are_split_too(tmp_path: Path) -> None:
    (tmp_path / "sums.v").write_text("""
module sums (input [399:0] a, b, c, input [39:0] d, e, f, output [399:0] s, output [39:0] t);
  assign s = a + b + c;
  assign t = d + e + f;
endmodule
""")
    target = get_target("ecp5-85k")
    (tmp_path / SPLIT_ALU.name).write_text(SPLIT_ALU.read_text())
    steps = mapping(target, "sums")
    script = "; ".join(["read_verilog sums.v", *steps, "write_json sums.json"])
    arguments = ["-l", "yosys.log", "-p", script]
    kept_job(Job(find_tool("yosys"), arguments, tmp_path, "yosys.log", "Yosys", 120))
    cells = json.loads((tmp_path / "sums.json").read_text())["modules"]["sums"]["cells"].values()
    adders = [cell["connections"] for cell in cells if cell["type"] == "CCU2C"]
    after = {adder["CIN"][0]: adder["COUT"][0] for adder in adders}
    lengths = []
    for carry in set(after) - set(after.values()):
        length = 0
        while carry in after:
            carry, length = after[carry], length + 1
        lengths.append(length)
    piece = int(re.findall(r"PIECE=(\d+)", " ".join(steps))[0])
    assert len(adders) >= (400 + 40) / 2
    assert max(lengths) <= piece // 2 + 1
    assert len(lengths) == -(-400 // piece) + 1


def test_a_design_that_does_not_fit_names_the_resource() -> None:
    area = area_of({"MULT18X18D": 29, "LUT4": 10})
    with pytest.raises(ToolError, match=r"needs 29 MULT18X18D, and Lattice.*has 28; choose"):
        check_capacity(area, TARGETS["ecp5-25k"])
    check_capacity(area, TARGETS["ecp5-45k"])


def test_modules_that_stay_apart_are_there() -> None:
    for file, modules in APART.items():
        assert list(rtl_dir().rglob(file))
        assert list(rtl_dir().rglob(f"{modules}.sv"))
