# SPDX-License-Identifier: Apache-2.0
"""`tools/mutate`: what it changes, and which tests a change meets."""

from __future__ import annotations

import json
import random
import subprocess
from itertools import islice
from pathlib import Path

import pytest

from tests.support.mutate import ROOT, drawn, files_of, mutants_of, paths_of, rtl_names

KINDS = {"operator", "condition", "constant", "slice", "enable", "reset", "next state"}
TEXT = """\
// a == b
module m (input logic clk_i, rst_i, go_i, input logic [3:0] a_i, output logic b_o);
  parameter int unsigned Unchanged = 1 + 2;
  assign b_o = a_i[2] && a_i == 4'd3;
  always_ff @(posedge clk_i) begin
    if (rst_i) state_q <= StIdle;
    else if (go_i) state_q <= StRun;
    if (go_i) count_q <= count_q + 4'd1;
  end
endmodule
"""


def test_every_kind_of_change() -> None:
    mutants = list(mutants_of("m.sv", TEXT))
    assert {mutant.kind for mutant in mutants} == KINDS
    changed = [mutant.applied(TEXT) for mutant in mutants]
    assert len({*changed, TEXT}) == len(changed) + 1, "each is another text"
    for mutant, text in zip(mutants, changed, strict=True):
        pairs = list(zip(TEXT.splitlines(), text.splitlines(), strict=True))
        lines = [number for number, (old, new) in enumerate(pairs, 1) if old != new]
        assert lines == [mutant.line]
        assert not pairs[mutant.line - 1][0].lstrip().startswith(("//", "parameter"))
    texts = "\n".join(changed)
    for line in (
        "a_i[3] && a_i == 4'd3",
        "a_i[2] || a_i == 4'd3",
        "a_i[2] && a_i != 4'd3",
        "a_i[2] && a_i == 4'd2",
        "if (1'b0) state_q <= StIdle",
        "else if (!(go_i)) state_q",
        "else if (go_i) state_q <= StIdle",
        "if (1'b1) count_q <=",
        "count_q - 4'd1",
    ):
        assert line in texts, line


def test_every_file_has_tests() -> None:
    left = set(rtl_names()) - set(files_of("rtl/"))
    assert {Path(name).parts[1] for name in left if not name.endswith("_pkg.sv")} == {
        "prim",  # generic cells, which every test uses, and models of vendors' cells
        "tb",  # benches
        "bus",  # the register blocks, which PeakRDL makes
    }
    for path in files_of("rtl/"):
        found = [word for word in paths_of(path, ROOT) if word.startswith("tests/")]
        assert found, path
        assert all((ROOT / word).exists() for word in found)


def test_a_draw_is_repeatable_and_visits_every_folder() -> None:
    texts = files_of("rtl/")
    first, again = (list(islice(drawn(texts, random.Random(3)), 300)) for _ in range(2))
    assert first == again
    assert len({(mutant.path, mutant.offset, mutant.after) for mutant in first}) == 300
    assert {mutant.kind for mutant in first} == KINDS
    assert len({mutant.path for mutant in first}) > len(texts) // 2


@pytest.mark.full
def test_a_mutant_is_found(tmp_path: Path) -> None:
    words = [
        str(ROOT / "tools" / "mutate"),
        "--number",
        "1",
        "--only",
        "rtl/board/mf_board_leds.sv",
    ]
    subprocess.run([*words, "-o", str(tmp_path)], check=True, timeout=1800)
    report = json.loads((tmp_path / "mutants.json").read_text())
    outcomes = [row["outcome"] for row in report["mutants"] if row["outcome"] != "unbuilt"]
    assert outcomes == ["killed"]
