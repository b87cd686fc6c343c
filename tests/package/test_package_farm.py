# SPDX-License-Identifier: Apache-2.0
"""A packaged farm: its bench runs and finds faults, it lints, its descriptions and driver fit."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.build.farm import CHANGE_CYCLES, LONE_CYCLES, farm_core, farm_core_of
from modfab.flow.record import Record
from modfab.flow.stored import measured
from modfab.flow.targets import get_target
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.package.bench_farm import jobs_of
from modfab.package.bench_rsa import key_of
from modfab.package.constraints import UNMEASURED_MHZ, clock_mhz
from modfab.package.datasheet import datasheet_markdown
from modfab.package.ip import IpPackage
from modfab.package.package import write_package
from modfab.package.readme import UNMEASURED, readme_text
from tests.flow.test_store import record
from tests.package.checks import SPIRIT, compile_driver, component_of, flip_flops, names_in
from tests.package.test_package import SIMULATORS, asked, check_found, sim_target
from tests.support.cli import run_cli
from tests.support.eda import distribution_tool

CORES = 2
CONFIG = farm_core("bit_serial", 40, CORES, {"BitsPerClock": 8})
NAME = "small_core"
LONE = farm_core("bit_serial", 34, 1, {"BitsPerClock": 8})
"""The least there is, for the benches that find something wrong."""
CYCLES = CONFIG.rsa.programs()
PRIVATE = CYCLES.program(RsaEntry.PRIVATE, 65537)
STREAMS = ("s_axis_job", "m_axis_ans", "s_axis_rnd")

__all__ = ["sim_target"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package alone in a folder of its own."""
    place = tmp_path_factory.mktemp("farm") / "package"
    write_package(IpPackage(CONFIG, NAME), place)
    return place


@pytest.fixture(scope="module")
def lone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("lone") / "package"
    write_package(IpPackage(LONE, NAME), place)
    return place


def test_bench_passes(folder: Path, tmp_path: Path, sim_target: str) -> None:
    assert f"PASS: 11 operations of {NAME}" in asked(folder, sim_target, tmp_path)


def test_bench_of_a_farm_with_small_cores_passes(tmp_path: Path) -> None:
    options = {"engines": 2, "pair": 1, "cores": 2, "small_cores": 1, "small_elements": 3}
    config = farm_core_of("qp_systolic", 128, {"Contexts": 1}, "ladder", options)
    place = tmp_path / "package"
    write_package(IpPackage(config, NAME), place)
    assert f"PASS: 11 operations of {NAME}" in asked(place, SIMULATORS["verilator"], tmp_path)
    page = (place / "doc" / "datasheet.md").read_text()
    assert "Small cores, the last of them: 1, with two arrays of 3 elements each" in page
    for cycles in config.own_cycles(RsaEntry.PRIVATE):
        assert f"{cycles:,}" in page


@pytest.mark.full
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("cores", [1, 3])
def test_bench_passes_in_every_simulator(cores: int, simulator: str, tmp_path: Path) -> None:
    if simulator == "icarus":
        distribution_tool("iverilog", "iverilog")
    config = farm_core("sos", 40, cores)
    place = tmp_path / "package"
    write_package(IpPackage(config, NAME), place)
    said = asked(place, SIMULATORS[simulator], tmp_path)
    assert f"PASS: {2 * cores + 7} operations of {NAME}" in said


@pytest.mark.parametrize("wrong", ["latency", "result", "ending"])
def test_bench_finds_what_is_wrong(lone: Path, tmp_path: Path, wrong: str) -> None:
    latency = LONE.lone_cycles(LONE.rsa.programs().program(RsaEntry.PRIVATE, 65537))
    public = jobs_of(LONE, key_of(LONE.rsa))[1]
    good = public.line(128)
    old, new = {
        "latency": (f"check_latency({latency})", f"check_latency({latency + 1})"),
        "result": (good, replace(public, result=public.result ^ 1 << 33).line(128)),
        "ending": (good, replace(public, ending=JobStatus.SERVICE).line(128)),
    }[wrong]
    said = {"latency": "latency", "result": "word of the result", "ending": "ending"}[wrong]
    check_found(lone, tmp_path, old, new, said)


def test_package_lints(folder: Path, tmp_path: Path) -> None:
    asked(folder, "lint", tmp_path)


@pytest.mark.full
def test_package_synthesizes(folder: Path, tmp_path: Path) -> None:
    place = tmp_path / "package"
    shutil.copytree(folder, place)
    assert flip_flops(place, NAME) > CORES * 40 * 4


def test_bench_has_every_kind_of_job() -> None:
    key = key_of(CONFIG.rsa)
    jobs = jobs_of(CONFIG, key)
    endings = [job.ending for job in jobs]
    assert endings.count(JobStatus.OK) == 2 * CORES + 2
    assert {JobStatus.OPERAND, JobStatus.FORMAT} <= set(endings)
    assert all(not job.public for job in jobs[-CORES:])
    for job in jobs:
        if job.ending is JobStatus.OK:
            assert pow(job.result, key.d if job.public else key.e, key.n) == job.message
        else:
            assert job.result == 0


def test_driver_of_the_package_compiles(folder: Path, tmp_path: Path) -> None:
    compiled = compile_driver(folder, tmp_path)
    assert compiled == {"modfab_bus.c", "modfab_key.c", "modfab_farm.c"}


def test_ip_xact_names_every_port_bus_and_register(folder: Path) -> None:
    root = component_of(folder, NAME)
    assert len(names_in(root, "port")) == 34
    clock, reset, lines = "s_axi_aclk", "s_axi_aresetn", {"irq", "alarm"}
    assert set(names_in(root, "busInterface")) == {"s_axi", *STREAMS, clock, reset, *lines}
    masters = {
        bus.findtext(f"{SPIRIT}name")
        for bus in root.iter(f"{SPIRIT}busInterface")
        if bus.find(f"{SPIRIT}master") is not None
    }
    assert masters == {"m_axis_ans", *lines}
    names = {found.text for found in root.iter(f"{SPIRIT}name")}
    assert {"PRIME_BITS", "ACCEPT", "CORE_FAULTS", f"rtl/{NAME}_core_rom.sv"} <= names
    associated = [f"s_axi:{':'.join(STREAMS)}"]
    assert [v.text for v in root.iter(f"{SPIRIT}value") if "axis" in (v.text or "")] == associated


def test_vivado_script_knows_the_streams(folder: Path) -> None:
    script = (folder / "vivado" / "package_ip.tcl").read_text()
    for name in STREAMS:
        assert script.count(f"-busif {name} -clock s_axi_aclk") == 1
    assert script.count("Farm of RSA cores with an AXI4-Lite slave") == 1


def test_datasheet(folder: Path) -> None:
    for name in ("datasheet.md", "datasheet.html"):
        page = (folder / "doc" / name).read_text()
        for text in ("OUT_OF_SERVICE", "AXI-Stream master, answers", "1 x bit_serial", "below n"):
            assert text in page
        words = "--level farm_axil --sequencer ladder"
        assert f"{words} --rsa cores={CORES} --target ecp5-85k --route" in page
        for cycles in (PRIVATE, CONFIG.lone_cycles(PRIVATE), CONFIG.full_cycles([PRIVATE] * CORES)):
            assert f"{cycles:,}" in page
        for formula in (LONE_CYCLES, CHANGE_CYCLES):
            assert f"private + {formula.text}" in page
    ElementTree.fromstring((folder / "doc" / "blocks.svg").read_text())


def test_datasheet_shows_what_was_measured() -> None:
    rsa, unit = CONFIG.rsa, CONFIG.unit
    base = record(seed=1, mhz=90.0).request

    def measurement(level: str, shape: dict[str, int] | None, mhz: float) -> Record:
        request = replace(base, level=level, rsa=shape, params=dict(unit.params))
        request = replace(request, sequencer=unit.sequencer.name, exp_bits=unit.exp_bits)
        return record(seed=1, mhz=mhz, request=request)

    other = replace(CONFIG, cores=CORES + 1).choices()
    records = [
        measurement("farm_axil", CONFIG.choices(), 81.0),
        measurement("farm_axil", other, 82.0),
        measurement("rsa_axil", rsa.choices(), 83.0),
    ]
    kept = measured(records, CONFIG)
    assert kept == [records[0], records[2]]
    assert measured(records, rsa) == [records[2]]
    package = IpPackage(CONFIG, NAME, get_target("ecp5-85k"), kept)
    assert clock_mhz(package) == 81.0
    assert clock_mhz(IpPackage(CONFIG, NAME, None, kept)) == UNMEASURED_MHZ
    lone = IpPackage(CONFIG, NAME, None, [records[2]])
    assert clock_mhz(lone) == UNMEASURED_MHZ
    assert "| us (not routed) |" in datasheet_markdown(lone)
    assert UNMEASURED in readme_text(lone, [])
    assert "81 MHz in datasheet and constraints (level farm_axil" in readme_text(package, [])
    assert UNMEASURED not in readme_text(package, [])
    page = datasheet_markdown(package)
    assert "| farm_axil | Lattice ECP5 LFE5U-85F" in page
    assert "| rsa_axil |" in page


def test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    words = ["build", "--core", "farm", "--engine", "bit_serial", "--bits", 80, "--rsa", "cores=3"]
    assert run_cli(monkeypatch, *words, "-o", tmp_path / "core") == 0
    assert "start with" in capsys.readouterr().out
    rtl = tmp_path / "core" / "rtl"
    core = (rtl / "modfab_farm_bit_serial_80_core.sv").read_text()
    assert "  mf_rsa_farm_axil #(" in core
    assert "NumCores    = 3," in core
    many = (*words[:-1], "cores=33")
    assert run_cli(monkeypatch, *many, "-o", tmp_path / "other") == 2
    assert "Expected 1 to 32 cores, but got 33" in capsys.readouterr().err
    words[2] = "rsa"
    assert run_cli(monkeypatch, *words, "-o", tmp_path / "other") == 2
    assert "An RSA core has no option 'cores'" in capsys.readouterr().err
