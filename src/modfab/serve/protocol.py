# SPDX-License-Identifier: Apache-2.0
"""The frames between the daemon and its clients; docs/openssl.md has them as a table.

A frame is a length of 32 bits, then so many bytes: version, code, fields. The code of a request is
an operation, that of an answer a status. A field is a length of 16 bits and its bytes. All lengths
and numbers are unsigned and big-endian. An answer with another status than OK has one field, a
sentence in UTF-8.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from modfab.errors import CryptoError, DeviceError, ModfabError, OperandError, UsageError

VERSION = 1
MAX_FRAME_BYTES = 1 << 16
_HEAD_BYTES = 4


class Operation(IntEnum):
    """What a client asks for, with its fields and those of the answer."""

    KEYS = 1
    """Names of the keys: no field; a field for each name."""
    PUBLIC = 2
    """Public half of a key: name; n, e."""
    PRIVATE = 3
    """base^d mod n: name, base; result, cycles of the operation, cycles of the key's set-up."""
    PRIVATE_WITH = 4
    """The same with a key that the client has: n, e, d, p, q, base; as PRIVATE."""
    REJECTION = 5
    """Seed of the message for a wrong PKCS#1 v1.5 padding: name, ciphertext; 32 bytes."""
    HEALTH = 6
    """State and counters: no field; one field with a JSON object."""


class Status(IntEnum):
    """How a request ended."""

    OK = 0
    BAD_REQUEST = 1
    NO_KEY = 2
    REFUSED = 3
    DEVICE = 4
    BUSY = 5
    STOPPING = 6


class ProtocolError(ModfabError):
    """Bytes that are no frame of this protocol; the connection cannot go on."""


class NoKeyError(CryptoError):
    """The daemon has no key of this name."""


class BusyError(DeviceError):
    """The daemon has too much to do; a later attempt may succeed."""


class StoppingError(DeviceError):
    """The daemon is stopping; the job may be sent to the next one."""


_ERRORS: dict[Status, type[ModfabError]] = {
    Status.BAD_REQUEST: UsageError,
    Status.NO_KEY: NoKeyError,
    Status.REFUSED: OperandError,
    Status.DEVICE: DeviceError,
    Status.BUSY: BusyError,
    Status.STOPPING: StoppingError,
}


@dataclass(frozen=True, slots=True, repr=False)
class Frame:
    """Code and fields of a request or an answer; its repr shows no field."""

    code: int
    fields: tuple[bytes, ...] = ()

    def __repr__(self) -> str:
        return f"Frame(code={self.code}, {len(self.fields)} fields)"

    def encode(self) -> bytes:
        """The bytes on the socket.

        >>> Frame(2, (b"web",)).encode().hex()
        '0000000701020003776562'
        """
        body = bytes([VERSION, self.code])
        for field in self.fields:
            body += len(field).to_bytes(2, "big") + field
        return len(body).to_bytes(_HEAD_BYTES, "big") + body


def decode(body: bytes) -> Frame:
    """The frame of the bytes behind a length.

    Raises:
        ProtocolError: Another version, or fields that do not fill the frame.

    >>> decode(Frame(3, (b"a", b"")).encode()[4:]).fields
    (b'a', b'')
    """
    if len(body) < 2 or body[0] != VERSION:
        raise ProtocolError(
            f"Expected a frame of version {VERSION}, but got something else; client and daemon "
            "must be of the same release."
        )
    fields, at = [], 2
    while at < len(body):
        start = at + 2
        at = start + int.from_bytes(body[at:start], "big")
        if at > len(body):
            raise ProtocolError("A field is longer than its frame; the client has to be repaired.")
        fields.append(body[start:at])
    return Frame(body[1], tuple(fields))


def receive(link: socket.socket) -> Frame | None:
    """The next frame, within the time set for the socket; None when the peer has closed instead.

    Raises:
        ProtocolError: The bytes are no frame, or end in the middle of one.
        OSError: The connection broke, or the time is over.
    """
    limit_s = link.gettimeout()
    try:
        return _receive(link, None if limit_s is None else time.monotonic() + limit_s)
    finally:
        link.settimeout(limit_s)


def _receive(link: socket.socket, end: float | None) -> Frame | None:
    head = _receive_bytes(link, _HEAD_BYTES, end)
    if not head:
        return None
    length = int.from_bytes(head, "big")
    if len(head) < _HEAD_BYTES or not 2 <= length <= MAX_FRAME_BYTES:
        raise ProtocolError(
            f"Expected a frame of 2 to {MAX_FRAME_BYTES} bytes, but got another length; the peer "
            "does not speak this protocol."
        )
    body = _receive_bytes(link, length, end)
    if len(body) < length:
        raise ProtocolError("The connection ended in the middle of a frame; try again.")
    return decode(body)


def _receive_bytes(link: socket.socket, count: int, end: float | None) -> bytes:
    """As many bytes, or those before the peer's end; `end` is on the monotonic clock."""
    parts = b""
    while len(parts) < count:
        if end is not None:
            left_s = end - time.monotonic()
            if left_s <= 0:
                raise TimeoutError
            link.settimeout(left_s)
        part = link.recv(count - len(parts))
        if not part:
            break
        parts += part
    return parts


def status_of(error: ModfabError) -> Status:
    """The status that stands for an error.

    >>> status_of(NoKeyError("")), status_of(DeviceError("")), status_of(OperandError(""))
    (<Status.NO_KEY: 2>, <Status.DEVICE: 4>, <Status.REFUSED: 3>)
    """
    for status, kind in _ERRORS.items():
        if type(error) is kind:
            return status
    return Status.BAD_REQUEST if isinstance(error, ProtocolError | UsageError) else Status.DEVICE


def error_of(frame: Frame) -> ModfabError:
    """The error that an answer stands for."""
    known = set(Status) - {Status.OK}
    kind = _ERRORS[Status(frame.code)] if frame.code in known else DeviceError
    text = frame.fields[0].decode(errors="replace") if frame.fields else "no reason was given."
    return kind(text)


def number(value: int) -> bytes:
    """A number as a field.

    >>> number(0), number(65537).hex()
    (b'', '010001')
    """
    return value.to_bytes(-(-value.bit_length() // 8), "big")


def numbers(fields: Sequence[bytes]) -> list[int]:
    """Fields as numbers."""
    return [int.from_bytes(field, "big") for field in fields]
