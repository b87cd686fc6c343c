# SPDX-License-Identifier: Apache-2.0
"""The RTL of the core, compiled by Verilator, as a device."""

from __future__ import annotations

import time

from modfab.gen.config import CoreConfig
from modfab.gen.rsa import RsaConfig
from modfab.host.transport import BusError
from modfab.sim.core import RtlCore

_CLOCKS_A_LOOK = 4096  # clocks between two looks at the wall clock


class SimTransport:
    """Bus of a simulated core. Simulated time passes in bus accesses and in `wait` only."""

    def __init__(self, config: CoreConfig | RsaConfig) -> None:
        self._core = RtlCore(config)

    def read32(self, address: int) -> int:
        """As `Transport.read32`."""
        response, data = self._core.read(address)
        if response:
            raise BusError("read", address)
        return data

    def write32(self, address: int, value: int) -> None:
        """As `Transport.write32`."""
        if self._core.write(address, value):
            raise BusError("written", address)

    def wait(self, timeout_s: float) -> None:
        """As `Transport.wait`."""
        end = time.monotonic() + timeout_s
        while not self._core.wait(_CLOCKS_A_LOOK) and time.monotonic() < end:
            pass

    def close(self) -> None:
        """As `Transport.close`."""
        self._core.close()
