# SPDX-License-Identifier: Apache-2.0
"""A packaged RSA core: its bench runs, it lints, its driver compiles, its descriptions fit."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from modfab.build.core import Core
from modfab.build.rsa import public_core, rsa_core
from modfab.cli import build_cmd
from modfab.models.rsa.entry import RsaEntry
from modfab.package.bench_rsa import key_of
from modfab.package.ip import IpPackage
from modfab.package.package import write_package
from tests.package.checks import SPIRIT, compile_driver, component_of, names_in
from tests.package.test_package import asked, check_found, sim_target
from tests.support.cli import run_cli

CONFIG = rsa_core("bit_serial", 40, {"BitsPerClock": 4}, engines=2)
NAME = "small_core"
CYCLES = CONFIG.programs()

__all__ = ["sim_target"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package alone in a folder of its own."""
    place = tmp_path_factory.mktemp("rsa") / "package"
    write_package(IpPackage(CONFIG, NAME), place)
    return place


def test_bench_passes(folder: Path, tmp_path: Path, sim_target: str) -> None:
    assert f"PASS: 4 operations of {NAME}" in asked(folder, sim_target, tmp_path)


@pytest.mark.parametrize("wrong", ["cycles", "result", "status"])
def test_bench_finds_what_is_wrong(folder: Path, tmp_path: Path, wrong: str) -> None:
    key = key_of(CONFIG)
    result = pow(2 * key.n // 3, key.d, key.n)
    cycles = CYCLES.program(RsaEntry.PRIVATE, 65537)
    old, new, said = {
        "cycles": (f"0, 64'd{cycles})", f"0, 64'd{cycles - 1})", "number of cycles"),
        "result": (f"96'h{result:x}, 0,", f"96'h{result ^ 1 << 33:x}, 0,", "word of the result"),
        "status": (", 3, 64'd0)", ", 4, 64'd0)", "status"),
    }[wrong]
    check_found(folder, tmp_path, old, new, said)


def test_package_lints(folder: Path, tmp_path: Path) -> None:
    asked(folder, "lint", tmp_path)


def test_bench_checks_values_and_cycles(folder: Path) -> None:
    bench = (folder / "sim" / f"{NAME}_tb.v").read_text()
    key = key_of(CONFIG)
    assert pow(pow(3, key.e, key.n), key.d, key.n) == 3
    for entry in (RsaEntry.DERIVE, RsaEntry.KEY, RsaEntry.PRIVATE, RsaEntry.PUBLIC):
        assert f"64'd{CYCLES.program(entry, 65537)}" in bench
    assert f"96'h{pow(2 * key.n // 3, key.d, key.n):x}" in bench


def test_driver_of_the_package_compiles(folder: Path, tmp_path: Path) -> None:
    compiled = compile_driver(folder, tmp_path)
    assert compiled == {"modfab_bus.c", "modfab_key.c", "modfab_rsa.c"}


def test_ip_xact_names_every_port_bus_and_register(folder: Path) -> None:
    root = component_of(folder, NAME)
    assert len(names_in(root, "port")) == 26
    buses = {"s_axi", "s_axis_rnd", "s_axi_aclk", "s_axi_aresetn", "irq", "alarm"}
    assert set(names_in(root, "busInterface")) == buses
    names = {found.text for found in root.iter(f"{SPIRIT}name")}
    assert {"PRIME_BITS", "FAULTS", "MESSAGE", f"rtl/{NAME}_core_rom.sv"} <= names


def test_vivado_script_knows_the_entropy_port(folder: Path) -> None:
    script = (folder / "vivado" / "package_ip.tcl").read_text()
    assert "-busif s_axis_rnd -clock s_axi_aclk" in script
    assert script.count("RSA core with an AXI4-Lite slave") == 1


def test_datasheet(folder: Path) -> None:
    for name in ("datasheet.md", "datasheet.html"):
        page = (folder / "doc" / name).read_text()
        for text in ("MIN_PRIME_BITS", "s_axis_rnd_tdata", "random words", "--level rsa_axil"):
            assert text in page
        assert f"{CYCLES.program(RsaEntry.PRIVATE, 65537):,}" in page
        assert "2 x bit_serial" in page
    ElementTree.fromstring((folder / "doc" / "blocks.svg").read_text())


def test_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    words = ["build", "--core", "rsa", "--engine", "bit_serial", "--bits", 80, "--rsa", "engines=2"]
    assert run_cli(monkeypatch, *words, "-P", "BitsPerClock=4", "-o", tmp_path / "core") == 0
    assert "start with" in capsys.readouterr().out
    rtl, name = tmp_path / "core" / "rtl", "modfab_rsa_bit_serial_80"
    assert f"{name}_core u_core" in (rtl / f"{name}.v").read_text()
    assert "  mf_rsa_axil #(" in (rtl / f"{name}_core.sv").read_text()
    assert run_cli(monkeypatch, *words, "--rsa", "engine=1", "-o", tmp_path / "other") == 2
    assert "An RSA core has no option 'engine'" in capsys.readouterr().err


def test_readme_names_files_and_ports(folder: Path) -> None:
    text = (folder / "README.md").read_text()
    named = re.findall(r"^\| `([\w./]+)`", text, re.MULTILINE)
    assert named
    assert all((folder / path).exists() for path in named)
    top = (folder / "rtl" / f"{NAME}.v").read_text()
    ports = re.findall(r"^  (?:input |output) wire (?:\[\d+:0\])? *(\w+)", top, re.MULTILINE)
    assert re.findall(r"^  \.(\w+) +\(", text, re.MULTILINE) == ports
    mhz = re.findall(r"^Clock: ([\d.]+) MHz", text, re.MULTILINE)[0]
    assert f"one clock of {mhz} MHz" in (folder / "constraints" / f"{NAME}.xdc").read_text()


def test_bench_of_a_core_that_makes_keys_passes(tmp_path: Path, sim_target: str) -> None:
    """With a key that is loaded: making one would take the bench too long at full size."""
    config, folder = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, keygen=True), tmp_path / "made"
    write_package(IpPackage(config, NAME), folder)
    assert f"PASS: 4 operations of {NAME}" in asked(folder, sim_target, tmp_path)
    page = (folder / "doc" / "datasheet.md").read_text()
    assert f"{config.programs().program(RsaEntry.DERIVE, 65537):,}" in page.replace(" ", "")
    assert "made in the core" in page


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of a core for public operations only."""
    place = tmp_path_factory.mktemp("verifier") / "package"
    write_package(IpPackage(public_core("bit_serial", 80, {"BitsPerClock": 4}), NAME), place)
    return place


def test_bench_of_a_public_core_passes(verifier: Path, tmp_path: Path, sim_target: str) -> None:
    assert f"PASS: 4 operations of {NAME}" in asked(verifier, sim_target, tmp_path)


def test_a_public_core_lints_and_compiles(verifier: Path, tmp_path: Path) -> None:
    asked(verifier, "lint", tmp_path)
    assert "modfab_rsa.c" in compile_driver(verifier, tmp_path)


def test_a_public_core_has_no_port_for_random_words(verifier: Path) -> None:
    root = component_of(verifier, NAME)
    assert len(names_in(root, "port")) == 23
    assert "s_axis_rnd" not in names_in(root, "busInterface")
    seen = (".md", ".html", ".svg", ".tcl", ".xml")
    for path in verifier.rglob("*"):
        outside = path.suffix in seen or path.name == f"{NAME}.v"
        assert not (outside and "s_axis_rnd" in path.read_text()), path
    page = (verifier / "doc" / "datasheet.md").read_text()
    assert "It takes n and e from the host" in page
    assert "private operation" not in page
    assert not list(verifier.rglob("mf_exp_*"))


def test_command_of_a_public_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    words = ["build", "--core", "rsa", "--engine", "bit_serial", "--bits", 80, "--public-only"]
    assert run_cli(monkeypatch, *words, "-o", tmp_path / "core") == 0
    capsys.readouterr()
    top = (tmp_path / "core" / "rtl" / "modfab_rsa_bit_serial_80_core.sv").read_text()
    assert "public_only: 1'b1" in top
    assert "unused_sequencer" in top
    farm = ["build", "--core", "farm", "--engine", "bit_serial", "--bits", 80, "--public-only"]
    assert run_cli(monkeypatch, *farm, "-o", tmp_path / "farm") == 2
    assert "A farm shares one private key" in capsys.readouterr().err
    assert run_cli(monkeypatch, *words, "--rsa", "engines=2", "-o", tmp_path / "two") == 2
    assert "engines was given; leave it out" in capsys.readouterr().err


def test_a_target_chooses_the_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `modfab synth` does: the README's cores for Xilinx devices have digits of 17 bits."""
    built: list[Core] = []
    monkeypatch.setattr(build_cmd, "_package", lambda core, *_, **__: built.append(core))
    words = ["build", "--core", "rsa", "--engine", "qp_systolic", "--bits", 128, "-o", tmp_path]
    for more in ([], ["--target", "ecp5-25k"], ["--target", "xc7"]):
        assert run_cli(monkeypatch, *words, *more) == 0
    assert run_cli(monkeypatch, *words, "--target", "xc7", "-P", "DigitBits=16") == 0
    assert [core.unit.params["DigitBits"] for core in built] == [18, 18, 17, 16]
