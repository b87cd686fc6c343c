# SPDX-License-Identifier: Apache-2.0
"""A SoC with VexRiscv and an RSA core, for simulation: its headers, or its Verilog with firmware.

    python soc.py --package my_rsa --out build                          # headers for the firmware
    python soc.py --package my_rsa --out build --firmware build/main.bin  # and build/soc.v

Entropy comes from outside, through ports: a simulation feeds it. The bench is `bench.cpp`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from litex.build.generic_platform import Pins, Subsignal
from litex.build.io import CRG
from litex.build.sim import SimPlatform
from litex.soc.integration.common import get_mem_data
from litex.soc.integration.export import get_csr_header, get_mem_header, get_soc_header
from litex.soc.integration.soc_core import SoCCore
from modfab_litex import ModfabRsa, add_rsa

CLK_HZ = 16_000_000
BAUD = CLK_HZ // 16
"""A bit of the console is 16 cycles: the bench counts them."""

ORIGIN = 0x9000_0000
ROM_BYTES, RAM_BYTES = 0x8000, 0x4000

_PINS = [
    ("sys_clk", 0, Pins(1)),
    ("serial", 0, Subsignal("tx", Pins(1)), Subsignal("rx", Pins(1))),
    (
        "rnd",
        0,
        Subsignal("data", Pins(32)),
        Subsignal("valid", Pins(1)),
        Subsignal("ready", Pins(1)),
    ),
]


class RsaSoc(SoCCore):
    """VexRiscv with ROM, RAM, console and an RSA core.

    Args:
        package: Folder that `modfab build --core rsa` wrote.
        firmware: What the ROM holds; empty for none.
    """

    def __init__(self, package: Path, firmware: list[int]) -> None:
        platform = SimPlatform("SIM", _PINS)
        self.crg = CRG(platform.request("sys_clk"))
        super().__init__(
            platform,
            clk_freq=CLK_HZ,
            ident="modfab",
            cpu_type="vexriscv",
            cpu_variant="lite",
            uart_baudrate=BAUD,
            integrated_rom_size=ROM_BYTES,
            integrated_rom_init=firmware,
            integrated_sram_size=RAM_BYTES,
            with_timer=False,
        )
        self.rsa = ModfabRsa(platform, package)
        add_rsa(self, self.rsa, ORIGIN)
        pins = platform.request("rnd")
        if self.rsa.entropy is None:
            self.comb += pins.ready.eq(0)
            return
        self.comb += [
            self.rsa.entropy.data.eq(pins.data),
            self.rsa.entropy.valid.eq(pins.valid),
            pins.ready.eq(self.rsa.entropy.ready),
        ]


def main() -> None:
    """Write `generated/*.h`, and with firmware `soc.v` with its memories and `soc.f`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, required=True, help="what modfab build wrote")
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--firmware", type=Path, help="a raw binary for the ROM")
    chosen = parser.parse_args()
    image = get_mem_data(str(chosen.firmware), endianness="little") if chosen.firmware else []
    soc = RsaSoc(chosen.package, image)
    soc.finalize()
    headers = chosen.out / "generated"
    headers.mkdir(parents=True, exist_ok=True)
    texts = {
        "csr.h": get_csr_header(soc.csr_regions, soc.constants, with_access_functions=False),
        "mem.h": get_mem_header(soc.mem_regions),
        "soc.h": get_soc_header(soc.constants, with_access_functions=False),
    }
    for name, text in texts.items():
        (headers / name).write_text(text, encoding="utf-8")
    if chosen.firmware:
        verilog = soc.platform.get_verilog(soc, name="soc")
        verilog.write(str(chosen.out / "soc.v"))
        listed = "".join(f"{path}\n" for path, _, _ in soc.platform.sources)
        (chosen.out / "soc.f").write_text(listed, encoding="utf-8")


if __name__ == "__main__":
    main()
