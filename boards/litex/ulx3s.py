# SPDX-License-Identifier: Apache-2.0
"""A LiteX SoC with a VexRiscv and the RSA core for the ULX3S with LFE5U-85F.

    python ulx3s.py --package my_rsa --out build           # Verilog, pins, scripts of the tools
    python ulx3s.py --package my_rsa --out build --build   # LiteX's BIOS, Yosys, nextpnr, ecppack

`my_rsa` is a folder of `modfab build --core rsa`. Button PWR resets the SoC and wipes the core.
The core's random words are what software on the SoC writes, so that software needs a source.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from litex.build.generic_platform import IOStandard, Misc, Pins, Subsignal
from litex.build.lattice import LatticeECP5Platform
from litex.gen import LiteXModule
from litex.soc.cores.clock import ECP5PLL
from litex.soc.integration.builder import Builder
from litex.soc.integration.export import get_csr_json
from litex.soc.integration.soc_core import SoCCore
from migen import ClockDomain
from modfab_litex import CsrEntropy, ModfabRsa, add_rsa

from modfab.build.boards import Board, get_board

BOARD = get_board("ulx3s-85f")
DEVICE = "LFE5U-85F-6BG381C"
ORIGIN = 0x9000_0000
NAME = "ulx3s"
MAIN_RAM_BYTES = 0x8000  # in block RAM; this SoC leaves the board's SDRAM alone


def _pin(board: Board, port: str) -> tuple[Any, ...]:
    site, _, options = board.pins[port].partition(" ")
    return Pins(site), IOStandard("LVCMOS33"), Misc(options)


def io_of(board: Board) -> list[tuple[Any, ...]]:
    """The board's pins as LiteX describes them."""
    serial = (("tx", "uart_tx_o"), ("rx", "uart_rx_i"))
    return [
        ("clk", 0, *_pin(board, "clk_i")),
        ("button_n", 0, *_pin(board, "button_ni")),
        ("high", 0, *_pin(board, "high_o")),
        ("serial", 0, *(Subsignal(name, *_pin(board, port)) for name, port in serial)),
        *(("led", index, *_pin(board, f"led_o[{index}]")) for index in range(2)),
    ]


class Clocks(LiteXModule):
    """The system clock from the board's oscillator; reset by the button and until the PLL locks."""

    def __init__(self, platform: Any, clk_hz: float) -> None:
        clk = platform.request("clk")
        platform.add_period_constraint(clk, 1e3 / BOARD.clock_mhz)
        self.cd_sys = ClockDomain()
        self.pll = pll = ECP5PLL()
        self.comb += pll.reset.eq(~platform.request("button_n"))
        pll.register_clkin(clk, BOARD.clock_mhz * 1e6)
        pll.create_clkout(self.cd_sys, clk_hz)


class RsaSoC(SoCCore):
    """CPU, serial console, memories, the core; LED 0 is its interrupt, LED 1 its alarm."""

    def __init__(self, package: Path, mhz: float) -> None:
        platform = LatticeECP5Platform(DEVICE, io_of(BOARD), name=NAME, toolchain="trellis")
        self.crg = Clocks(platform, mhz * 1e6)
        super().__init__(
            platform,
            int(mhz * 1e6),
            cpu_type="vexriscv",
            integrated_rom_size=0x10000,
            integrated_sram_size=0x2000,
            integrated_main_ram_size=MAIN_RAM_BYTES,
            ident="modfab on ULX3S",
        )
        self.rsa = ModfabRsa(platform, package, flat=True)  # Yosys reads Verilog here
        if self.rsa.entropy is not None:
            self.rsa_entropy = CsrEntropy()
            self.comb += self.rsa_entropy.source.connect(self.rsa.entropy)
        add_rsa(self, self.rsa, ORIGIN)
        self.comb += [
            platform.request("high").eq(1),
            platform.request("led", 0).eq(self.rsa.ev.done.trigger),
            platform.request("led", 1).eq(self.rsa.alarm.status),
        ]


def write_design(soc: RsaSoC, out: Path) -> None:
    """Verilog, pins and the scripts of the tools below `gateware`, and csr.json beside it."""
    soc.platform.output_dir = str(out)
    soc.finalize()
    soc.build(build_dir=str(out / "gateware"), build_name=NAME, run=False, timingstrict=True)
    text = get_csr_json(soc.csr_regions, soc.constants, soc.mem_regions)
    (out / "csr.json").write_text(text, encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--package", type=Path, required=True, help="what modfab build wrote")
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--mhz", type=float, default=50.0, help="system clock")
    parser.add_argument("--build", action="store_true", help="compile the BIOS, route, pack")
    chosen = parser.parse_args()
    out = chosen.out.resolve()
    soc = RsaSoC(chosen.package.resolve(), chosen.mhz)
    if chosen.build:  # a frequency that is not met is an error
        Builder(soc, output_dir=str(out)).build(build_name=NAME, timingstrict=True)
    else:
        write_design(soc, out)


if __name__ == "__main__":
    main()
