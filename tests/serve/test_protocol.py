# SPDX-License-Identifier: Apache-2.0
"""Frames: what ends in the middle of one, what a daemon of another release may say, secrets."""

from __future__ import annotations

import random
import socket
from pathlib import Path

import pytest

from modfab.errors import DeviceError, NoDeviceError
from modfab.serve.client import Client
from modfab.serve.jobs import Job, PrivateResult
from modfab.serve.protocol import (
    MAX_FRAME_BYTES,
    Frame,
    Operation,
    ProtocolError,
    Status,
    decode,
    error_of,
    receive,
)
from tests.support.daemon import short_key
from tests.support.false_daemon import answers
from tests.support.rsa_keys import ours


def received(data: bytes) -> Frame | None:
    """What comes of these bytes, behind which the peer closes."""
    near, far = socket.socketpair()
    with near, far:
        far.sendall(data)
        far.shutdown(socket.SHUT_WR)
        return receive(near)


def test_a_frame_that_is_cut_anywhere_is_none() -> None:
    """A cut frame is refused, even where its beginning is a frame of fewer fields."""
    frame = Frame(Operation.PRIVATE, (b"web", b"", b"\5"))
    whole = frame.encode()
    assert received(whole) == frame
    assert received(b"") is None
    for length in range(1, len(whole)):
        with pytest.raises(ProtocolError):
            received(whole[:length])


@pytest.mark.parametrize("length", [0, 1, MAX_FRAME_BYTES + 1])
def test_no_frame_has_such_a_length(length: int) -> None:
    with pytest.raises(ProtocolError, match="Expected a frame of 2 to 65536 bytes"):
        received(length.to_bytes(4, "big"))


def test_another_version() -> None:
    with pytest.raises(ProtocolError, match="must be of the same release"):
        decode(b"\2\1")


@pytest.mark.parametrize("body", [b"\1\3\0", b"\1\3\0\1", b"\1\3\0\1a\0", b"\1\3\xff\xff"])
def test_fields_fill_their_frame(body: bytes) -> None:
    with pytest.raises(ProtocolError, match="longer than its frame"):
        decode(body)


def test_an_unknown_status_is_an_error_of_the_device() -> None:
    error = error_of(Frame(len(Status) + 90, (b"Something new.",)))
    assert (type(error), str(error)) == (DeviceError, "Something new.")
    assert str(error_of(Frame(Status.OK))) == "no reason was given."


def test_no_secret_is_shown(rng: random.Random) -> None:
    key = ours(short_key(rng, 128))
    fields = tuple(part.to_bytes(16, "big") for part in (key.n, key.e, key.d, key.p, key.q))
    shown = [repr(Frame(Operation.PRIVATE_WITH, fields)), repr(key)]
    shown += [repr(Job(1, key, key.d)), repr(PrivateResult(key.d, 1, 1))]
    assert shown[:2] == ["Frame(code=4, 5 fields)", f"RsaPrivate({key.num_bits} bits)"]
    for text in shown:
        for secret in (key.d, key.p, key.q):
            assert str(secret) not in text
            assert f"{secret:x}" not in text


@pytest.mark.parametrize("fields", [(), (b"\5",), (b"\5",) * 4])
def test_an_answer_of_another_number_of_fields_is_none(
    fields: tuple[bytes, ...], tmp_path: Path
) -> None:
    path = tmp_path / "s"
    answer = Frame(Status.OK, fields).encode()
    with answers(path, [answer, answer]):
        client = Client(path, patience_s=0)
        with pytest.raises(NoDeviceError, match="fields instead of 3"):
            client.private("web", 5)
        with pytest.raises(NoDeviceError, match="fields instead of 2"):
            client.public("web")
