# SPDX-License-Identifier: Apache-2.0
"""The counter of six rows: both forms count, for every value of a column, and Xilinx LUTs do it."""

from __future__ import annotations

from pathlib import Path

from modfab.build.files import vendor_files
from modfab.paths import rtl_dir
from tests.flow.test_prims import renamed, simulate, write

NAME = "prim/generic/mf_prim_compressor_6_3.sv"
FORMS = {
    vendor or "generic": {
        Path(name).name: (rtl_dir() / name).read_text() for name in vendor_files(NAME, vendor)
    }
    for vendor in ("", "xilinx")
}

BENCH = """
module bench (input logic clk);
  logic [6:0] value = 7'd0;
  logic [5:0] v;
  assign v = value[5:0];
  logic [2:0] one_generic, two_generic, four_generic, one_xilinx, two_xilinx, four_xilinx;
  INSTANCES
  always @(negedge clk) begin
    if ({four_generic[1], two_generic[1], one_generic[1]} != 3'($countones(v)))
      $fatal(1, "generic: %b", v);
    if ({one_generic, two_generic, four_generic} !== {one_xilinx, two_xilinx, four_xilinx})
      $fatal(1, "xilinx: %b", v);
    $display("%b", v);
  end
  always @(posedge clk) begin
    value <= value + 7'd1;
    if (value == 7'd64) $finish;
  end
endmodule
"""


def instance(form: str) -> str:
    """Three columns: the value, in the middle; its complement and its first bit beside it."""
    rows = ", ".join(
        f".{name}_i({{!v[{bit}], v[{bit}], v[0]}})" for bit, name in enumerate("abcdef")
    )
    outputs = ", ".join(f".{name}_o({name}_{form})" for name in ("one", "two", "four"))
    return f"mf_prim_compressor_6_3_{form} #(.WidthBits(3)) u_{form} ({rows}, {outputs});"


def test_both_forms_count(tmp_path: Path) -> None:
    texts = {"bench.sv": BENCH.replace("INSTANCES", "\n  ".join(map(instance, FORMS)))}
    for form, own in FORMS.items():
        texts |= renamed(own, form)
    said = simulate(tmp_path, write(tmp_path, texts))
    assert len({line for line in said.splitlines() if len(line) == 6}) == 64
