# SPDX-License-Identifier: Apache-2.0
"""The top of a package: plain Verilog with the usual AXI4-Lite names, around `mf_modexp_axil`."""

from __future__ import annotations

PORTS: tuple[tuple[str, int, bool], ...] = (
    ("s_axi_awaddr", 16, True),
    ("s_axi_awprot", 3, True),
    ("s_axi_awvalid", 1, True),
    ("s_axi_awready", 1, False),
    ("s_axi_wdata", 32, True),
    ("s_axi_wstrb", 4, True),
    ("s_axi_wvalid", 1, True),
    ("s_axi_wready", 1, False),
    ("s_axi_bresp", 2, False),
    ("s_axi_bvalid", 1, False),
    ("s_axi_bready", 1, True),
    ("s_axi_araddr", 16, True),
    ("s_axi_arprot", 3, True),
    ("s_axi_arvalid", 1, True),
    ("s_axi_arready", 1, False),
    ("s_axi_rdata", 32, False),
    ("s_axi_rresp", 2, False),
    ("s_axi_rvalid", 1, False),
    ("s_axi_rready", 1, True),
)
"""Name, bits, input: the AXI4-Lite slave of the top, in order."""

CLOCK, RESET, IRQ = "s_axi_aclk", "s_axi_aresetn", "irq"

MEANING = {
    CLOCK: "the only clock",
    RESET: "synchronous reset, active low; one clock is enough",
    IRQ: "interrupt, level, high while an enabled cause is set",
}


def port_lines() -> list[tuple[str, int, bool]]:
    """Every port: clock, reset, interrupt, bus."""
    return [(CLOCK, 1, True), (RESET, 1, True), (IRQ, 1, False), *PORTS]


def top_text(name: str) -> str:
    """Verilog of the top."""
    ports = ",\n".join(
        f"  {'input ' if is_input else 'output'} wire {f'[{bits - 1}:0]' if bits > 1 else '':<7}"
        f"{port}"
        for port, bits, is_input in port_lines()
    )
    unused = ("s_axi_awprot", "s_axi_arprot")
    links = ",\n".join(f"    .{port} ({port})" for port, _, _ in PORTS if port not in unused)
    return f"""// SPDX-License-Identifier: Apache-2.0
/// Modular exponentiation core with fixed parameters and an AXI4-Lite slave; from `modfab build`.
///
/// Source   mf_modexp_axil.sv.
/// Latency  that module's.
/// Assumes  AXI4-Lite, one clock.
/// Ensures  that module's.
module {name} (
{ports}
);

  wire unused_prot = ^{{s_axi_awprot, s_axi_arprot}}; // every access is treated alike

  mf_modexp_axil u_core (
    .clk_i ({CLOCK}),
    .rst_i (!{RESET}),
    .irq_o ({IRQ}),
{links}
  );

endmodule
"""
