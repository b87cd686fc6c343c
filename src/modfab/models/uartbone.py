# SPDX-License-Identifier: Apache-2.0
"""Golden model of `mf_uartbone`: bytes of the line in, bytes of the line out."""

from __future__ import annotations

import binascii
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

WRITE_INCR, READ_INCR, WRITE_FIXED, READ_FIXED = 1, 2, 3, 4
"""Commands of LiteX's uartbone: bursts of words at rising addresses, or at one address."""

CHECK_INCR, CHECK_READ, CHECK_FIXED = 0x11, 0x12, 0x13
"""The same with two bytes of checksum behind them, over all writes that were done and this."""

OWN = 0x8000_0000
"""Byte address of the bridge's own registers."""
ID, STATUS, ENTROPY, REPLY, WAIT = (OWN + 4 * index for index in range(5))
MAGIC = 0x6D66_7562
IRQ_MASK = 1 << 30
REFUSED_SHIFT = 16
"""In STATUS: refused writes above the checksum; in ENTROPY: refused reads above the level."""
REFUSED_WRITES, REFUSED_READS = 0x3FFF, 0xFFFF
CRC_START = 0xFFFF
ENTROPY_WORDS = 512
CORE_BYTES = 1 << 16
MAX_BURST = 255

_PLAIN_WRITES = (WRITE_INCR, WRITE_FIXED)
_WRITES = (*_PLAIN_WRITES, CHECK_INCR, CHECK_FIXED)
_CHECKED = (CHECK_INCR, CHECK_READ, CHECK_FIXED)
_RISING = (WRITE_INCR, READ_INCR, CHECK_INCR, CHECK_READ)
_HEAD_BYTES, _SUM_BYTES = 6, 2


class Bus(Protocol):
    """The core's side of the bridge."""

    def read(self, address: int) -> tuple[int, int]:
        """Response (0 okay) and data."""

    def write(self, address: int, data: int) -> int:
        """Response."""


@dataclass(slots=True)
class UartboneModel:
    """The bridge as a function of the bytes that came.

    Attributes:
        bus: What it leads to.
        wait: Called for a read of WAIT; returns when the interrupt is high or time is over.
        irq: Whether the core's interrupt is high.
        entropy: Words that were delivered and not taken.
    """

    bus: Bus
    wait: Callable[[], None] = lambda: None
    irq: Callable[[], bool] = lambda: False
    entropy: list[int] = field(default_factory=list)
    crc: int = CRC_START
    refused_writes: int = 0
    refused_reads: int = 0
    strict: bool = False
    reply: int = CRC_START
    _command: bytearray = field(default_factory=bytearray)
    _skips: bool = False

    def feed(self, data: bytes) -> bytes:
        """Take bytes; the bytes of the answer."""
        return b"".join(self._byte(byte) for byte in data)

    def silence(self) -> None:
        """The line was silent for the bridge's time-out: an unfinished command is forgotten."""
        self._command.clear()
        self._skips = False

    def bad_byte(self) -> None:
        """A byte without a stop bit came: all is dropped until the line is silent."""
        self._command.clear()
        self._skips = True

    @property
    def status(self) -> int:
        """What STATUS reads as."""
        refused = (self.refused_writes & REFUSED_WRITES) << REFUSED_SHIFT
        return self.crc | refused | (IRQ_MASK if self.irq() else 0)

    def _byte(self, byte: int) -> bytes:
        command = self._command
        known = byte in (READ_INCR, READ_FIXED, *_CHECKED)
        known |= byte in _PLAIN_WRITES and not self.strict
        if self._skips or not (command or known):
            self._skips = True
            return b""
        command.append(byte)
        if len(command) < _HEAD_BYTES:
            return b""
        if not command[1]:
            self.bad_byte()
        elif command[0] in _CHECKED:
            return self._checked(command[1])
        elif command[0] in _WRITES:
            self._plain(command[1])
        else:
            return self._reads(command[1])
        return b""

    def _reads(self, words: int) -> bytes:
        answer = b""
        for index in range(words):
            word = self._read(self._address(index)).to_bytes(4, "big")
            self.reply = binascii.crc_hqx(word, self.reply)
            answer += word
        self._command.clear()
        return answer

    def _plain(self, words: int) -> None:
        done, rest = divmod(len(self._command) - _HEAD_BYTES, 4)
        if done and not rest:
            self._write(self._address(done - 1), self._word(done - 1))
            if done == words:
                self.crc = binascii.crc_hqx(self._command, self.crc)
                self._command.clear()

    def _checked(self, words: int) -> bytes:
        command, writes = self._command, self._command[0] in _WRITES
        end = _HEAD_BYTES + 4 * words * writes
        if len(command) < end + _SUM_BYTES:
            return b""
        crc = binascii.crc_hqx(command[:end], self.crc)
        if crc != int.from_bytes(command[end:], "big"):
            self.bad_byte()
            return b""
        if not writes:
            return self._reads(words)
        self.crc, self.strict = crc, True
        for index in range(words):
            self._write(self._address(index), self._word(index))
        command.clear()
        return b""

    def _word(self, index: int) -> int:
        at = _HEAD_BYTES + 4 * index
        return int.from_bytes(self._command[at : at + 4], "big")

    def _address(self, index: int) -> int:
        """Byte address of a burst's word."""
        first = int.from_bytes(self._command[2:_HEAD_BYTES], "big")
        step = index if self._command[0] in _RISING else 0
        return 4 * ((first + step) & 0xFFFF_FFFF)

    def _write(self, address: int, data: int) -> None:
        if address == ENTROPY:
            if len(self.entropy) < ENTROPY_WORDS:
                self.entropy.append(data)
        elif address >= CORE_BYTES or self.bus.write(address, data):
            self.refused_writes += 1

    def _read(self, address: int) -> int:
        if address == WAIT:
            self.wait()
        level = len(self.entropy) | (self.refused_reads & REFUSED_READS) << REFUSED_SHIFT
        own = {ID: MAGIC, ENTROPY: level, STATUS: self.status, WAIT: self.status}
        if address == REPLY:
            value, self.reply = self.reply, CRC_START
            return value
        if address in own:
            return own[address]
        response, data = self.bus.read(address) if address < CORE_BYTES else (2, 0)
        if response:
            self.refused_reads += 1
            return 0
        return data
