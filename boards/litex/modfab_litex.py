# SPDX-License-Identifier: Apache-2.0
"""An RSA core as a LiteX peripheral: AXI4-Lite registers, one interrupt, a port for entropy.

    soc.rsa = ModfabRsa(soc.platform, Path("my_rsa"))    # the folder that `modfab build` wrote
    add_rsa(soc, soc.rsa, origin=0x9000_0000)

The firmware then has `RSA_BASE` (mem.h) for the C driver, `RSA_INTERRUPT` and the offsets of
registers and windows (soc.h: `RSA_STATUS_OFFSET`), and the CSRs `rsa_ev_*`, `rsa_alarm`.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.interconnect import axi, stream
from litex.soc.interconnect.csr import CSRStatus, CSRStorage
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel
from migen import ClockSignal, If, Instance, ResetSignal

REGION_BYTES = 0x10000
"""Registers and windows, with the names of `generated/mf_rsa_regs.h`."""


_SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"


def register_offsets(package: Path) -> dict[str, int]:
    """Name -> byte offset of registers and windows, from the package's IP-XACT."""
    found = {}
    for block in ElementTree.parse(package / "component.xml").iter(f"{_SPIRIT}addressBlock"):
        base = int(block.findtext(f"{_SPIRIT}baseAddress", "0"), 0)
        registers = block.findall(f"{_SPIRIT}register")
        if not registers:
            found[block.findtext(f"{_SPIRIT}name", "")] = base
        for register in registers:
            offset = int(register.findtext(f"{_SPIRIT}addressOffset", "0"), 0)
            found[register.findtext(f"{_SPIRIT}name", "")] = base + offset
    return found


def port_names(package: Path) -> set[str]:
    """Of the package's top.

    Raises:
        ValueError: It is no single RSA core, which has an alarm and takes no jobs.
    """
    ports = ElementTree.parse(package / "component.xml").iter(f"{_SPIRIT}port")
    names = {port.findtext(f"{_SPIRIT}name", "") for port in ports}
    if "alarm" not in names or "s_axis_job_tdata" in names:
        raise ValueError(
            f"Expected the package of an RSA core in {package}, but it is another core's; give the "
            "folder that `modfab build --core rsa -o FOLDER` wrote."
        )
    return names


class ModfabRsa(LiteXModule):
    """The core of a package.

    Args:
        platform: LiteX's; it gets the package's RTL.
        package: Folder that `modfab build --core rsa -o FOLDER` wrote.
        flat: The package's one file of Verilog instead of its SystemVerilog, for tools that do not
            read that: LiteX's open flows.

    Attributes:
        registers: Name -> byte offset of every register and window.
        bus: AXI4-Lite slave.
        entropy: Sink of 32-bit words, every bit fresh and unbiased. The core waits for them where
            it needs them: connect a source, or `CsrEntropy`. None of a core that was built for
            public operations only.
        ev: Interrupt, high while an operation's end was not cleared in the core's IRQ_STATUS.
        alarm: CSR, 1 from an alarm of the core until reset or zeroize.
    """

    def __init__(self, platform: Any, package: Path, flat: bool = False) -> None:
        listed = sorted(package.glob("*.f"))
        if len(listed) != 1:
            raise ValueError(
                f"Expected one list of files (*.f) in {package}, but found {len(listed)}; give the "
                "folder that `modfab build --core rsa -o FOLDER` wrote."
            )
        name, ports = listed[0].stem, port_names(package)
        self.registers = register_offsets(package)
        self.bus = axi.AXILiteInterface(data_width=32, address_width=32)
        self.entropy = None
        if "s_axis_rnd_tdata" in ports:  # one for public operations only takes no random words
            self.entropy = stream.Endpoint([("data", 32)])
        self.alarm = CSRStatus(description="1 from an alarm of the core until reset or zeroize.")
        self.ev = EventManager()
        self.ev.done = EventSourceLevel(description="An operation has ended.")
        self.ev.finalize()
        self.specials += Instance(
            name,
            **self._bus_links(),
            i_s_axi_aclk=ClockSignal("sys"),
            i_s_axi_aresetn=~ResetSignal("sys"),
            o_irq=self.ev.done.trigger,
            o_alarm=self.alarm.status,
            **self._entropy_links(),
        )
        if flat:
            platform.add_source(str((package / "sim" / f"{name}_flat.v").resolve()), "verilog")
            return
        for line in listed[0].read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("//"):
                language = "systemverilog" if line.endswith(".sv") else "verilog"
                platform.add_source(str((package / line).resolve()), language)

    def _entropy_links(self) -> dict[str, Any]:
        """The ports of random words, where the core has them."""
        if self.entropy is None:
            return {}
        return {
            "i_s_axis_rnd_tdata": self.entropy.data,
            "i_s_axis_rnd_tvalid": self.entropy.valid,
            "o_s_axis_rnd_tready": self.entropy.ready,
        }

    def _bus_links(self) -> dict[str, Any]:
        """The ports of the channels by LiteX's names; the core sees the offset in its region."""
        links: dict[str, Any] = {}
        for channel in ("aw", "ar"):
            links[f"i_s_axi_{channel}addr"] = getattr(self.bus, channel).addr[:16]
            links[f"i_s_axi_{channel}prot"] = 0
        for channel in ("aw", "w", "ar"):
            links[f"i_s_axi_{channel}valid"] = getattr(self.bus, channel).valid
            links[f"o_s_axi_{channel}ready"] = getattr(self.bus, channel).ready
        for channel in ("b", "r"):
            links[f"o_s_axi_{channel}valid"] = getattr(self.bus, channel).valid
            links[f"i_s_axi_{channel}ready"] = getattr(self.bus, channel).ready
            links[f"o_s_axi_{channel}resp"] = getattr(self.bus, channel).resp
        links |= {"i_s_axi_wdata": self.bus.w.data, "i_s_axi_wstrb": self.bus.w.strb}
        return links | {"o_s_axi_rdata": self.bus.r.data}


class CsrEntropy(LiteXModule):
    """Entropy that software writes, word by word.

    Whoever writes these words knows the blinding: this moves the protection against power analysis
    into that program and its source.

    Attributes:
        source: Words for `ModfabRsa.entropy`.
        word: CSR; a write offers a word.
        taken: CSR; 1 when the core has taken it.
    """

    def __init__(self) -> None:
        self.source = source = stream.Endpoint([("data", 32)])
        self.word = CSRStorage(32, description="A random word; writing offers it to the core.")
        self.taken = CSRStatus(reset=1, description="1 when the last word was taken.")
        self.comb += [source.data.eq(self.word.storage), source.valid.eq(~self.taken.status)]
        self.sync += [
            If(source.ready, self.taken.status.eq(1)),
            If(self.word.re, self.taken.status.eq(0)),
        ]


def add_rsa(soc: Any, rsa: ModfabRsa, origin: int, name: str = "rsa") -> None:
    """Give a core that is the submodule `name` of a SoC its region, interrupt and register names.

    Args:
        soc: A LiteX SoC with a CPU.
        rsa: The core.
        origin: First address, a multiple of `REGION_BYTES` in a range that is not cached.
        name: Prefix of the names in the generated headers.
    """
    soc.bus.add_slave(name, rsa.bus, SoCRegion(origin=origin, size=REGION_BYTES, cached=False))
    if soc.irq.enabled:
        soc.irq.add(name, use_loc_if_exists=True)
    for register, offset in rsa.registers.items():
        soc.add_constant(f"{name}_{register}_OFFSET", offset)
