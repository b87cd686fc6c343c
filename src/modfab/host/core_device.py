# SPDX-License-Identifier: Apache-2.0
"""What the drivers of all cores do alike: identify, write numbers, wait, count, zeroize, close."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from modfab.errors import ClosedError, DeviceError, NoDeviceError, NotWipedError
from modfab.host.closing import Closing, closed_on_error
from modfab.host.transport import BulkTransport, Transport
from modfab.numbers import from_words, to_words, words_of

CycleProgress = Callable[[int, int | None], None]
"""Told now and then: cycles done, and cycles in total when they are known."""

_WAIT_S = 0.1
_NOT_WIPED = "The core was not wiped and may hold a key or a message; zeroize it or power it off."


class CommonRegisters(Protocol):
    """The registers that every core has; the generated modules have them."""

    ID: int
    ID_MAGIC_VALUE: int
    VERSION: int
    VERSION_MAJOR_MASK: int
    VERSION_MAJOR_VALUE: int
    CTRL: int
    CTRL_ZEROIZE_MASK: int
    STATUS: int
    STATUS_BUSY_MASK: int
    STATUS_ERROR_MASK: int
    IRQ_STATUS: int
    IRQ_STATUS_DONE_MASK: int
    IRQ_ENABLE: int
    IRQ_ENABLE_DONE_MASK: int


@dataclass(frozen=True, slots=True)
class CoreMap:
    """A core's name for error texts, its registers, and those of its counter of cycles."""

    name: str
    registers: CommonRegisters
    cycles_low: int
    cycles_high: int


class CoreDevice(Closing):
    """One core behind a transport.

    Args:
        core_map: Which core.
        transport: The way to the core; closed together with the device.
        stall_s: Seconds without a change of the core's cycle counter that count as a dead core.

    Raises:
        DeviceError: What answers is not this core, or its register map is another one.
    """

    def __init__(self, core_map: CoreMap, transport: Transport, stall_s: float) -> None:
        self._map = core_map
        self._transport = transport
        self._bulk = transport if isinstance(transport, BulkTransport) else None
        self._idle = False  # as far as is known without asking
        self._holds = False  # numbers that were written, and not wiped since
        self._cycles_done = self._status_done = 0  # of the operation that was waited for last
        self._stall_s = stall_s
        self._open = True
        with closed_on_error(transport):
            self._check_identity()
            self._write(core_map.registers.IRQ_ENABLE, core_map.registers.IRQ_ENABLE_DONE_MASK)

    def zeroize(self) -> None:
        """Wipe the core and end what runs."""
        self._check_open()
        self._forget()
        self._idle = False
        self._write(self._map.registers.CTRL, self._map.registers.CTRL_ZEROIZE_MASK)
        self._wait_until_idle()
        self._holds = False

    def close(self) -> None:
        """Leave the core and release the transport; a second call does nothing.

        Raises:
            NotWipedError: What was written could not be wiped.
            DeviceError: The core does not answer.
        """
        if not self._open:
            return
        try:
            self._leave()
        except DeviceError as error:
            if self._holds:
                raise NotWipedError(_NOT_WIPED, error) from error
            raise
        finally:
            self._open = False
            self._transport.close()

    # ---- steps ----
    def _leave(self) -> None:
        """What a core is left with at the end: nothing."""
        self.zeroize()

    def _check_open(self) -> None:
        """Raise ClosedError after `close`; every operation begins with it."""
        if not self._open:
            raise ClosedError

    def _forget(self) -> None:
        """Called when the core loses what was loaded."""

    def _check_identity(self) -> None:
        regs, name = self._map.registers, self._map.name
        if self._read(regs.ID) != regs.ID_MAGIC_VALUE:
            raise NoDeviceError(
                f"There is no modfab {name} at this address: its identification register holds "
                "something else; check the address, that the bitstream is loaded, and that its "
                "core is one for this command."
            )
        major = field_of(self._read(regs.VERSION), regs.VERSION_MAJOR_MASK)
        if major != regs.VERSION_MAJOR_VALUE:
            raise NoDeviceError(
                f"This driver knows version {regs.VERSION_MAJOR_VALUE} of the {name}'s register "
                f"map, but the core has version {major}; use the modfab release that built it."
            )

    def _run(self, command: int, progress: CycleProgress | None, total: int | None) -> int:
        """Start a command and wait for its end; the code of `STATUS.error`."""
        regs = self._map.registers
        self._idle = False
        started = ((regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK), (regs.CTRL, command))
        return field_of(self._finish(progress, total, started), regs.STATUS_ERROR_MASK)

    def _wait_until_idle(self) -> None:
        """Wait while the core is busy; DeviceError when its cycle counter stands still."""
        if not (self._bulk and self._idle):
            self._finish(None, None, ())

    def _finish(
        self, progress: CycleProgress | None, total: int | None, writes: Sequence[tuple[int, int]]
    ) -> int:
        """Write registers, then wait while the core is busy; STATUS at the end."""
        busy_mask = self._map.registers.STATUS_BUSY_MASK
        seen, since = -1, time.monotonic()
        status, done = self._look(writes, wait=bool(writes))
        while status & busy_mask:
            now = time.monotonic()
            if done != seen:
                seen, since = done, now
                if progress:  # the total may leave out what is small
                    progress(min(done, total or done), total)
            elif now - since > self._stall_s:
                raise DeviceError(
                    f"The core is busy, but its cycle counter has not moved for {self._stall_s:g} "
                    "seconds; check its clock and reset."
                )
            status, done = self._look((), wait=True)
        self._idle, self._cycles_done, self._status_done = True, done, status
        return status

    def _look(self, writes: Sequence[tuple[int, int]], *, wait: bool) -> tuple[int, int]:
        """Write registers, wait where that helps, then STATUS and the counter of cycles."""
        regs, low, high = self._map.registers, self._map.cycles_low, self._map.cycles_high
        if self._bulk and wait:
            status, before, count, after = self._bulk.command(
                writes, (regs.STATUS, high, low, high)
            )
            if before == after:
                return status, after << 32 | count
        else:
            for address, value in writes:
                self._write(address, value)
            if wait and not writes:
                self._transport.wait(_WAIT_S)
            status = self._read(regs.STATUS)
        return status, self._cycles()

    # ---- words ----
    def _cycles(self) -> int:
        return self._read_long(self._map.cycles_low, self._map.cycles_high)

    def _read(self, address: int) -> int:
        self._check_open()
        return self._transport.read32(address)

    def _write(self, address: int, value: int) -> None:
        self._check_open()
        self._transport.write32(address, value)

    def _put(self, window: int, value: int, num_bits: int) -> None:
        words = to_words(value, words_of(num_bits))
        self._holds = True
        if self._bulk:
            self._bulk.write_words(window, words)
            return
        for index, word in enumerate(words):
            self._write(window + 4 * index, word)

    def _get(self, window: int, num_words: int) -> int:
        if self._bulk:
            return from_words(self._bulk.read_words(window, num_words))
        return from_words([self._read(window + 4 * index) for index in range(num_words)])

    def _read_long(self, low_address: int, high_address: int) -> int:
        """A counter of 64 bits, which may be counting."""
        high = self._read(high_address)
        while True:
            low, again = self._read(low_address), self._read(high_address)
            if again == high:
                return high << 32 | low
            high = again


def field_of(word: int, mask: int) -> int:
    """The field of a register that a mask selects.

    >>> field_of(0x1234, 0x0F00)
    2
    """
    return (word & mask) // (mask & -mask)
