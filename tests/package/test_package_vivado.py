# SPDX-License-Identifier: Apache-2.0
"""The script that packages a folder as an IP of Vivado, run with stand-ins of its commands."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from modfab.build.rsa import rsa_core
from modfab.flow.targets import get_target
from modfab.package.ip import IpPackage
from modfab.package.package import write_package
from modfab.sim.verilate import verilator_root
from tests.support.eda import distribution_tool, run

NAME = "small_core"

STUBS = """
proc unknown {args} {
  puts "CALL $args"
  return [lindex $args end]
}
source vivado/package_ip.tcl
"""
"""Every command prints itself and gives its last word."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("vivado") / "package"
    config = rsa_core("qp_systolic", 64, {"DigitBits": 17}, engines=2)
    write_package(IpPackage(config, NAME, get_target("xc7")), place)
    return place


@pytest.fixture(scope="module")
def calls(folder: Path) -> list[str]:
    """What the script has called, in order."""
    tclsh = distribution_tool("tclsh", "tcl")
    done = subprocess.run(
        [tclsh], input=STUBS, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return [line.removeprefix("CALL ") for line in done.stdout.splitlines()]


def test_the_script_packages_every_file(folder: Path, calls: list[str]) -> None:
    listed = (folder / f"{NAME}.f").read_text().splitlines()
    for name in listed:
        if not name.startswith("//"):
            assert f"add_files -norecurse {folder.resolve()}/{name}" in calls
    (packaged,) = (call for call in calls if call.startswith("ipx::package_project "))
    assert f"-root_dir {folder.resolve()}/vivado/ip " in packaged
    assert "`vivado/ip` is an IP repository" in (folder / "README.md").read_text()


def test_the_clock_is_the_design_s(folder: Path, calls: list[str]) -> None:
    """In a design the clock of the IP comes from outside: the XDC is for its own synthesis."""
    xdc = f"constraints/{NAME}.xdc"
    marked = "set_property USED_IN {synthesis implementation out_of_context}"
    place = calls.index(f"{marked} {folder.resolve()}/{xdc}")
    (packaged,) = (k for k, call in enumerate(calls) if call.startswith("ipx::package_project "))
    assert place < packaged


def test_the_synchronous_reset_is_timed(folder: Path) -> None:
    """An untimed path could reset registers in different cycles."""
    assert "false_path" not in (folder / f"constraints/{NAME}.xdc").read_text()


def test_the_command_of_the_readme_lints(folder: Path) -> None:
    """Cells of the vendor have models in the package."""
    text = (folder / "README.md").read_text()
    (line,) = re.findall(r"`verilator (--lint-only .* -f \S+)`", text)
    assert f"--top-module {NAME}" in line
    words: list[str | Path] = [verilator_root() / "bin" / "verilator_bin", *line.split()]
    run(words, folder, VERILATOR_ROOT=str(verilator_root()))
