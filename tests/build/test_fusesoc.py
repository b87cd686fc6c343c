# SPDX-License-Identifier: Apache-2.0
"""The library's FuseSoC core is current; its targets lint and simulate."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from modfab.build.fusesoc import CORE, UNROLL, core_text
from modfab.catalog import ENGINES, SEQUENCERS
from modfab.paths import rtl_dir
from tests.support.eda import RTL, module_files
from tests.support.fusesoc import fusesoc, kept_fusesoc

NAME = "modfab:lib:rtl"
LINTS = [*ENGINES, *(f"exp_{name}" for name in SEQUENCERS), "paper_liao_chen"]
QUICK = {"sos", "mul_mod", "exp_ladder", "paper_liao_chen"}
VENDOR_PRIMITIVES = [
    ("sos", "ecp5"),
    ("booth16", "xilinx"),
    pytest.param("qp_systolic", "ecp5", marks=pytest.mark.full),
]


def cases(names: list[str], quick: set[str]) -> list[object]:
    """All names; those that are not quick only with --full."""
    marks = {True: (), False: (pytest.mark.full,)}
    return [pytest.param(name, marks=marks[name in quick]) for name in names]


def test_core_file_is_current() -> None:
    assert (rtl_dir() / CORE).read_text() == core_text(), "run `python -m modfab.build.fusesoc`"


def test_the_page_names_the_options_of_an_older_verilator() -> None:
    page = (rtl_dir().parent / "docs" / "integrating.md").read_text(encoding="utf-8")
    assert f"`{' '.join(UNROLL)}`" in page


def test_engines_sequencers_and_papers_are_all_there() -> None:
    text = core_text()
    shared = {"mul", "exp", "common", "prim", "papers"}
    wanted = [path for path in module_files() if path.relative_to(rtl_dir()).parts[0] in shared]
    listed = re.findall(r"(?:- |files: \[|, )([\w/]+\.svh?)\b", text)
    there = {name.rsplit("/", 1)[-1] for name in listed}
    assert [path.stem for path in wanted if path.name not in there] == []
    for name in listed:
        assert (rtl_dir() / name).is_file()


@pytest.mark.parametrize("name", cases(LINTS, QUICK))
def test_target_lints(name: str, tmp_path: Path) -> None:
    assert "rror" not in fusesoc(RTL, NAME, f"lint_{name}", tmp_path)


@pytest.mark.parametrize(("name", "vendor"), VENDOR_PRIMITIVES)
def test_flag_chooses_the_vendors_primitives(name: str, vendor: str, tmp_path: Path) -> None:
    fusesoc(RTL, NAME, f"lint_{name}", tmp_path, vendor)
    (listed,) = tmp_path.rglob("*.vc")
    text = listed.read_text()
    primitives = re.findall(r"(prim/\w+)/mf_prim_(?:add_gate|mul|compressor_6_3)\.sv", text)
    assert f"prim/{vendor}" in primitives
    assert len(re.findall(r"/mf_prim_mul\.sv", text)) == 1


@pytest.mark.parametrize("name", cases([*ENGINES], {"mul_mod"}))
def test_bench_passes(name: str, tmp_path: Path) -> None:
    assert f"PASS: 20 products of mf_mul_{name}" in kept_fusesoc(RTL, NAME, f"sim_{name}", tmp_path)


def test_bench_finds_a_wrong_product(tmp_path: Path) -> None:
    copy = tmp_path / "rtl"
    shutil.copytree(rtl_dir(), copy)
    lane = copy / "mul" / "mul_mod" / "mf_mul_mul_mod_lane.sv"
    good = "rest = difference[NumBits+1] ?"
    text = lane.read_text()
    assert good in text
    lane.write_text(text.replace(good, "rest = !difference[NumBits+1] ?"))
    with pytest.raises(AssertionError, match=r"[0-9a-f]{16} \* [0-9a-f]{16} mod [0-9a-f]{16} is"):
        fusesoc(copy, NAME, "sim_mul_mod", tmp_path)
