# SPDX-License-Identifier: Apache-2.0
"""A package in a distribution's Verilator and Icarus Verilog; its flat file in `read_verilog`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.package.ip import IpPackage
from modfab.package.package import write_package
from tests.support.eda import distribution_tool, run, yosys

NAME = "small_core"
CONFIG = modexp_core("bit_serial", 40, {"BitsPerClock": 2}, exp_bits=36)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("alone") / "package"
    write_package(IpPackage(CONFIG, NAME), place)
    return place


def fusesoc(folder: Path, target: str, work: Path) -> str:
    """Run a target of the package's core file with the distribution's Verilator."""
    verilator = Path(distribution_tool("verilator", "verilator"))
    start = "from fusesoc.main import main; main()"
    words = ["env", "-u", "VERILATOR_ROOT", sys.executable, "-c", start]
    words += ["--cores-root", str(folder), "run", "--build-root", str(work), "--target", target]
    fast = " ".join(f"OPT_{kind}=-O0" for kind in ("FAST", "SLOW", "GLOBAL"))
    path = f"{verilator.parent}:/usr/bin:/bin"
    variables = {"PATH": path, "XDG_CACHE_HOME": str(work), "MAKEFLAGS": fast}
    return run([*words, f"modfab:ip:{NAME}"], work, **variables)


def test_package_lints_in_the_distributions_verilator(folder: Path, tmp_path: Path) -> None:
    fusesoc(folder, "lint", tmp_path)


def test_bench_passes_in_the_distributions_verilator(folder: Path, tmp_path: Path) -> None:
    assert f"PASS: 4 operations of {NAME}" in fusesoc(folder, "sim_verilator", tmp_path)


def test_flat_file_is_verilog_2005_for_icarus(folder: Path, tmp_path: Path) -> None:
    iverilog = distribution_tool("iverilog", "iverilog")
    flat = folder / "sim" / f"{NAME}_flat.v"
    run([iverilog, "-g2005", "-Wall", "-s", NAME, "-o", str(tmp_path / "flat"), str(flat)])


def test_flat_file_is_verilog_for_yosys(folder: Path) -> None:
    script = f"read_verilog sim/{NAME}_flat.v; hierarchy -check -top {NAME}; proc; check -assert"
    assert "Found and reported 0 problems." in yosys(script, folder)
