# SPDX-License-Identifier: Apache-2.0
"""The RAM with an output register: both forms equal, its cells, its frequency on ECP5."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from modfab.build.files import vendor_files
from modfab.flow.route import route
from modfab.flow.synth import NETLIST
from modfab.flow.targets import get_target
from modfab.flow.tools import silent
from modfab.paths import rtl_dir
from modfab.sim.verilate import verilator_root
from tests.flow.test_prims import around, cells_of, renamed, simulate, write
from tests.support.eda import run

NAME = "prim/generic/mf_prim_ram_pipe.sv"
# WidthBits, Depth: every width of a cell, and words of several cells.
SHAPES = [(32, 64), (36, 512), (40, 300), (32, 1024), (9, 2048), (10, 4096), (5, 8192), (2, 16384)]
FORMS = {
    vendor or "generic": {
        Path(name).name: (rtl_dir() / name).read_text() for name in vendor_files(NAME, vendor)
    }
    for vendor in ("", "ecp5")
}


def bench(seed: int) -> str:
    """Random writes and reads at 32 addresses all over; never both at one in the same cycle."""
    blocks = []
    for index, (width, depth) in enumerate(SHAPES):
        bits = (depth - 1).bit_length()
        blocks.append(f"""
  logic [{width - 1}:0] q{index}_generic, q{index}_ecp5;
  logic [{bits - 1}:0]  wr{index}, rd{index};
  assign wr{index} = {bits}'(spread[3:0]) * {bits}'({depth // 16}) + {bits}'(spread[4]);
  assign rd{index} = {bits}'(other) * {bits}'({depth // 16}) + {bits}'(spread[5]);""")
        for form in FORMS:
            blocks.append(f"""
  mf_prim_ram_pipe_{form} #(.WidthBits({width}), .Depth({depth})) u{index}_{form} (
    .clk_i(clk), .wr_en_i(random_q[7]), .wr_addr_i(wr{index}),
    .wr_data_i(random_q[{width - 1}:0]), .rd_addr_i(rd{index}), .rd_data_o(q{index}_{form}));""")
        blocks.append(f"""
  always @(negedge clk) if (count > 2 && q{index}_ecp5 !== q{index}_generic)
    $fatal(1, "shape {index}: %h, not %h", q{index}_ecp5, q{index}_generic);
  always @(negedge clk) if (count == 3000) $display("{index}: %h", q{index}_ecp5);
""")
    return f"""
module bench (input logic clk);
  logic [63:0] random_q = 64'd{seed | 1}, spread;
  int count = 0;
  logic [3:0] other;
  assign spread = random_q ^ (random_q >> 33);
  assign other  = spread[3:0] ^ (spread[9:6] == 0 ? 4'd1 : spread[9:6]);
  always @(posedge clk) begin
    random_q <= {{random_q[62:0], 1'b0}} ^ (random_q >> 7) ^ (random_q << 9);
    count <= count + 1;
    if (count == 4000) $finish;
  end
{"".join(blocks)}
endmodule
"""


def test_both_forms_are_equal(tmp_path: Path, rng: random.Random) -> None:
    texts = {"bench.sv": bench(rng.getrandbits(63))}
    for form, own in FORMS.items():
        texts |= renamed(own, form)
    said = simulate(tmp_path, write(tmp_path, texts))
    shown = dict(re.findall(r"^(\d+): (\w+)$", said, re.MULTILINE))
    assert len(shown) == len(SHAPES)
    assert len(set(shown.values())) > 2, "the words are not random"


def test_cells_have_no_warning(tmp_path: Path) -> None:
    names = write(tmp_path, FORMS["ecp5"])
    root = verilator_root()
    for width, depth in SHAPES:
        words: list[str | Path] = [root / "bin" / "verilator_bin", "--lint-only", "-Wall"]
        words += [f"-GWidthBits={width}", f"-GDepth={depth}", "--top-module", "mf_prim_ram_pipe"]
        run([*words, *names], tmp_path, VERILATOR_ROOT=str(root))


def test_too_many_words_are_refused(tmp_path: Path) -> None:
    names = write(tmp_path, FORMS["ecp5"])
    root = verilator_root()
    words: list[str | Path] = [root / "bin" / "verilator_bin", "--lint-only", "-GDepth=16385"]
    with pytest.raises(AssertionError, match=r"Depth must be 2\.\.16384"):
        run(
            [*words, "--top-module", "mf_prim_ram_pipe", *names],
            tmp_path,
            VERILATOR_ROOT=str(root),
        )


def ram_top(width: int, depth: int) -> str:
    bits = (depth - 1).bit_length()
    ports = {"wr_en_i": (1, True), "wr_addr_i": (bits, True), "wr_data_i": (width, True)}
    ports |= {"rd_addr_i": (bits, True), "rd_data_o": (width, False)}
    return around("mf_prim_ram_pipe", f".WidthBits({width}), .Depth({depth})", ports)


@pytest.mark.parametrize(
    ("width", "depth", "cell", "number"),
    [(36, 512, "PDPW16KD", 1), (32, 1024, "DP16KD", 2), (32, 2048, "DP16KD", 4)],
)
def test_the_output_register_is_inside_the_cell(
    width: int, depth: int, cell: str, number: int, tmp_path: Path
) -> None:
    cells = cells_of(tmp_path, "ecp5-85k", {"top.sv": ram_top(width, depth), **FORMS["ecp5"]})
    address = (depth - 1).bit_length()
    assert cells[cell] == number
    assert cells["TRELLIS_FF"] == 1 + 2 * address + 2 * width, "only the registers around it"
    netlist = json.loads((tmp_path / NETLIST).read_text())["modules"]["top"]["cells"]
    found = [entry["parameters"] for entry in netlist.values() if entry["type"] == cell]
    assert {entry.get("REGMODE", entry.get("REGMODE_B")) for entry in found} == {"OUTREG"}


def test_alone_it_reaches_300_mhz(tmp_path: Path) -> None:
    cells_of(tmp_path, "ecp5-85k", {"top.sv": ram_top(36, 512), **FORMS["ecp5"]})
    target = get_target("ecp5-85k")
    routing = route(target, tmp_path, seed=1, top="top", freq_mhz=400, progress=silent)
    assert routing.used["DP16KD"] == 1
    assert routing.mhz >= 300
