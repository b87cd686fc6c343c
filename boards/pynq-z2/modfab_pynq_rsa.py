# SPDX-License-Identifier: Apache-2.0
"""The RSA core as a PYNQ overlay: drivers of the core and of its entropy, and the overlay.

On the board: `from modfab_pynq_rsa import ModfabRsaOverlay`, then
`core = ModfabRsaOverlay("modfab.bit").core`; `core.modfab` is an open `RsaDevice`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from modfab_pynq import Mmio, MmioTransport
from pynq import DefaultIP, Overlay

from modfab.errors import DeviceError
from modfab.host.core_device import CycleProgress
from modfab.host.generated import mf_rsa_regs
from modfab.host.keys import RsaPrivate
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_result import RsaResult

WRITABLE = ("CTRL", "IRQ_STATUS", "IRQ_ENABLE", "E_BITS", "FAULT_LIMIT", "CONTEXT")
"""Registers that take a write; PYNQ refuses a write to the others before the core does."""


def register_description(regs: ModuleType) -> dict[str, dict[str, Any]]:
    """A register map as PYNQ's `register_map` wants it, from the module made from our RDL.

    PYNQ reads it from the hardware description, where a module reference has none.
    """
    values = {name: value for name, value in vars(regs).items() if isinstance(value, int)}
    kinds = ("_MASK", "_SHIFT", "_VALUE", "_WINDOW", "_WORDS")
    found = {}
    for register, offset in values.items():
        if register.endswith(kinds):
            continue
        access = "read-write" if register in WRITABLE else "read-only"
        fields = {}
        for name, mask in values.items():
            if name.startswith(f"{register}_") and name.endswith("_MASK"):
                shift = values[name.removesuffix("_MASK") + "_SHIFT"]
                fields[name.removeprefix(f"{register}_").removesuffix("_MASK")] = {
                    "bit_offset": shift,
                    "bit_width": (mask >> shift).bit_length(),
                    "access": access,
                    "description": "",
                }
        found[register] = {
            "address_offset": offset,
            "size": 32,
            "access": access,
            "description": "",
            "fields": fields,
        }
    return found


class ModfabEntropy(DefaultIP):
    """Driver of the FIFO in front of the core's entropy port."""

    bindto = ("xilinx.com:module_ref:mf_pynq_entropy:1.0",)

    def __init__(self, description: Mapping[str, Any]) -> None:
        super().__init__(description=description)

    def refill(self) -> int:
        """Write words of the operating system's source while there is room; how many."""
        room = int(self.mmio.read(0))
        data = os.urandom(4 * room)
        for at in range(0, len(data), 4):
            self.mmio.write(0, int.from_bytes(data[at : at + 4], "little"))
        return room


class RsaTransport(MmioTransport):
    """As `MmioTransport`; a wait for the core brings it entropy first."""

    def __init__(self, mmio: Mmio, refill: Callable[[], int]) -> None:
        super().__init__(mmio)
        self._refill = refill

    def wait(self, timeout_s: float) -> None:
        """As `Transport.wait`."""
        self._refill()
        super().wait(timeout_s)


class ModfabRsa(DefaultIP):
    """Driver of the core, which needs entropy before it does anything: `attach`.

    `register_map` has the names of our register map; a read of CTRL gives zero. The interrupt is
    the attribute `irq_o` where the overlay has one.
    """

    bindto = ("xilinx.com:module_ref:mf_pynq_z2_rsa:1.0",)

    def __init__(self, description: Mapping[str, Any]) -> None:
        named = {"fullpath": "modfab_0"} | dict(description)
        super().__init__(description=named | {"registers": register_description(mf_rsa_regs)})
        self._modfab: RsaDevice | None = None

    def attach(self, entropy: ModfabEntropy) -> ModfabRsa:
        """Open the core with its source of entropy; the core itself."""
        entropy.refill()
        self._modfab = RsaDevice(RsaTransport(self.mmio, entropy.refill))
        return self

    @property
    def modfab(self) -> RsaDevice:
        """The open device.

        Raises:
            DeviceError: The core has no source of entropy yet.
        """
        if self._modfab is None:
            raise DeviceError(
                "The RSA core has no source of entropy yet; take it from ModfabRsaOverlay.core, or "
                "call attach(overlay.entropy_0) first."
            )
        return self._modfab

    def load_key(self, key: RsaPrivate, progress: CycleProgress | None = None) -> int:
        """As `modfab.host.rsa_device.RsaDevice.load_key`."""
        return self.modfab.load_key(key, progress)

    def private(self, base: int, progress: CycleProgress | None = None) -> RsaResult:
        """As `modfab.host.rsa_device.RsaDevice.private`: base^d mod n by CRT."""
        return self.modfab.private(base, progress)

    def public(self, base: int, progress: CycleProgress | None = None) -> RsaResult:
        """As `modfab.host.rsa_device.RsaDevice.public`."""
        return self.modfab.public(base, progress)

    def selftest(self) -> int:
        """As `modfab.host.rsa_device.RsaDevice.selftest`."""
        return self.modfab.selftest()

    def zeroize(self) -> None:
        """As `modfab.host.core_device.CoreDevice.zeroize`."""
        self.modfab.zeroize()


class ModfabRsaOverlay(Overlay):
    """The overlay that build.tcl makes of `prepare.py --core rsa`."""

    def __init__(self, bitfile_name: str = "modfab.bit", **options: Any) -> None:
        super().__init__(bitfile_name, **options)
        self._attached: ModfabRsa | None = None

    @property
    def core(self) -> ModfabRsa:
        """The core's driver, with its entropy."""
        if self._attached is None:
            self._attached = self.modfab_0.attach(self.entropy_0)
        return self._attached
