# SPDX-License-Identifier: Apache-2.0
"""The core as a PYNQ overlay: the driver that PYNQ binds to it, and the overlay that holds it.

On the board: `from modfab_pynq import ModfabOverlay; core = ModfabOverlay("modfab.bit").core`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Protocol

from pynq import DefaultIP, Overlay

from modfab.host.core_device import CycleProgress
from modfab.host.device import Device, PowmodResult

_POLL_S = 0.0005


class Mmio(Protocol):
    """What this driver uses of `pynq.MMIO`."""

    def read(self, offset: int) -> int:
        """The word at a byte offset."""

    def write(self, offset: int, value: int) -> None:
        """Write a word at a byte offset."""


class MmioTransport:
    """Transport of `modfab.host` over a `pynq.MMIO`.

    A refused access (SLVERR) reaches the processor as a bus error that ends the program; `Device`
    makes no access that the core refuses.
    """

    def __init__(self, mmio: Mmio) -> None:
        self._mmio = mmio

    def read32(self, address: int) -> int:
        """As `Transport.read32`."""
        return int(self._mmio.read(address))

    def write32(self, address: int, value: int) -> None:
        """As `Transport.write32`."""
        self._mmio.write(address, value)

    def wait(self, timeout_s: float) -> None:
        """As `Transport.wait`: a short sleep, after which the caller looks at the status."""
        time.sleep(min(timeout_s, _POLL_S))

    def close(self) -> None:
        """As `Transport.close`; the mapping belongs to the overlay."""


class ModfabCore(DefaultIP):
    """Driver of the core; PYNQ makes one when the overlay's attribute is first read.

    The interrupt, where the overlay has one, is the attribute `irq_o`; `device` is PYNQ's name for
    the FPGA, so the modfab driver is `modfab`.
    """

    bindto = ("xilinx.com:module_ref:mf_pynq_z2:1.0",)

    def __init__(self, description: Mapping[str, Any]) -> None:
        super().__init__(description=description)
        self.modfab = Device(MmioTransport(self.mmio))

    def powmod(
        self,
        base: int,
        exp: int,
        modulus: int,
        exp_bits: int | None = None,
        progress: CycleProgress | None = None,
    ) -> PowmodResult:
        """As `modfab.host.device.Device.powmod`."""
        return self.modfab.powmod(base, exp, modulus, exp_bits, progress)

    def zeroize(self) -> None:
        """As `modfab.host.device.Device.zeroize`."""
        self.modfab.zeroize()


class ModfabOverlay(Overlay):
    """The overlay that build.tcl makes."""

    def __init__(self, bitfile_name: str = "modfab.bit", **options: Any) -> None:
        super().__init__(bitfile_name, **options)

    @property
    def core(self) -> ModfabCore:
        """The core's driver."""
        return self.modfab_0
