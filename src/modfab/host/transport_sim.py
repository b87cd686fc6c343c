# SPDX-License-Identifier: Apache-2.0
"""The RTL of the core, compiled by Verilator, as a device."""

from __future__ import annotations

import time
from collections.abc import Callable

from modfab.build.core import ModexpCore
from modfab.build.rsa import RsaCore
from modfab.host.transport import BusError
from modfab.sim.core import RtlCore

_CYCLES_A_LOOK = 4096  # cycles between two looks at the wall clock


class SimTransport:
    """Bus of a simulated core. Simulated time passes in bus accesses and in `wait` only."""

    def __init__(self, config: ModexpCore | RsaCore | RtlCore) -> None:
        self._core = config if isinstance(config, RtlCore) else RtlCore(config)

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
        self.pass_time(timeout_s, self._core.wait)

    def pass_time(self, timeout_s: float, done_after: Callable[[int], bool]) -> bool:
        """Call a function that simulates some cycles until it says that it is done.

        Returns:
            False when it was not done after about `timeout_s`.
        """
        end = time.monotonic() + timeout_s
        while not (done := done_after(_CYCLES_A_LOOK)) and time.monotonic() < end:
            pass
        return done

    def close(self) -> None:
        """As `Transport.close`."""
        self._core.close()
