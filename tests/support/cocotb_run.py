# SPDX-License-Identifier: Apache-2.0
"""Compiles a design once for cocotb and runs test modules on it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cocotb_tools.runner import Verilator

from modfab.sim.verilate import Design, tool_environment
from tests.support.eda import shared_objects

ROOT = Path(__file__).resolve().parents[2]
WAVES = Path("build/waves")


_TOP_ONLY = '`verilator_config\npublic_flat_rw -module "{top}" -var "*"\n'


class TopOnly(Verilator):
    """cocotb's runner, but a test sees the signals of the top module only.

    With every signal public a design is slower to compile and to run, and Verilator 5.048 lets the
    farm compute wrong products, which the same RTL does not do otherwise.
    """

    def _build_command(self) -> list[list[str]]:
        commands = super()._build_command()
        return [[word for word in words if word != "--public-flat-rw"] for words in commands]


def _sources(design: Design, folder: Path) -> list[Path]:
    """Files of a design: Verilator's own, packages, modules."""
    for name, text in design.texts.items():
        (folder / name).write_text(text)
    files = [*design.files, *(folder / name for name in design.texts)]
    return sorted(files, key=lambda f: (f.suffix != ".vlt", not f.stem.endswith("_pkg")))


def _simulate(
    runner: Verilator, design: Design, modules: Sequence[str], folder: Path, waves: bool
) -> tuple[str, Path]:
    """Compile and run every test; the failed run's log or nothing, and the results."""
    folder.mkdir()
    log, results = folder / "log", folder / "results.xml"
    runner.build(
        sources=_sources(design, folder),
        hdl_toplevel=design.top,
        build_dir=folder / "build",
        # cocotb makes every signal public. Verilator then keeps the structs between core, engine
        # and sequencer whole, and takes fields of both directions for a loop.
        build_args=["-Wall", "-Wno-UNOPTFLAT"],
        timescale=("1ns", "1ps"),
        log_file=folder / "build.log",
        waves=waves,
    )
    try:
        runner.test(
            hdl_toplevel=design.top,
            test_module=list(modules),
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


def run_cocotb(
    design: Design,
    modules: Sequence[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    top_only: bool = False,
) -> None:
    """Run every test of these modules (`tests.x.y`); a failed run is repeated with a waveform.

    Args:
        design: What to compile.
        modules: With the tests.
        folder: For everything that is made.
        monkeypatch: The test's.
        top_only: The tests use nothing but the ports of the top module.
    """
    kind = TopOnly if top_only else Verilator
    if top_only:
        shown = dict(design.texts) | {"top_only.vlt": _TOP_ONLY.format(top=design.top)}
        design = replace(design, texts=shown)
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.setenv("PATH", tool_environment()["PATH"])
    # The wheel's makefile names a header for all files, but not how a compiler takes it.
    monkeypatch.setenv("MAKEFLAGS", " -- VK_PCH_I_FAST= VK_PCH_I_SLOW= VM_PARALLEL_BUILDS=0")
    for name, value in shared_objects().items():
        monkeypatch.setenv(name, value)
    failure, results = _simulate(kind(), design, modules, folder / "plain", waves=False)
    if failure:
        _simulate(kind(), design, modules, folder / "waves", waves=True)
        WAVES.mkdir(parents=True, exist_ok=True)
        wave = shutil.move(folder / "waves" / "dump.vcd", WAVES / f"{design.top}.vcd")
        pytest.fail(f"{failure}\nThe waveform is {wave}.")
    cases = ElementTree.parse(results).getroot().findall(".//testcase")
    texts = [(ROOT / f"{module.replace('.', '/')}.py").read_text() for module in modules]
    assert len(cases) == sum(text.count("@cocotb.test()") for text in texts)
