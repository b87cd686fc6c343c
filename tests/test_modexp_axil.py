# SPDX-License-Identifier: Apache-2.0
"""Compiles mf_modexp_axil once and runs the cocotb tests of tests/axil on it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cocotb_tools.runner import get_runner

from modfab.sim.core import TOP, core_design
from modfab.sim.verilate import verilator_root
from tests.axil.axil_bench import CONFIG

BENCH = Path(__file__).parent / "axil"


def sources(folder: Path) -> list[Path]:
    """RTL of the small core that the bench expects, packages first."""
    design = core_design(CONFIG)
    for name, text in design.texts.items():
        (folder / name).write_text(text)
    files = [*design.files, *(folder / name for name in design.texts)]
    packages = [file for file in files if file.stem.endswith("_pkg")]
    return [*packages, *(file for file in files if file not in packages)]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the compiled simulation."""
    folder = tmp_path_factory.mktemp("axil")
    tools = [str(verilator_root() / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join(tools))
        get_runner("verilator").build(
            sources=sources(folder),
            hdl_toplevel=TOP,
            build_dir=folder / "build",
            build_args=["-Wall", "--MAKEFLAGS", "VK_PCH_I_FAST= VK_PCH_I_SLOW="],
            timescale=("1ns", "1ps"),
            log_file=folder / "build.log",
        )
    return folder


@pytest.mark.parametrize("module", ["cocotb_access", "cocotb_operations"])
def test_cocotb(module: str, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH.parents[1]))
    log = build / f"{module}.log"
    results = build / f"{module}.xml"
    try:
        get_runner("verilator").test(
            hdl_toplevel=TOP,
            hdl_toplevel_lang="verilog",
            test_module=f"tests.axil.{module}",
            build_dir=build / "build",
            test_dir=build,
            results_xml=str(results),
            log_file=log,
            extra_env={"COCOTB_LOG_LEVEL": "WARNING", "COCOTB_REDUCED_LOG_FMT": "1"},
        )
    except SystemExit as error:
        pytest.fail(f"{error.__cause__ or error}\n{log.read_text()[-8000:]}")
    cases = ElementTree.parse(results).getroot().findall(".//testcase")
    assert len(cases) == (BENCH / f"{module}.py").read_text().count("@cocotb.test()")
