# SPDX-License-Identifier: Apache-2.0
"""A serial line to the bridge's model that loses or spoils bytes where a test says so."""

from __future__ import annotations

from modfab.host.transport import BusError, Transport
from modfab.host.transport_serial import SerialTransport
from modfab.models.uartbone import UartboneModel


class TransportBus:
    """A transport as the bus of the bridge's model."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner

    def read(self, address: int) -> tuple[int, int]:
        try:
            return 0, self.inner.read32(address)
        except BusError:
            return 2, 0

    def write(self, address: int, data: int) -> int:
        try:
            self.inner.write32(address, data)
        except BusError:
            return 2
        return 0


class ModelLine:
    """A line to a model of the bridge.

    Attributes:
        lose_in, lose_out: Bytes until one is lost to the board, or from it; 0 for never.
        spoil, spoil_out: Bytes until one has a wrong bit; 0 for never.
        dead: Nothing comes back.
    """

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.bridge = UartboneModel(TransportBus(inner), lambda: inner.wait(60.0))
        self.lose_in = self.lose_out = self.spoil = self.spoil_out = 0
        self.dead = self.closed = False
        self.sent = bytearray()
        self._waiting = bytearray()
        self._armed = ""

    def send(self, data: bytes) -> None:
        self.sent += data
        arrived = bytearray()
        for byte in data:
            self.lose_in -= self.lose_in > 0
            self.spoil -= self.spoil > 0
            if self.lose_in == 0 and self._hit("lose_in"):
                continue
            arrived.append(byte ^ (0x10 if self.spoil == 0 and self._hit("spoil") else 0))
        for byte in self.bridge.feed(bytes(arrived)):
            self.lose_out -= self.lose_out > 0
            self.spoil_out -= self.spoil_out > 0
            if not (self.lose_out == 0 and self._hit("lose_out")):
                bad = self.spoil_out == 0 and self._hit("spoil_out")
                self._waiting.append(byte ^ (0x04 if bad else 0))

    def arm(self, kind: str, count: int) -> None:
        """The byte after `count` - 1 others suffers."""
        setattr(self, kind, count)
        self._armed = kind

    def _hit(self, kind: str) -> bool:
        if self._armed == kind:
            self._armed = ""
            return True
        return False

    def receive(self, count: int, timeout_s: float) -> bytes:
        del timeout_s
        if self.dead:
            return b""
        found = bytes(self._waiting[:count])
        del self._waiting[:count]
        return found

    def settle(self) -> None:
        self.bridge.silence()
        self._waiting.clear()

    def close(self) -> None:
        if not self.closed:
            self.inner.close()
        self.closed = True


def model_transport(inner: Transport) -> tuple[SerialTransport, ModelLine]:
    """A serial transport to the bridge's model in front of another transport."""
    line = ModelLine(inner)
    return SerialTransport(line), line
