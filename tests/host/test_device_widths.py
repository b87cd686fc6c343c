# SPDX-License-Identifier: Apache-2.0
"""The AXI4-Lite core at other widths and with other sequencers: lint, powers through the driver."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.host.open import open_device
from modfab.sim.core import TOP, bus_design
from modfab.sim.verilate import verilator_root
from tests.support.eda import run, yosys

SHAPES = [
    ("bit_serial", 16, 1, "ladder"),
    ("bit_serial", 33, 70, "l2r"),
    ("bit_serial", 64, 64, "ladder"),
    ("bit_serial", 1024, 17, "l2r"),
    ("bit_serial", 4096, 8192, "ladder"),
]
SIMULATED = [
    SHAPES[0],
    SHAPES[1],
    pytest.param(*SHAPES[2], marks=pytest.mark.full),
    pytest.param(*SHAPES[3], marks=pytest.mark.full),
]
shapes = pytest.mark.parametrize(("engine", "num_bits", "exp_bits", "sequencer"), SHAPES)


def sources(folder: Path, engine: str, num_bits: int, exp_bits: int, sequencer: str) -> list[str]:
    """RTL of one configuration, packages first; the generated part of it goes into the folder."""
    design = bus_design(modexp_core(engine, num_bits, None, sequencer, exp_bits))
    generated = folder / "generated"
    generated.mkdir()
    for name, text in design.texts.items():
        (generated / name).write_text(text)
    files = [*design.files, *(generated / name for name in design.texts)]
    return [str(file) for file in sorted(files, key=lambda f: not f.stem.endswith("_pkg"))]


@shapes
def test_lint(tmp_path: Path, engine: str, num_bits: int, exp_bits: int, sequencer: str) -> None:
    files = sources(tmp_path, engine, num_bits, exp_bits, sequencer)
    tool = str(verilator_root() / "bin" / "verilator_bin")
    words = [tool, "--lint-only", "-Wall", "--top-module", TOP, *files]
    run(words, VERILATOR_ROOT=str(verilator_root()))


def test_yosys_reads_every_shape(tmp_path: Path) -> None:
    script = []
    for index, shape in enumerate(SHAPES):
        folder = tmp_path / str(index)
        folder.mkdir()
        # Yosys sees nothing of the machine's /tmp but the folder it runs in.
        files = [shutil.copy(file, folder) for file in sources(folder, *shape)]
        names = " ".join(os.path.relpath(file, tmp_path) for file in files)
        script.append(
            f"read_slang --threads 1 --top {TOP} {names}; hierarchy -check; design -reset"
        )
    log = yosys("; ".join(script), tmp_path)
    assert log.count("Top level design units:") == len(SHAPES)


@pytest.mark.parametrize(("engine", "num_bits", "exp_bits", "sequencer"), SIMULATED)
def test_powers(
    engine: str, num_bits: int, exp_bits: int, sequencer: str, rng: random.Random
) -> None:
    with (
        open_device("sim", engine, num_bits, sequencer, exp_bits=exp_bits) as device,
        open_device("model", engine, num_bits, sequencer, exp_bits=exp_bits) as model,
    ):
        for length in (num_bits, num_bits, num_bits // 2):
            modulus = rng.getrandbits(length) | 1 << (length - 1) | 1
            base, exponent = rng.randrange(modulus), rng.getrandbits(exp_bits)
            result = device.powmod(base, exponent, modulus)
            assert result.value == pow(base, exponent, modulus)
            golden = model.powmod(base, exponent, modulus)
            assert (result.exp_cycles, result.setup_cycles) == (
                golden.exp_cycles,
                golden.setup_cycles,
            )
