# SPDX-License-Identifier: Apache-2.0
"""The top of a package: plain Verilog with the usual AXI names, around the core."""

from __future__ import annotations

from modfab.package.kind import CLOCK, RESET, Kind


def top_text(name: str, kind: Kind) -> str:
    """Verilog of the top."""
    ports = ",\n".join(
        f"  {'input ' if is_input else 'output'} wire {f'[{bits - 1}:0]' if bits > 1 else '':<7}"
        f"{port}"
        for port, bits, is_input in kind.port_lines()
    )
    unused = ("s_axi_awprot", "s_axi_arprot")
    links = ",\n".join(f"    .{port} ({port})" for port, _, _ in kind.ports if port not in unused)
    lines = "".join(f"    .{port}_o ({port}),\n" for port, _, _ in kind.lines)
    return f"""// SPDX-License-Identifier: Apache-2.0
/// {kind.title} with fixed parameters and an AXI4-Lite slave; from `modfab build`.
///
/// Source   {kind.module}.sv.
/// Latency  that module's.
/// Assumes  AXI4-Lite, one clock.
/// Ensures  that module's.
module {name} (
{ports}
);

  wire unused_prot = ^{{s_axi_awprot, s_axi_arprot}}; // every access is treated alike

  {name}_core u_core (
    .clk_i ({CLOCK}),
    .rst_i (!{RESET}),
{lines}{links}
  );

endmodule
"""
