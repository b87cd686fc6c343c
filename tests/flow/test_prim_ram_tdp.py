# SPDX-License-Identifier: Apache-2.0
"""The true dual-port RAM: its forms are equal, each is one cell with its output registers."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from modfab.build.files import vendor_files
from modfab.flow.synth import NETLIST
from modfab.paths import rtl_dir
from modfab.sim.verilate import verilator_root
from tests.flow.test_prims import around, cells_of, renamed, simulate, write
from tests.support.eda import run

NAME = "prim/generic/mf_prim_ram_tdp.sv"
SHAPES = [(18, 1024), (18, 512), (8, 256), (13, 1024), (9, 300)]
FORMS = {
    vendor or "generic": {
        Path(name).name: (rtl_dir() / name).read_text() for name in vendor_files(NAME, vendor)
    }
    for vendor in ("", "ecp5", "xilinx")
}
VENDORS = [form for form in FORMS if form != "generic"]


def bench(seed: int) -> str:
    """Random writes and reads at few addresses; what the module calls unspecified is not used."""
    blocks = []
    for index, (width, depth) in enumerate(SHAPES):
        bits = (depth - 1).bit_length()
        for form in FORMS:
            blocks.append(f"""
  logic [{width - 1}:0] a{index}_{form}, b{index}_{form};
  mf_prim_ram_tdp_{form} #(.WidthBits({width}), .Depth({depth})) u{index}_{form} (
    .clk_i(clk), .wr_en_i(write), .a_addr_i({bits}'(place_a) * {bits}'({depth // 16})),
    .a_data_i(random_q[{width - 1}:0]), .a_data_o(a{index}_{form}),
    .b_addr_i({bits}'(place_b) * {bits}'({depth // 16})), .b_data_o(b{index}_{form}));""")
        for vendor in VENDORS:
            blocks.append(f"""
  always @(negedge clk) if (count > 300) begin
    if (used_q[1] && a{index}_{vendor} !== a{index}_generic) $fatal(1, "{vendor} {index}, a");
    if (apart_q[1] && b{index}_{vendor} !== b{index}_generic) $fatal(1, "{vendor} {index}, b");
  end""")
        blocks.append(f"""
  always @(negedge clk) if (count == 3000) $display("{index}: %h", b{index}_generic);""")
    return f"""
module bench (input logic clk);
  logic [63:0] random_q = 64'd{seed | 1};
  int count = 0;
  logic [3:0] place_a, place_b;
  logic [1:0] used_q, apart_q;
  logic write;
  assign place_a = count < 16 ? 4'(count) : random_q[23:20];
  assign place_b = random_q[43:40];
  assign write   = count < 16 || random_q[7];
  always @(posedge clk) begin
    random_q <= {{random_q[62:0], 1'b0}} ^ (random_q >> 7) ^ (random_q << 9);
    used_q   <= {{used_q[0], !write}};
    apart_q  <= {{apart_q[0], !write || place_a != place_b}};
    count    <= count + 1;
    if (count == 4000) $finish;
  end
{"".join(blocks)}
endmodule
"""


def test_all_forms_are_equal(tmp_path: Path, rng: random.Random) -> None:
    texts = {"bench.sv": bench(rng.getrandbits(63))}
    for form, own in FORMS.items():
        texts |= renamed(own, form)
    said = simulate(tmp_path, write(tmp_path, texts))
    shown = dict(re.findall(r"^(\d+): (\w+)$", said, re.MULTILINE))
    assert len(shown) == len(SHAPES)
    assert len(set(shown.values())) > 1, "the words are not random"


@pytest.mark.parametrize("vendor", VENDORS)
def test_cells_have_no_warning(vendor: str, tmp_path: Path) -> None:
    names = write(tmp_path, FORMS[vendor])
    root = verilator_root()
    for width, depth in SHAPES:
        words: list[str | Path] = [root / "bin" / "verilator_bin", "--lint-only", "-Wall"]
        words += [f"-GWidthBits={width}", f"-GDepth={depth}", "--top-module", "mf_prim_ram_tdp"]
        run([*words, *names], tmp_path, VERILATOR_ROOT=str(root))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wrong", ["WidthBits=19", "Depth=1025"])
def test_what_a_cell_does_not_hold_is_refused(form: str, wrong: str, tmp_path: Path) -> None:
    names = write(tmp_path, FORMS[form])
    root = verilator_root()
    words: list[str | Path] = [root / "bin" / "verilator_bin", "--lint-only", f"-G{wrong}"]
    words += ["--top-module", "mf_prim_ram_tdp", *names]
    with pytest.raises(AssertionError, match=r"WidthBits must be 1\.\.18, Depth 2\.\.1024"):
        run(words, tmp_path, VERILATOR_ROOT=str(root))


@pytest.mark.parametrize(
    ("target", "vendor", "cell", "register"),
    [
        ("ecp5-85k", "ecp5", "DP16KD", "TRELLIS_FF"),
        ("xc7", "xilinx", "RAMB18E1", "FDRE"),
    ],
)
def test_it_is_one_cell_with_its_registers(
    target: str, vendor: str, cell: str, register: str, tmp_path: Path
) -> None:
    ports = {"wr_en_i": (1, True), "a_addr_i": (10, True), "a_data_i": (18, True)}
    ports |= {"a_data_o": (18, False), "b_addr_i": (10, True), "b_data_o": (18, False)}
    top = around("mf_prim_ram_tdp", ".WidthBits(18), .Depth(1024)", ports)
    cells = cells_of(tmp_path, target, {"top.sv": top, **FORMS[vendor]})
    assert cells[cell] == 1
    assert cells[register] == 1 + 20 + 18 + 2 * 18, "only the registers around it"
    netlist = json.loads((tmp_path / NETLIST).read_text())["modules"]["top"]["cells"]
    (found,) = (entry["parameters"] for entry in netlist.values() if entry["type"] == cell)
    modes = [found.get(f"REGMODE_{port}", found.get(f"DO{port}_REG")) for port in "AB"]
    assert all(mode == "OUTREG" or int(mode, 2) == 1 for mode in modes)
