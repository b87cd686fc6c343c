# SPDX-License-Identifier: Apache-2.0
"""A circuit's fingerprint: deaf to names, texts and folders, and to nothing else."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from modfab.build.core import engine_core
from modfab.build.rsa import rsa_core
from modfab.flow.design import Design
from modfab.flow.elaborate import elaborate

Texts = dict[str, str]

PARTS = {
    "cfg_pkg.sv": """
package cfg_pkg;
  localparam int unsigned Bits = 8;
  localparam logic [7:0] Start = 8'd3;
  typedef struct packed {logic [3:0] high; logic [3:0] low;} pair_t;
endpackage
""",
    "step.sv": """
module step #(parameter int unsigned Bits = 4) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic [Bits-1:0] a_i,
  input  logic [Bits-1:0] b_i,
  output logic [Bits-1:0] sum_o
);
  logic [Bits-1:0] sum_q;
  assign sum_o = sum_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) sum_q <= cfg_pkg::Start;
    else sum_q <= a_i + b_i;
  end
endmodule
""",
    "table.sv": """
module table_rom (input logic clk_i, input logic [3:0] at_i, output logic [7:0] word_o);
  logic [7:0] words[16];
  initial for (int i = 0; i < 16; i++) words[i] = 8'(i * 37 + 5);
  always_ff @(posedge clk_i) word_o <= words[at_i];
endmodule
""",
    "slots.sv": """
module slots (
  input  logic       clk_i,
  input  logic       we_i,
  input  logic [3:0] to_i,
  input  logic [7:0] word_i,
  input  logic [3:0] at_i,
  output logic [7:0] word_o
);
  logic [7:0] mem_q[16];
  always_ff @(posedge clk_i) begin
    if (we_i) mem_q[to_i] <= word_i;
    word_o <= mem_q[at_i];
  end
endmodule
""",
    "top.sv": """
module top (
  input  logic       clk_i,
  input  logic       rst_i,
  input  logic [7:0] a_i,
  input  logic [7:0] b_i,
  output logic [7:0] x_o,
  output logic [7:0] y_o
);
  logic [7:0] first, second, third;
  (* keep *) logic [7:0] copy_q;
  always_ff @(posedge clk_i) copy_q <= a_i;
  step #(.Bits(cfg_pkg::Bits)) u_first (.clk_i, .rst_i, .a_i(a_i), .b_i(b_i), .sum_o(first));
  step #(.Bits(cfg_pkg::Bits)) u_second (
    .clk_i, .rst_i, .a_i(first), .b_i(third ^ copy_q), .sum_o(second)
  );
  table_rom u_table (.clk_i, .at_i(second[3:0]), .word_o(third));
  slots u_slots (
    .clk_i, .we_i(first[0]), .to_i(second[7:4]), .word_i(third), .at_i(first[3:0]), .word_o(x_o)
  );
  assign y_o = second;
endmodule
""",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))


def circuit(texts: Mapping[str, str], top: str = "top") -> str:
    return elaborate(top, texts).circuit


def changed(file: str, old: str, new: str) -> Texts:
    assert old in PARTS[file]
    return PARTS | {file: PARTS[file].replace(old, new)}


def renamed(pattern: str, texts: Texts) -> Texts:
    """Other words for every match; files too are called and ordered otherwise."""

    def other(found: re.Match[str]) -> str:
        return f"n{hashlib.sha256(found[0].encode()).hexdigest()[:8]}"

    return {name: re.sub(pattern, other, text) for name, text in texts.items()}


SAME: dict[str, Callable[[], Texts]] = {
    "comments": lambda: changed("top.sv", "endmodule", "  // a remark\nendmodule // the end"),
    "file names": lambda: {f"x_{name}": text for name, text in PARTS.items()},
    "file order": lambda: dict([*list(PARTS.items())[:1], *reversed(list(PARTS.items())[1:])]),
    "instances": lambda: renamed(r"\bu_\w+", PARTS),
    "modules": lambda: renamed(r"\b(step|table_rom|slots|cfg_pkg)\b", PARTS),
    "registers and wires": lambda: renamed(
        r"\b(first|second|third|mem_q|words|sum_q|copy_q)\b", PARTS
    ),
    "another package": lambda: {
        "other_pkg.sv": "package other_pkg;\n  localparam logic [7:0] Begin = 8'd3;\nendpackage\n",
        **changed("step.sv", "cfg_pkg::Start", "other_pkg::Begin"),
    },
    "a constant by its value": lambda: changed("step.sv", "cfg_pkg::Start", "8'b0000_0011"),
    "hierarchy": lambda: changed(
        "top.sv",
        "table_rom u_table (.clk_i, .at_i(second[3:0]), .word_o(third));",
        "logic [7:0] words[16];\n  initial for (int i = 0; i < 16; i++) words[i] = 8'(i * 37 + 5);"
        "\n  always_ff @(posedge clk_i) third <= words[second[3:0]];",
    ),
    "registers in one struct": lambda: changed(
        "step.sv",
        PARTS["step.sv"][PARTS["step.sv"].index("  logic [Bits-1:0] sum_q") :],
        """  cfg_pkg::pair_t pair_q;
  logic [Bits-1:0] sum;
  assign sum = a_i + b_i;
  assign sum_o = pair_q;
  always_ff @(posedge clk_i) begin
    if (rst_i) pair_q <= cfg_pkg::Start;
    else begin
      pair_q.low  <= sum[3:0];
      pair_q.high <= sum[7:4];
    end
  end
endmodule
""",
    ),
    "an assertion": lambda: changed(
        "step.sv", "endmodule", "  always_ff @(posedge clk_i) assert (a_i != b_i);\nendmodule"
    ),
}

DIFFERENT: dict[str, Callable[[], Texts]] = {
    "an operator": lambda: changed("step.sv", "a_i + b_i", "a_i - b_i"),
    "another operand": lambda: changed("top.sv", "third ^ copy_q", "second ^ copy_q"),
    "a width": lambda: changed("step.sv", "a_i + b_i", "Bits'(a_i[Bits-2:0] + b_i[Bits-2:0])"),
    "a register more": lambda: changed(
        "top.sv",
        "assign y_o = second;",
        "always_ff @(posedge clk_i) y_o <= second;",
    ),
    "a reset less": lambda: changed(
        "step.sv", "if (rst_i) sum_q <= cfg_pkg::Start;\n    else ", ""
    ),
    "a reset value": lambda: changed("cfg_pkg.sv", "8'd3", "8'd2"),
    "a word of a table": lambda: changed("table.sv", "8'(i * 37 + 5)", "8'(i * 37 + 5 + (i / 15))"),
    "two addresses swapped": lambda: changed(
        "top.sv",
        ".to_i(second[7:4]), .word_i(third), .at_i(first[3:0])",
        ".to_i(first[3:0]), .word_i(third), .at_i(second[7:4])",
    ),
    "two bits swapped": lambda: changed(
        "top.sv", "y_o = second", "y_o = {second[7:2], second[0], second[1]}"
    ),
    "nothing kept": lambda: changed("top.sv", "(* keep *) ", ""),
    "a memory's style": lambda: changed(
        "slots.sv", "logic [7:0] mem_q", '(* ram_style = "distributed" *) logic [7:0] mem_q'
    ),
    "a name of a port": lambda: changed("top.sv", "y_o", "z_o"),
    "an input that nothing reads": lambda: changed(
        "top.sv", "input  logic       rst_i,", "input  logic       rst_i,\n  input  logic more_i,"
    ),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MODFAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        return circuit(PARTS)


@pytest.mark.parametrize("name", SAME)
def test_words_are_not_the_circuit(name: str, original: str) -> None:
    texts = SAME[name]()
    assert list(texts.items()) != list(PARTS.items())
    assert circuit(texts) == original


@pytest.mark.parametrize("name", DIFFERENT)
def test_every_change_of_the_circuit_shows(name: str, original: str) -> None:
    assert circuit(DIFFERENT[name]()) != original


def test_real_designs_under_other_names() -> None:
    """Modules, instances, registers, types and files of an engine and of an RSA core."""
    words = r"(?<![`$\w])(mf_\w+|gen_\w+|u_\w+|\w+_[qdet])\b"
    for design in (
        Design(engine_core("qp_systolic", 64)),
        Design(rsa_core("sos", 64, engines=2)),
    ):
        plain = {
            name: re.sub(r"//.*", "", text)  # a comment may hold what is no longer a pragma
            for name, text in design.rtl("ecp5").items()
        }
        own = {name: text for name, text in plain.items() if name.startswith("mf_")}
        others = {f"x{at}.sv": text for at, text in enumerate(renamed(words, own).values())}
        kept = {name: text for name, text in plain.items() if name not in own}
        (top,) = (w for w in renamed(words, {"": design.top}).values())
        assert circuit(kept | others, top) == circuit(design.rtl("ecp5"), design.top)


def test_a_default_of_a_vendors_cell_may_be_given() -> None:
    def block_ram(mode: str) -> str:
        given = f'.REGMODE_A("{mode}"), ' if mode else ""
        declared = 'parameter REGMODE_A = "NOREG", ' if mode else ""
        cell = f"""
(* blackbox *) module DP16KD #({declared}parameter REGMODE_B = "NOREG") (
  input logic CLKB, output logic DOB0);
endmodule"""
        use = f"""
module top (input logic clk_i, output logic q_o);
  DP16KD #({given}.REGMODE_B("OUTREG")) u_cell (.CLKB(clk_i), .DOB0(q_o));
endmodule"""
        return elaborate("top", {"DP16KD.sv": cell, "top.sv": use}).circuit

    assert block_ram("") == block_ram("NOREG") != block_ram("OUTREG")


def test_parameters_make_another_circuit() -> None:
    found = {
        circuit(Design(engine_core(engine, bits, overrides)).rtl(""), "mf_top")
        for engine, bits, overrides in (
            ("bit_serial", 64, {}),
            ("bit_serial", 96, {}),
            ("bit_serial", 64, {"BitsPerClock": 2}),
            ("sos", 64, {}),
        )
    }
    assert len(found) == 4
