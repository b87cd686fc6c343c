# SPDX-License-Identifier: Apache-2.0
"""How a driver reaches a farm: registers as of any core, and both ends of its job queue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from modfab.build.farm import FarmCore
from modfab.host.transport import Transport
from modfab.host.transport_sim import SimTransport
from modfab.sim.farm import RtlFarm


class FarmTransport(Transport, Protocol):
    """A way to one farm. It knows nothing of the register map and of what packets mean."""

    def send(self, packet: Sequence[int]) -> None:
        """Put a job behind those that wait; never blocks."""

    def receive(self, timeout_s: float) -> list[int] | None:
        """The next answer, None when none has come after about `timeout_s`."""


class SimFarmTransport(SimTransport):
    """Bus and queue of a simulated farm; as `SimTransport`, time passes while something waits."""

    def __init__(self, config: FarmCore) -> None:
        self.farm = RtlFarm(config)
        super().__init__(self.farm)
        self._packet_words = config.num_words + 1
        self._received = 0
        self.cycles: list[int] = []
        """Of each answer, the clock in which its last word was taken."""

    def send(self, packet: Sequence[int]) -> None:
        """As `FarmTransport.send`."""
        self.farm.send(packet)

    def receive(self, timeout_s: float) -> list[int] | None:
        """As `FarmTransport.receive`."""
        wanted = self._received + self._packet_words
        if not self.pass_time(timeout_s, lambda n: self.farm.run_until(wanted, n) >= wanted):
            return None
        beats = self.farm.answer_beats(self._received, wanted)
        self._received = wanted
        self.cycles.append(beats[-1].clock)
        return [beat.data for beat in beats]
