# SPDX-License-Identifier: Apache-2.0
"""A core behind a serial line: the protocol of LiteX's uartbone, checked and repeated."""

from __future__ import annotations

import binascii
import fcntl
import os
import select
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from modfab.errors import ClosedError, DeviceError, NoDeviceError, UsageError
from modfab.host.transport import BusError
from modfab.models import uartbone as bridge

DEFAULT_BAUD = 3_000_000
"""What the boards' bitstreams are built with."""

_ATTEMPTS = 4
_FILL_WORDS = 128  # of entropy, most in one transfer
_FILLS = 16  # more than the tests of a source take, and the buffer
_READS_BEHIND_A_WAIT = 7  # with that of the status 64 bytes, as many as the bridge keeps
_STATUS_WORDS = 3  # STATUS, ENTROPY and REPLY end every transfer
_REPLY_S, _SILENCE_S = 1.0, 0.08  # the bridge forgets a command after 50 ms of silence
_SIMULATED_S = 120.0, 1.0  # the same behind a pseudo terminal, where a simulation takes its time


class Line(Protocol):
    """Bytes to and from a board."""

    def send(self, data: bytes) -> None:
        """Send all of it."""

    def receive(self, count: int, timeout_s: float) -> bytes:
        """That many bytes, or fewer when none came for `timeout_s`."""

    def settle(self) -> None:
        """Wait until the bridge has forgotten an unfinished command; drop what comes meanwhile."""

    def close(self) -> None:
        """Release it."""


class SerialLine:
    """A terminal device in raw mode, 8 data bits, no parity, no flow control.

    Args:
        path: /dev/ttyUSB0 and the like, or the pseudo terminal of a simulated board.
        baud: Bits a second; one of the system's standard rates.

    Raises:
        NoDeviceError: It cannot be opened, or is no terminal.
        UsageError: The system has no such rate.
    """

    def __init__(self, path: Path, baud: int = DEFAULT_BAUD) -> None:
        speed = getattr(termios, f"B{baud}", None)
        if speed is None:
            rates = sorted(int(n[1:]) for n in dir(termios) if n[0] == "B" and n[1:].isdigit())
            fast = ", ".join(str(rate) for rate in rates if rate >= 115_200)
            raise UsageError(
                f"Expected a baud rate that this system has, but got {baud}; choose the one that "
                f"the board was built with, one of {fast}."
            )
        try:
            self._file = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise NoDeviceError(
                f"{path} cannot be opened ({error.strerror}); check that the board is connected "
                "and that you may read and write it (group dialout)."
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # transfers of two would mix
            self._raw(speed)
        except BlockingIOError as error:
            os.close(self._file)
            raise NoDeviceError(
                f"{path} is in use by another program of modfab; end that, or give another line."
            ) from error
        except termios.error as error:
            os.close(self._file)
            raise NoDeviceError(
                f"{path} is no serial line ({error.args[-1]}); give the terminal device of the "
                "board, such as /dev/ttyUSB0."
            ) from error
        simulated = str(path.resolve()).startswith("/dev/pts/")
        self.reply_s, self._silence_s = _SIMULATED_S if simulated else (_REPLY_S, _SILENCE_S)
        self._open = True

    def _raw(self, speed: int) -> None:
        special: list[bytes | int] = [b"\0"] * len(termios.tcgetattr(self._file)[6])
        flags = termios.CS8 | termios.CREAD | termios.CLOCAL
        attributes: list[int | list[bytes | int]] = [0, 0, flags, 0, speed, speed, special]
        termios.tcsetattr(self._file, termios.TCSANOW, attributes)

    def send(self, data: bytes) -> None:
        """As `Line.send`."""
        self._check_open()
        try:
            while data:
                if not select.select([], [self._file], [], self.reply_s)[1]:
                    raise DeviceError(
                        f"The serial line took no byte for {self.reply_s:g} s; check the adapter "
                        "and the cable, and start again."
                    )
                data = data[os.write(self._file, data) :]
        except OSError as error:
            raise _gone(error) from error

    def receive(self, count: int, timeout_s: float) -> bytes:
        """As `Line.receive`."""
        self._check_open()
        found = b""
        try:
            while len(found) < count:
                if not select.select([self._file], [], [], timeout_s)[0]:
                    break
                part = os.read(self._file, count - len(found))
                if not part:
                    break
                found += part
        except OSError as error:
            raise _gone(error) from error
        return found

    def settle(self) -> None:
        """As `Line.settle`; a line that another device keeps busy is left after `reply_s`."""
        end = time.monotonic() + self.reply_s
        while self.receive(256, self._silence_s) and time.monotonic() < end:
            pass

    def close(self) -> None:
        """As `Line.close`."""
        if self._open:
            self._open = False
            os.close(self._file)

    def _check_open(self) -> None:
        """The system may have given the number of a closed file to another one."""
        if not self._open:
            raise ClosedError


def _gone(error: OSError) -> DeviceError:
    return DeviceError(
        f"The serial line broke off ({error.strerror}); check the cable, and start again."
    )


@dataclass(slots=True)
class _Known:
    """What the bridge said last: checksum of the writes, refused accesses, words of entropy."""

    crc: int
    refused_writes: int
    refused_reads: int
    level: int


class SerialTransport:
    """Bus of a core behind `mf_uartbone`.

    Writes carry a checksum over all writes that the bridge did and themselves, so that each is done
    once, in order and as a whole, or not at all; reads carry one, too. Every transfer ends with the
    bridge's status: that checksum, one over the answers, counts of refused accesses. When a byte
    was lost or changed, a pause resets the bridge, its status says which writes it has, and the
    others are sent again.
    Entropy for the core comes from the operating system, with every transfer as much as there is
    room for, a part at a time.

    Args:
        line: The line; closed together with the transport.
        reply_s: Seconds without a byte after which an answer counts as lost.

    Attributes:
        transfers, repeats: How many there were, and how many of them had to be repeated.

    Raises:
        DeviceError: No bridge answers.
    """

    def __init__(self, line: Line, reply_s: float = _REPLY_S) -> None:
        self._line, self.reply_s = line, reply_s
        self.transfers = 0
        self.repeats = 0
        self._reply = bridge.CRC_START  # checksum of what the bridge sent since its last status
        try:
            self._known = self._recover()
            found = self.read_words(bridge.ID, 1)[0]
            if found != bridge.MAGIC:
                raise DeviceError(
                    f"What answers on the serial line is no modfab board: its identification is "
                    f"0x{found:08X}; check the device's name and that the bitstream is loaded."
                )
        except BaseException:
            line.close()
            raise

    # ---- the transport protocol ----
    def read32(self, address: int) -> int:
        """As `Transport.read32`."""
        return self.read_words(address, 1)[0]

    def write32(self, address: int, value: int) -> None:
        """As `Transport.write32`."""
        self.write_words(address, [value])

    def wait(self, timeout_s: float) -> None:
        """As `Transport.wait`; the bridge itself ends a wait after 50 ms."""
        del timeout_s
        self._transfer([], [(bridge.WAIT, 1)])

    def close(self) -> None:
        """As `Transport.close`."""
        self._line.close()

    # ---- in bulk ----
    def write_words(self, address: int, words: Sequence[int]) -> None:
        """As `BulkTransport.write_words`."""
        self._transfer([(address, words)], [])

    def read_words(self, address: int, count: int) -> list[int]:
        """As `BulkTransport.read_words`."""
        return self._transfer([], [(address, count)])

    def command(self, writes: Sequence[tuple[int, int]], reads: Sequence[int]) -> list[int]:
        """As `BulkTransport.command`; at most 7 reads, which the bridge keeps while it waits."""
        if len(reads) > _READS_BEHIND_A_WAIT:
            raise ValueError(f"{len(reads)} reads do not fit into the bridge while it waits.")
        self._fill()
        bursts = [(address, [value]) for address, value in writes]
        wanted = [(bridge.WAIT, 1), *((address, 1) for address in reads)]
        return self._transfer(bursts, wanted)[1:]

    # ---- transfers ----
    def _fill(self) -> None:
        """Send entropy until the bridge's buffer is nearly full.

        A core tests a thousand words before it takes the first one, and waits less long for it than
        the bridge may wait for the interrupt.
        """
        for _ in range(_FILLS):
            if self._known.level >= bridge.ENTROPY_WORDS - _FILL_WORDS:
                break
            self._transfer([], [])

    def _transfer(
        self, writes: Sequence[tuple[int, Sequence[int]]], reads: Sequence[tuple[int, int]]
    ) -> list[int]:
        """Writes, then reads, in one block of bytes each way; the words that were read."""
        self.transfers += 1
        left = [burst for address, words in writes for burst in _bursts(address, words)]
        wanted = _pieces(reads)
        refused_writes = self._known.refused_writes
        for _ in range(_ATTEMPTS):
            sums, sent, refused_reads = [self._known.crc], b"", self._known.refused_reads
            for body in self._entropy() + left:  # entropy is never sent a second time
                sums.append(binascii.crc_hqx(body, sums[-1]))
                sent += body + sums[-1].to_bytes(2, "big")
            found = self._attempt(sent, sums[-1], wanted)
            if found is not None:
                if self._known.refused_writes != refused_writes:
                    raise BusError("written", writes[0][0])
                if self._known.refused_reads != refused_reads:
                    raise BusError("read", reads[-1][0])
                return found
            self.repeats += 1
            self._known = self._recover()
            if self._known.crc not in sums:
                break
            left = left[max(0, len(left) - (len(sums) - 1 - sums.index(self._known.crc))) :]
        raise DeviceError(
            f"The serial line loses bytes: a transfer failed up to {_ATTEMPTS} times; check the "
            "cable, that the baud rate is the one the board was built with, and that nobody else "
            "uses or resets the board."
        )

    def _attempt(
        self, sent: bytes, crc: int, wanted: Sequence[tuple[int, int]]
    ) -> list[int] | None:
        """One try: the words, or None when a byte was lost on the way."""
        commands = [_head(bridge.CHECK_READ, count, address) for address, count in wanted]
        commands.append(_head(bridge.CHECK_READ, _STATUS_WORDS, bridge.STATUS))
        sums = [binascii.crc_hqx(body, crc).to_bytes(2, "big") for body in commands]
        self._line.send(sent + b"".join(c + s for c, s in zip(commands, sums, strict=True)))
        count = sum(count for _, count in wanted) + _STATUS_WORDS
        data = self._line.receive(4 * count, self.reply_s)
        if len(data) < 4 * count:
            return None
        words = [int.from_bytes(data[at : at + 4], "big") for at in range(0, 4 * count, 4)]
        known = _known(words[-_STATUS_WORDS:])
        if known.crc != crc or words[-1] != binascii.crc_hqx(data[:-4], self._reply):
            return None
        self._known, self._reply = known, binascii.crc_hqx(data[-4:], bridge.CRC_START)
        return words[:-_STATUS_WORDS]

    def _recover(self) -> _Known:
        """Let the bridge forget what is unfinished; what it says then."""
        for _ in range(_ATTEMPTS):
            self._line.settle()
            self._line.send(_ASK)
            data = self._line.receive(4 * _STATUS_WORDS, self.reply_s)
            if len(data) == 4 * _STATUS_WORDS:
                self._reply = binascii.crc_hqx(data[-4:], bridge.CRC_START)
                words = (int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4))
                return _known(list(words))
        raise DeviceError(
            "No modfab board answers on the serial line; check the cable and the device's name, "
            "that the bitstream is loaded, and that the baud rate is the board's."
        )

    def _entropy(self) -> list[bytes]:
        """A write of fresh words, as many as there is room for and at most a part."""
        count = min(bridge.ENTROPY_WORDS - self._known.level, _FILL_WORDS)
        if count <= 0:
            return []
        return [_head(bridge.CHECK_FIXED, count, bridge.ENTROPY) + os.urandom(4 * count)]


def _head(command: int, count: int, address: int) -> bytes:
    return bytes([command, count]) + (address // 4).to_bytes(4, "big")


_ASK = _head(bridge.READ_INCR, _STATUS_WORDS, bridge.STATUS)


def _bursts(address: int, words: Sequence[int]) -> list[bytes]:
    """Checked writes without their checksums."""
    return [
        _head(bridge.CHECK_INCR, len(part), address + 4 * at)
        + b"".join(word.to_bytes(4, "big") for word in part)
        for at in range(0, len(words), bridge.MAX_BURST)
        for part in [words[at : at + bridge.MAX_BURST]]
    ]


def _pieces(reads: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Reads in bursts that the protocol has."""
    return [
        (address + 4 * at, min(bridge.MAX_BURST, count - at))
        for address, count in reads
        for at in range(0, count, bridge.MAX_BURST)
    ]


def _known(words: Sequence[int]) -> _Known:
    (status, entropy, _), above = words, bridge.REFUSED_SHIFT
    refused = status >> above & bridge.REFUSED_WRITES
    return _Known(status & 0xFFFF, refused, entropy >> above, entropy & 0xFFFF)


def open_serial(place: str) -> SerialTransport:
    """The core of a board on a serial line.

    Args:
        place: PATH or PATH,BAUD.

    Raises:
        UsageError: The rate is not a number, or the system does not have it.
        NoDeviceError: The line cannot be opened.
        DeviceError: No board answers.
    """
    path, comma, rate = place.partition(",")
    if comma and not (rate.isascii() and rate.isdecimal() and len(rate) < 10):
        raise UsageError(
            f"Expected --device serial:PATH,BAUD with a number, but got {place!r}; write for "
            f"example serial:/dev/ttyUSB0,{DEFAULT_BAUD}."
        )
    line = SerialLine(Path(path), int(rate) if comma else DEFAULT_BAUD)
    return SerialTransport(line, line.reply_s)
