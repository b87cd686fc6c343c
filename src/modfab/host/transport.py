# SPDX-License-Identifier: Apache-2.0
"""How a driver reaches a core: 32-bit registers, and a wait for its interrupt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from modfab.errors import DeviceError


class BusError(DeviceError):
    """The core refused an access (SLVERR): nothing is there, or it is not allowed now."""

    def __init__(self, access: str, address: int) -> None:
        super().__init__(
            f"The core refused to be {access} at offset 0x{address:04X} (bus error); the offset is "
            "outside its register map, or the access is not allowed in its present state."
        )


class Transport(Protocol):
    """A way to one core. It knows nothing of the register map."""

    def read32(self, address: int) -> int:
        """The word at a byte offset.

        Raises:
            BusError: The core refused the read.
        """

    def write32(self, address: int, value: int) -> None:
        """Write a word of 32 bits at a byte offset.

        Raises:
            BusError: The core refused the write.
        """

    def wait(self, timeout_s: float) -> None:
        """Return when the core's interrupt output is high, or after about `timeout_s`.

        It may return earlier; the caller looks at the core's status and waits again.
        """

    def close(self) -> None:
        """Release what the transport holds.

        A second call does nothing; every other call after it raises ClosedError.
        """


@runtime_checkable
class BulkTransport(Protocol):
    """What a transport has on top where each access by itself would take long."""

    def write_words(self, address: int, words: Sequence[int]) -> None:
        """Write words from an address on; BusError when one was refused."""

    def read_words(self, address: int, count: int) -> list[int]:
        """Words from an address on; BusError when one was refused."""

    def command(self, writes: Sequence[tuple[int, int]], reads: Sequence[int]) -> list[int]:
        """Write registers, `Transport.wait`, read registers: all in one go.

        Args:
            writes: Addresses and words.
            reads: Addresses.

        Raises:
            BusError: An access was refused.
        """
