# SPDX-License-Identifier: Apache-2.0
"""A client of the daemon; a connection for each request, so that threads and forks are safe."""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path

from modfab.errors import NoDeviceError
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.serve import protocol
from modfab.serve.jobs import PrivateResult
from modfab.serve.peer import is_own, peer_of
from modfab.serve.protocol import BusyError, Frame, Operation, Status, StoppingError

SOCKET_VARIABLE = "MODFAB_SOCKET"
_PAUSE_S = 0.05


def default_socket() -> Path:
    """`$MODFAB_SOCKET`, `modfab.sock` in `$XDG_RUNTIME_DIR`, or /run/modfab.sock."""
    chosen = os.environ.get(SOCKET_VARIABLE)
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_RUNTIME_DIR") or "/run") / "modfab.sock"


class Client:
    """Requests to one daemon.

    Args:
        path: Its socket.
        timeout_s: Seconds to wait for an answer.
        patience_s: Seconds from the first failure, during which a daemon that is away, stopping or
            too busy is asked again.
    """

    def __init__(self, path: Path, timeout_s: float = 300.0, patience_s: float = 5.0) -> None:
        self._path, self._timeout_s, self._patience_s = path, timeout_s, patience_s

    def keys(self) -> list[str]:
        """Names of the daemon's keys."""
        return [name.decode() for name in self._ask(Operation.KEYS)]

    def public(self, name: str) -> RsaPublic:
        """Public half of a key; NoKeyError when there is none."""
        n, e = protocol.numbers(self._ask(Operation.PUBLIC, name.encode(), count=2))
        return RsaPublic(n=n, e=e)

    def private(self, key: str | RsaPrivate, base: int) -> PrivateResult:
        """base^d mod n with a key of the daemon, or with one that is sent along.

        Raises:
            OperandError: The key or the base is refused.
            DeviceError: No device gave a result, no daemon answers, or another user's process does.
        """
        if isinstance(key, str):
            fields = self._ask(Operation.PRIVATE, key.encode(), protocol.number(base), count=3)
        else:
            parts = [protocol.number(part) for part in (key.n, key.e, key.d, key.p, key.q, base)]
            fields = self._ask(Operation.PRIVATE_WITH, *parts, count=3)
        value, cycles, setup = protocol.numbers(fields)
        return PrivateResult(value, cycles, setup)

    def rejection_seed(self, name: str, ciphertext: bytes) -> bytes:
        """As `modfab.serve.keyring.rejection_seed`, by the daemon."""
        return self._ask(Operation.REJECTION, name.encode(), ciphertext, count=1)[0]

    def health(self) -> dict[str, object]:
        """State and counters."""
        report: dict[str, object] = json.loads(self._ask(Operation.HEALTH, count=1)[0])
        return report

    def _ask(
        self, operation: Operation, *fields: bytes, count: int | None = None
    ) -> tuple[bytes, ...]:
        """The fields of the answer: as many as `count` says, or any number."""
        request = Frame(operation, fields).encode()
        end = None  # of the patience, which begins with the first failure
        while True:
            try:
                return self._ask_once(request, count)
            except TimeoutError as error:
                raise NoDeviceError(
                    f"The daemon at {self._path} gave no answer within {self._timeout_s:g} s; see "
                    "its state with modfab serve --health."
                ) from error
            except (OSError, protocol.ProtocolError, StoppingError, BusyError) as error:
                now = time.monotonic()
                end = now + self._patience_s if end is None else end
                if now >= end:
                    raise NoDeviceError(
                        f"No daemon gave an answer at {self._path} ({error}); start one with "
                        "modfab serve, or check the path."
                    ) from error
                time.sleep(_PAUSE_S)

    def _ask_once(self, request: bytes, count: int | None) -> tuple[bytes, ...]:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(self._timeout_s)
            try:
                link.connect(str(self._path))
            except PermissionError as error:
                raise NoDeviceError(
                    f"You may not use the socket {self._path}; use that of a daemon of your own "
                    f"user, after --socket or in {SOCKET_VARIABLE}."
                ) from error
            self._check_peer(link)
            link.sendall(request)
            answer = protocol.receive(link)
        if answer is None:
            raise ConnectionError("the daemon closed the connection")
        if answer.code != Status.OK:
            raise protocol.error_of(answer)
        if count not in (None, len(answer.fields)):
            raise protocol.ProtocolError(f"{len(answer.fields)} fields instead of {count}")
        return answer.fields

    def _check_peer(self, link: socket.socket) -> None:
        """Nothing is sent to another user's process: a request may hold a key."""
        _, uid = peer_of(link)
        if not is_own(uid):
            raise NoDeviceError(
                f"What listens at {self._path} belongs to another user (uid {uid}), so nothing was "
                "sent; use the socket of a daemon of your own user or of root, after --socket or "
                f"in {SOCKET_VARIABLE}."
            )
