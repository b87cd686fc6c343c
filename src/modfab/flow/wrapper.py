# SPDX-License-Identifier: Apache-2.0
"""The measurement wrapper: a design of many ports behind three pins.

Every input of the design comes from one long shift register and every output goes into a register
of its own, whose bits are folded by a chain of registered XORs into one pin. So nothing is
optimised away, the pins do not limit where cells are placed, and every path of the design starts
and ends at a register as it would inside a larger design. The wrapper's own cost is measured around
an empty box.
"""

from __future__ import annotations

from collections.abc import Sequence

from modfab.errors import ToolError
from modfab.flow.elaborate import Port

TOP = "mf_measure"
"""Name of the wrapper's module."""
CLOCK = "clk_i"
"""The clock of every measured module."""

_FOLD_BITS = 3  # outputs folded by one step of the chain: with its carry one LUT of four inputs


def _range(bits: int) -> str:
    return f"[{bits - 1}:0]"


def _without_clock(top: str, ports: Sequence[Port]) -> list[Port]:
    if Port(CLOCK, 1, True) not in ports:
        raise ToolError(
            f"The measured module {top} has no input {CLOCK} of one bit, and the measurement "
            "wrapper's registers need its clock; give the module one."
        )
    return [port for port in ports if port.name != CLOCK]


def _connections(ports: Sequence[Port]) -> str:
    lines = [f".{CLOCK} ({CLOCK})"]
    low = 0
    for port in ports:
        net = port.name
        if port.is_input:
            net = f"in_q[{low} +: {port.bits}]"
            low += port.bits
        lines.append(f".{port.name} ({net})")
    return ",\n    ".join(lines)


def wrapper_text(top: str, ports: Sequence[Port]) -> str:
    """Verilog of the wrapper around a module.

    Args:
        top: The module.
        ports: All of its ports.

    Raises:
        ToolError: It has no clock.
    """
    ports = _without_clock(top, ports)
    outputs = [port for port in ports if not port.is_input]
    in_bits = sum(port.bits for port in ports if port.is_input)
    out_bits = sum(port.bits for port in outputs)
    nets = "".join(f"  wire {_range(port.bits)} {port.name};\n" for port in outputs)
    joined = ", ".join(port.name for port in reversed(outputs))
    folds = -(-out_bits // _FOLD_BITS)
    return f"""// SPDX-License-Identifier: Apache-2.0
/// Measurement wrapper: inputs from a shift register, outputs into registers folded to one pin.
///
/// Source   modfab.flow.wrapper.
/// Latency  none of interest.
/// Assumes  nothing.
/// Ensures  every path of the measured design starts and ends at a register.
module {TOP} (
  input {CLOCK}, si_i,
  output so_o
);

{nets}  reg {_range(in_bits)} in_q;
  reg {_range(folds * _FOLD_BITS)} out_q;
  reg {_range(folds + 1)} fold_q;
  integer i;
  assign so_o = fold_q[{folds}];

  {top} u_dut (
    {_connections(ports)}
  );

  always @(posedge {CLOCK}) begin
    in_q  <= {{in_q[{in_bits - 2}:0], si_i}};
    out_q <= {{{joined}}};
    for (i = 0; i < {folds}; i = i + 1)
      fold_q[i+1] <= fold_q[i] ^ (^out_q[{_FOLD_BITS} * i +: {_FOLD_BITS}]);
    fold_q[0] <= 1'b0;
  end

endmodule
"""


def stub_text(top: str, ports: Sequence[Port]) -> str:
    """An empty box with the ports of a module."""
    words = [f"{'input' if p.is_input else 'output'} {_range(p.bits)} {p.name}" for p in ports]
    joined = ",\n  ".join(words)
    return f"(* blackbox *)\nmodule {top} (\n  {joined}\n);\nendmodule\n"
