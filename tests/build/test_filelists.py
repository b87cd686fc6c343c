# SPDX-License-Identifier: Apache-2.0
"""Every engine's and sequencer's file list is complete: tools elaborate it alone, as plain text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modfab.catalog import ENGINES, SEQUENCERS
from modfab.filelists import listed_files
from modfab.paths import rtl_dir
from modfab.sim.verilate import verilator_root
from tests.support.eda import run, yosys

TOPS = {f"mul/{name}/files.f": engine.top for name, engine in ENGINES.items()}
TOPS |= {f"exp/{entry.top}.f": entry.top for entry in SEQUENCERS.values()}
LISTS = [str(path.relative_to(rtl_dir())) for path in sorted(rtl_dir().rglob("*.f"))]


def test_the_catalogue_reads_the_lists() -> None:
    for name, engine in ENGINES.items():
        assert engine.files == listed_files(f"mul/{name}/files.f")
    assert set(TOPS) <= set(LISTS)


@pytest.mark.parametrize("name", LISTS)
def test_list_is_plain(name: str) -> None:
    """A licence, comments, then files that exist, each once; nothing that only one tool knows."""
    lines = (rtl_dir() / name).read_text().splitlines()
    assert lines[0] == "// SPDX-License-Identifier: Apache-2.0"
    files = [line for line in lines if not line.startswith("//")]
    assert all(re.fullmatch(r"[\w/]+\.sv", line) for line in files)
    assert all((rtl_dir() / line).is_file() for line in files)
    assert tuple(files) == listed_files(name)


def test_each_file_is_read_once() -> None:
    lists = ("exp/mf_exp_ladder.f", "exp/mf_exp_l2r.f", "exp/mf_exp_ladder.f")
    files = ("mf_pkg.sv", "common/mf_exp_digits.sv", "exp/mf_exp_ladder.sv", "exp/mf_exp_l2r.sv")
    assert listed_files(*lists) == files


@pytest.mark.parametrize("name", TOPS)
def test_list_elaborates_alone(name: str) -> None:
    """No option but `-f`: the tools find the top and every module below it."""
    verilator = verilator_root() / "bin" / "verilator_bin"
    words: list[str | Path] = [verilator, "--lint-only", "-Wall", "-f", name]
    run(words, rtl_dir(), VERILATOR_ROOT=str(verilator_root()))
    log = yosys(f"read_slang --threads 1 -f {name}; hierarchy -check", rtl_dir())
    assert re.findall(r"Top module: +\\(\w+)", log)[-1] == TOPS[name]


EXAMPLE = "../examples/modexp_by_hand.f"
EXAMPLE_LISTS = ("mul/sos/files.f", "exp/mf_exp_ladder.f", "modexp/files.f")


def test_the_example_lists_engine_sequencer_and_core() -> None:
    top = "../examples/modexp_by_hand.sv"
    assert listed_files(EXAMPLE) == (*listed_files(*EXAMPLE_LISTS), top)


def test_the_example_elaborates_alone() -> None:
    """The exponentiator that examples/ composes by hand, from its list."""
    verilator = verilator_root() / "bin" / "verilator_bin"
    words: list[str | Path] = [verilator, "--lint-only", "-Wall", "-f", EXAMPLE]
    run(words, rtl_dir(), VERILATOR_ROOT=str(verilator_root()))
    files = " ".join(f"rtl/{name}" for name in listed_files(EXAMPLE)[:-1])
    log = yosys(f"read_slang --threads 1 {files} examples/modexp_by_hand.sv; hierarchy -check")
    assert re.findall(r"Top module: +\\(\w+)", log)[-1] == "modexp_by_hand"
