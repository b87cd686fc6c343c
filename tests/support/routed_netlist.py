# SPDX-License-Identifier: Apache-2.0
"""What nextpnr has placed and routed on an ECP5, as SystemVerilog.

LUTs, flip-flops, carry cells and LUT memory become expressions, multipliers and block RAMs the
cells of `rtl/prim/ecp5`; the PLL is bypassed. A cell, a mode or a setting that is not known here is
an error.

Source: nextpnr's `ecp5/pack.cc` (which pin of a packed cell is which); Lattice FPGA-TN-02204 and
FPGA-DS-02012.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Cell = dict[str, Any]

_DATA = 18


def verilog_of(module: dict[str, Any], name: str) -> str:
    """A routed module of `nextpnr --write`, as a module of that name."""
    cells = list(module["cells"].values())
    body = [
        line
        for index, cell in enumerate(cells)
        for line in _CELLS[cell["type"]](f"cell_{index}", cell)
    ]
    ports, joins = [], []
    for port, entry in module["ports"].items():
        bits, way = entry["bits"], entry["direction"]
        width = f"[{len(bits) - 1}:0] " if len(bits) > 1 else ""
        ports.append(f"  {way} logic {width}{port}")
        for index, bit in enumerate(bits):
            outside = f"{port}[{index}]" if len(bits) > 1 else port
            pair = (outside, f"n{bit}") if way == "output" else (f"n{bit}", outside)
            joins.append(f"  assign {pair[0]} = {pair[1]};")
    used = {
        bit
        for cell in cells
        for bits in cell["connections"].values()
        for bit in bits
        if isinstance(bit, int)
    } | {bit for entry in module["ports"].values() for bit in entry["bits"]}
    wires = [f"  logic n{bit};" for bit in sorted(used)]
    head = f"module {name} (\n" + ",\n".join(ports) + "\n);"
    lut = (
        "  function automatic logic lut(input logic [15:0] table_i, input logic [3:0] at_i);\n"
        "    lut = table_i[at_i];\n  endfunction"
    )
    # Cells have outputs that nobody reads, and the models fewer inputs than the cells.
    lint = "// verilator lint_off UNUSEDSIGNAL\n// verilator lint_off PINMISSING"
    return "\n".join((lint, head, lut, *wires, *joins, *body, "endmodule")) + "\n"


def _pin(cell: Cell, port: str, default: str = "1'b1") -> str:
    """The net at a cell's input, or the constant that its multiplexer chooses; open pins are 1."""
    chosen = str(cell["parameters"].get(f"{port}MUX", port)).strip()
    if chosen in ("0", "1"):
        return f"1'b{chosen}"
    bits = cell["connections"].get(port) or []
    net = f"n{bits[0]}" if bits else default
    if chosen == "INV":
        return f"!{net}"
    assert chosen == port, (port, chosen)
    return net


def _out(cell: Cell, port: str) -> str | None:
    bits = cell["connections"].get(port) or []
    return f"n{bits[0]}" if bits else None


def _number(cell: Cell, name: str) -> int:
    return int(str(cell["parameters"][name]), 2)


def _assigns(cell: Cell, values: dict[str, str]) -> Iterator[str]:
    for port, value in values.items():
        if net := _out(cell, port):
            yield f"  assign {net} = {value};"


def _comb(key: str, cell: Cell) -> Iterator[str]:
    mode = cell["parameters"].get("MODE", "LOGIC")
    at = ", ".join(_pin(cell, port) for port in "DCBA")
    init = _number(cell, "INITVAL")
    lut = f"lut(16'h{init:04x}, {{{at}}})"
    if mode == "RAMW_BLOCK":
        return
    if mode == "DPRAM":
        yield from _memory(cell, key)
    elif mode == "CCU2":
        inject = cell["parameters"]["CCU2_INJECT1"] == "YES"
        carry = _pin(cell, "FCI", "1'b0")
        low = f"lut(16'h{init:04x}, {{2'b00, {_pin(cell, 'B')}, {_pin(cell, 'A')}}})"
        generate = "1'b0" if inject else low
        values = {
            "F": lut if inject else f"{lut} ^ {carry}",
            "FCO": f"{lut} ? {carry} : {generate}",
        }
        yield from _assigns(cell, values)
    else:
        assert mode == "LOGIC", mode
        select = _pin(cell, "M")
        pair = ("F1", "F") if _out(cell, "F1") else ("FXB", "FXA")
        wide = [_out(cell, port) if port != "F" else lut for port in pair]
        yield from _assigns(cell, {"F": lut})
        if _out(cell, "OFX"):
            yield from _assigns(cell, {"OFX": f"{select} ? {wide[0]} : {wide[1]}"})


def _memory(cell: Cell, key: str) -> Iterator[str]:
    """One bit of a LUT memory of 16 words; address bits 0 to 3 are pins D, B, C, A."""
    name = f"{key}_words"
    write = ", ".join(_pin(cell, f"WAD{i}") for i in (3, 2, 1, 0))
    read = ", ".join(_pin(cell, port) for port in "ACBD")
    yield f"  logic [15:0] {name};"
    yield (
        f"  always_ff @(posedge {_pin(cell, 'WCK')}) "
        f"if ({_pin(cell, 'WRE')}) {name}[{{{write}}}] <= {_pin(cell, 'WD')};"
    )
    yield from _assigns(cell, {"F": f"{name}[{{{read}}}]"})


def _ram_writer(_: str, cell: Cell) -> Iterator[str]:
    data = {f"WDO{i}": _pin(cell, f"{port}1") for i, port in enumerate("CADB")}
    place = {f"WADO{i}": _pin(cell, f"{port}0") for i, port in enumerate("DBCA")}
    yield from _assigns(cell, data | place)


def _flip_flop(_: str, cell: Cell) -> Iterator[str]:
    parameters = cell["parameters"]
    data = _pin(cell, "DI" if parameters["SD"].strip() == "1" else "M")
    assert parameters["GSR"] == "DISABLED"
    assert parameters["CLKMUX"] == "CLK"
    text = f"if ({_pin(cell, 'CE')}) {_out(cell, 'Q')} <= {data};"
    value = f"{_out(cell, 'Q')} {{}} 1'b{int(parameters['REGSET'] == 'SET')};"
    if _out(cell, "LSR"):
        assert parameters["SRMODE"] == "LSR_OVER_CE", parameters
        text = f"if ({_pin(cell, 'LSR')}) {value.format('<=')} else {text}"
    yield f"  initial {value.format('=')}"  # as configuration leaves it
    yield f"  always_ff @(posedge {_pin(cell, 'CLK')}) {text}"


def _instance(
    kind: str, key: str, settings: dict[str, str | int], ports: dict[str, str | None]
) -> Iterator[str]:
    shown = {
        name: f'"{v}"' if isinstance(v, str) else v if v < 1 << 31 else f"320'h{v:x}"
        for name, v in settings.items()
    }
    chosen = ", ".join(f".{name}({value})" for name, value in shown.items())
    pins = ", ".join(f".{port}({net or ''})" for port, net in ports.items())
    yield f"  {kind} #({chosen}) {key} ({pins});"


def _multiplier(key: str, cell: Cell) -> Iterator[str]:
    stages = ("REG_INPUTA_CLK", "REG_INPUTB_CLK", "REG_PIPELINE_CLK", "REG_OUTPUT_CLK")
    settings: dict[str, str | int] = {name: cell["parameters"].get(name, "NONE") for name in stages}
    # The model's second operand has CE1; which enable of the cell it is, is a setting.
    enable = cell["parameters"].get("REG_INPUTB_CE", "CE0")
    ports: dict[str, str | None] = {"CLK0": _pin(cell, "CLK0"), "CE0": "1'b1"}
    ports |= {"CE1": _pin(cell, enable), "RST0": "1'b0", "SOURCEA": "1'b0", "SOURCEB": "1'b0"}
    ports |= {name: _pin(cell, name) for name in ("SIGNEDA", "SIGNEDB")}
    ports |= {f"{x}{i}": _pin(cell, f"{x}{i}") for x in "AB" for i in range(_DATA)}
    ports |= {f"P{i}": _out(cell, f"P{i}") for i in range(2 * _DATA)}
    yield from _instance("MULT18X18D", key, settings, ports)


def _block_ram(key: str, cell: Cell) -> Iterator[str]:
    width = _number(cell, "DATA_WIDTH_A")
    mode = {port: cell["parameters"][f"REGMODE_{port}"] for port in "AB"}
    rows = {name: _number(cell, name) for name in cell["parameters"] if name.startswith("INITVAL_")}
    ports: dict[str, str | None]
    if width == 2 * _DATA:  # a PDPW16KD: port A writes, port B reads, the halves of DO exchanged
        assert not any(rows.values())
        ports = {"CLKW": _pin(cell, "CLKA"), "CLKR": _pin(cell, "CLKB"), "CEW": _pin(cell, "CEA")}
        ports |= {f"ADW{i}": _pin(cell, f"ADA{i + 5}") for i in range(9)}
        ports |= {f"ADR{i}": _pin(cell, f"ADB{i}") for i in range(14)}
        for i in range(_DATA):
            ports |= {f"DI{i}": _pin(cell, f"DIA{i}"), f"DI{i + _DATA}": _pin(cell, f"DIB{i}")}
            ports |= {f"DO{i}": _out(cell, f"DOB{i}"), f"DO{i + _DATA}": _out(cell, f"DOA{i}")}
        yield from _instance("PDPW16KD", key, {"REGMODE": mode["B"]}, ports)
        return
    ports = {f"{name}{x}": _pin(cell, f"{name}{x}") for name in ("CLK", "CE", "WE") for x in "AB"}
    for x in "AB":
        ports |= {f"AD{x}{i}": _pin(cell, f"AD{x}{i}") for i in range(14)}
        ports |= {f"DO{x}{i}": _out(cell, f"DO{x}{i}") for i in range(_DATA)}
    ports |= {f"DIA{i}": _pin(cell, f"DIA{i}") for i in range(_DATA)}
    settings: dict[str, str | int] = {"DATA_WIDTH_A": width}
    settings |= {f"REGMODE_{x}": mode[x] for x in "AB"}
    settings |= {name: row for name, row in rows.items() if row}
    yield from _instance("DP16KD", key, settings, ports)


def _pin_cell(_: str, cell: Cell) -> Iterator[str]:
    if cell["parameters"]["DIR"] == "INPUT":
        yield from _assigns(cell, {"O": _pin(cell, "B")})
    else:
        assert cell["parameters"]["DIR"] == "OUTPUT"
        yield from _assigns(cell, {"B": _pin(cell, "I")})


def _pll(_: str, cell: Cell) -> Iterator[str]:
    clock = _pin(cell, "CLKI")  # bypassed
    yield from _assigns(cell, {"CLKOP": clock, "CLKOS": clock, "LOCK": "1'b1"})


def _global(_: str, cell: Cell) -> Iterator[str]:
    yield from _assigns(cell, {"CLKO": _pin(cell, "CLKI")})


_CELLS: dict[str, Callable[[str, Cell], Iterator[str]]] = {
    "TRELLIS_COMB": _comb,
    "TRELLIS_RAMW": _ram_writer,
    "TRELLIS_FF": _flip_flop,
    "TRELLIS_IO": _pin_cell,
    "MULT18X18D": _multiplier,
    "DP16KD": _block_ram,
    "DCCA": _global,
    "EHXPLLL": _pll,
}
