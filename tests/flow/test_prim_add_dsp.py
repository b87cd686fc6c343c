# SPDX-License-Identifier: Apache-2.0
"""The sum in a DSP block: every form adds the same, and one cell of the device does it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from modfab.build.files import vendor_files
from modfab.flow.area import area_of
from modfab.paths import rtl_dir
from tests.flow.test_prims import around, cells_of, model_of_yosys, renamed, simulate, write

NAME = "prim/generic/mf_prim_add_dsp.sv"
FORMS = {
    vendor or "generic": {
        Path(name).name: (rtl_dir() / name).read_text() for name in vendor_files(NAME, vendor)
    }
    for vendor in ("", "virtex5", "xilinx")
}
FORMS["yosys"] = FORMS["xilinx"] | {"DSP48E1.sv": model_of_yosys()}
WIDTHS = (2, 16, 33, 48)


def bench(seed: int) -> str:
    """Every width in every form beside the operands' sum, kept while the enable is low."""
    blocks = []
    for width in WIDTHS:
        blocks.append(f"  logic [{width - 1}:0] sum{width};")
        blocks.append(
            f"  always @(posedge clk) if (en) sum{width} <= a[{width - 1}:0] + b[{width - 1}:0]"
            f" + {width}'(carry);"
        )
        for form in FORMS:
            blocks.append(f"""
  logic [{width - 1}:0] s{width}_{form};
  mf_prim_add_dsp_{form} #(.WidthBits({width})) u_{width}_{form} (
    .clk_i(clk), .en_i(en), .a_i(a[{width - 1}:0]), .b_i(b[{width - 1}:0]), .carry_i(carry),
    .s_o(s{width}_{form}));
  always @(negedge clk) if (count > 4 && s{width}_{form} !== sum{width})
    $fatal(1, "{form}, {width} bits: %h, not %h", s{width}_{form}, sum{width});
""")
    return f"""
module bench (input logic clk);
  logic [63:0] random_q = 64'd{seed | 1};
  logic [47:0] a, b;
  logic carry, en;
  int count = 0;
  assign a     = count % 16 < 4 ? '1 : random_q[47:0];
  assign b     = count % 32 < 6 ? '1 : random_q[63:16] ^ 48'(random_q >> 5);
  assign carry = random_q[3];
  assign en    = count < 3 || random_q[9];
  always @(posedge clk) begin
    random_q <= {{random_q[62:0], 1'b0}} ^ (random_q >> 7) ^ (random_q << 9);
    count <= count + 1;
    if (count == 2000) begin
      $display("equal, last sum %h", sum48);
      $finish;
    end
  end
{"".join(blocks)}
endmodule
"""


def test_every_form_adds_the_same(tmp_path: Path, rng: random.Random) -> None:
    texts = {"bench.sv": bench(rng.getrandbits(63))}
    for form, own in FORMS.items():
        texts |= renamed(own, form)
    said = simulate(tmp_path, write(tmp_path, texts))
    assert "equal, last sum" in said


@pytest.mark.parametrize(
    ("target", "vendor", "cell"),
    [("xc7", "xilinx", "DSP48E1"), ("xc5v", "virtex5", "DSP48E")],
)
def test_a_sum_is_one_cell_with_its_register(
    target: str, vendor: str, cell: str, tmp_path: Path
) -> None:
    ports = {"en_i": (1, True), "a_i": (48, True), "b_i": (48, True), "carry_i": (1, True)}
    top = around("mf_prim_add_dsp", ".WidthBits(48)", ports | {"s_o": (48, False)})
    cells = cells_of(tmp_path, target, {"top.sv": top, **FORMS[vendor]})
    assert cells[cell] == 1
    assert "CARRY4" not in cells
    assert area_of(cells).ff <= 98 + 48, "the sum's register is inside the cell"
