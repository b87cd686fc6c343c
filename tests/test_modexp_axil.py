# SPDX-License-Identifier: Apache-2.0
"""Compiles mf_modexp_axil once and runs the cocotb tests of tests/axil on it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cocotb_tools.runner import get_runner

from modfab.sim.core import TOP, core_design
from modfab.sim.verilate import verilator_root
from tests.axil.axil_bench import CONFIG

BENCH = Path(__file__).parent / "axil"
MODULES = ("cocotb_access", "cocotb_operations")
WAVES = Path("build/waves")


def sources(folder: Path) -> list[Path]:
    """RTL of the small core that the bench expects, packages first."""
    design = core_design(CONFIG)
    for name, text in design.texts.items():
        (folder / name).write_text(text)
    files = [*design.files, *(folder / name for name in design.texts)]
    packages = [file for file in files if file.stem.endswith("_pkg")]
    return [*packages, *(file for file in files if file not in packages)]


def simulate(folder: Path, waves: bool = False) -> tuple[str, Path]:
    """Compile the core, run every cocotb test; the failed run's log or nothing, and the results."""
    folder.mkdir()
    log, results = folder / "log", folder / "results.xml"
    runner = get_runner("verilator")
    runner.build(
        sources=sources(folder),
        hdl_toplevel=TOP,
        build_dir=folder / "build",
        build_args=["-Wall", "--MAKEFLAGS", "VK_PCH_I_FAST= VK_PCH_I_SLOW="],
        timescale=("1ns", "1ps"),
        log_file=folder / "build.log",
        waves=waves,
    )
    try:
        runner.test(
            hdl_toplevel=TOP,
            test_module=[f"tests.axil.{module}" for module in MODULES],
            build_dir=folder / "build",
            test_dir=folder,
            results_xml=str(results),
            log_file=log,
            extra_env={"COCOTB_LOG_LEVEL": "WARNING", "COCOTB_REDUCED_LOG_FMT": "1"},
            waves=waves,
        )
    except SystemExit as error:
        return f"{error.__cause__ or error}\n{log.read_text()[-8000:]}", results
    return "", results


def test_cocotb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCH.parents[1]))
    tools = [str(verilator_root() / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    monkeypatch.setenv("PATH", os.pathsep.join(tools))
    failure, results = simulate(tmp_path / "plain")
    if failure:
        simulate(tmp_path / "waves", waves=True)
        WAVES.mkdir(parents=True, exist_ok=True)
        wave = shutil.move(tmp_path / "waves" / "dump.vcd", WAVES / f"{TOP}.vcd")
        pytest.fail(f"{failure}\nThe waveform is {wave}.")
    cases = ElementTree.parse(results).getroot().findall(".//testcase")
    texts = [(BENCH / f"{module}.py").read_text() for module in MODULES]
    assert len(cases) == sum(text.count("@cocotb.test()") for text in texts)
