# SPDX-License-Identifier: Apache-2.0
"""The daemon: a Unix socket before the job queue."""

from __future__ import annotations

import contextlib
import errno
import json
import select
import selectors
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from modfab.errors import DeviceError, ModfabError, NotWipedError, OperandError, UsageError
from modfab.host.closing import Closing
from modfab.host.key_check import check_private_quickly
from modfab.host.keys import RsaPrivate
from modfab.serve import protocol
from modfab.serve.jobs import Job, JobQueue
from modfab.serve.keyring import Keyring, rejection_seed
from modfab.serve.listener import Listener
from modfab.serve.peer import is_own, peer_of
from modfab.serve.protocol import BusyError, Frame, Operation, Status
from modfab.serve.workers import WorkerPool

MAX_CONNECTIONS = 256
"""Of all clients; one process may have half of them."""
MAX_KEY_BITS = 8192
_ACCEPT_S = 0.2
_EXHAUSTED = errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM
_LOOK_S = 0.2
_DRAIN_S = 2.0
_QUIET_S = 60.0  # a client that says nothing for so long is not waited for


@dataclass(slots=True)
class ServerCounters:
    """Requests since the daemon's start."""

    requests: int = 0
    errors: int = 0
    abandoned: int = 0
    strangers: int = 0


class Server(Closing):
    """Answers requests until it is stopped; a context manager that leaves no socket behind.

    Args:
        path: Of the socket; made with mode 0600.
        keyring: Keys by name.
        pool: The devices.
        queue: Their queue.
        named_only: Refuse keys that a client brings along.

    Raises:
        UsageError: The socket cannot be made, or another daemon answers there.
    """

    def __init__(
        self,
        path: Path,
        keyring: Keyring,
        pool: WorkerPool,
        queue: JobQueue,
        *,
        named_only: bool = False,
    ) -> None:
        self._keyring, self._pool, self._queue = keyring, pool, queue
        self._named_only = named_only
        self.counters = ServerCounters()
        self._begin = time.monotonic()
        self._count = threading.Lock()
        self._links: dict[socket.socket, int] = {}  # with the client's process
        self._listener = Listener(path)
        self._operations: dict[int, Callable[[int, list[bytes], socket.socket], list[bytes]]] = {
            Operation.KEYS: self._keys,
            Operation.PUBLIC: self._public,
            Operation.PRIVATE: self._private,
            Operation.PRIVATE_WITH: self._private_with,
            Operation.REJECTION: self._rejection,
            Operation.HEALTH: self._health,
        }

    def run(self, stop: threading.Event, ready: Callable[[], None] = lambda: None) -> None:
        """Start the devices and answer requests until `stop` is set.

        Raises:
            ModfabError: A device could not be started.
        """
        self._pool.start(self._keyring.widest())
        self._listener.socket.listen(MAX_CONNECTIONS)
        ready()
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener.socket, selectors.EVENT_READ)
            while not stop.is_set():
                if selector.select(_ACCEPT_S):
                    self._accept()

    def close(self) -> None:
        """Answer what waits with an error, zeroize the devices, drop the keys, remove the socket.

        Raises:
            NotWipedError: A device hangs or could not be zeroized.
        """
        self._listener.remove()
        self._queue.close()
        holding = self._pool.stop()
        self._listener.unlock()
        self._keyring.forget()
        with self._count:
            links = list(self._links)
        for link in links:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RD)  # an answer that is on its way still goes out
        self._drain()
        if holding:
            numbers = ", ".join(map(str, holding))
            raise NotWipedError(
                f"Not zeroized, and may still hold a key: device {numbers}, counted from --device "
                "on; it hangs or could not be wiped. Zeroize it, or power it off."
            )

    def _drain(self) -> None:
        """Wait until the connections' threads have sent their last answers."""
        end = time.monotonic() + _DRAIN_S
        while time.monotonic() < end:
            with self._count:
                if not self._links:
                    return
            time.sleep(0.01)

    # ---- connections ----
    def _accept(self) -> None:
        try:
            link, _ = self._listener.socket.accept()
        except OSError as error:
            if error.errno in _EXHAUSTED:  # else the client has gone already
                time.sleep(_ACCEPT_S)  # it still waits, so `select` would return at once
            return
        pid, uid = peer_of(link)
        if not is_own(uid):
            self._add(strangers=1)
            link.close()
            return
        if not self._begin_thread(link, pid):
            busy = BusyError("The daemon has too many connections; close some, or try again later.")
            with contextlib.suppress(OSError):
                link.sendall(_answer_to(busy).encode())
            link.close()

    def _begin_thread(self, link: socket.socket, client: int) -> bool:
        """Let a thread answer a connection; False when there are too many of them."""
        with self._count:
            own = sum(other == client for other in self._links.values())
            if len(self._links) >= MAX_CONNECTIONS or own >= max(1, MAX_CONNECTIONS // 2):
                return False
            self._links[link] = client
        try:
            threading.Thread(target=self._converse, args=(link, client), daemon=True).start()
        except RuntimeError:  # the system has no more threads
            with self._count:
                self._links.pop(link, None)
            return False
        return True

    def _converse(self, link: socket.socket, client: int) -> None:
        """One connection, until the client closes it, breaks the protocol or says nothing."""
        link.settimeout(_QUIET_S)
        try:
            while (request := protocol.receive(link)) is not None:
                link.sendall(self._answer(request, client, link).encode())
        except protocol.ProtocolError as error:
            self._add(errors=1)
            with contextlib.suppress(OSError):
                link.sendall(_answer_to(error).encode())
        except OSError:  # the client has died or is silent; its job, if any, was taken out
            pass
        finally:
            with self._count:
                self._links.pop(link, None)
            link.close()

    def _answer(self, request: Frame, client: int, link: socket.socket) -> Frame:
        self._add(requests=1)
        operation = self._operations.get(request.code)
        try:
            if operation is None:
                raise UsageError(
                    f"Expected an operation from 1 to {max(Operation)}, but got {request.code}; "
                    "use a client of the daemon's release."
                )
            return Frame(Status.OK, tuple(operation(client, list(request.fields), link)))
        except ModfabError as error:
            self._add(errors=1)
            return _answer_to(error)

    # ---- operations ----
    def _keys(self, client: int, fields: list[bytes], link: socket.socket) -> list[bytes]:
        _expect(fields, 0)
        return [name.encode() for name in self._keyring.names()]

    def _public(self, client: int, fields: list[bytes], link: socket.socket) -> list[bytes]:
        key = self._named(_expect(fields, 1)[0])
        return [protocol.number(key.n), protocol.number(key.e)]

    def _private(self, client: int, fields: list[bytes], link: socket.socket) -> list[bytes]:
        name, base = _expect(fields, 2)
        return self._compute(client, self._named(name), base, link)

    def _private_with(self, client: int, fields: list[bytes], link: socket.socket) -> list[bytes]:
        n, e, d, p, q = protocol.numbers(_expect(fields, 6)[:5])
        if self._named_only:
            raise OperandError(
                "This daemon takes only keys of its own folder; use one of them as modfab:NAME."
            )
        if max(n, p, q).bit_length() > MAX_KEY_BITS or not e:
            raise OperandError(
                f"Expected an RSA key of at most {MAX_KEY_BITS} bits with its public exponent, but "
                "got a longer one or none; check the key."
            )
        key = RsaPrivate(n=n, e=e, d=d, p=p, q=q)
        check_private_quickly(key)  # a device would count a wrong key as a fault of its own
        return self._compute(client, key, fields[5], link)

    def _rejection(self, client: int, fields: list[bytes], link: socket.socket) -> list[bytes]:
        name, ciphertext = _expect(fields, 2)
        key = self._named(name)
        if len(ciphertext) != key.num_bytes:
            raise UsageError(
                f"Expected a ciphertext of {key.num_bytes} bytes, but got {len(ciphertext)}."
            )
        return [rejection_seed(key, ciphertext)]

    def _health(self, client: int, fields: list[bytes], link: socket.socket) -> list[bytes]:
        _expect(fields, 0)
        with self._count:
            report = {
                "protocol": protocol.VERSION,
                "uptime_s": round(time.monotonic() - self._begin, 3),
                "keys": len(self._keyring.names()),
                "waiting": len(self._queue),
                "connections": len(self._links),
                **asdict(self.counters),
                "devices": self._pool.states(),
            }
        return [json.dumps(report).encode()]

    # ---- steps ----
    def _named(self, name: bytes) -> RsaPrivate:
        return self._keyring.get(name.decode(errors="replace"))

    def _compute(
        self, client: int, key: RsaPrivate, base: bytes, link: socket.socket
    ) -> list[bytes]:
        value = int.from_bytes(base, "big")
        if value >= key.n:
            raise OperandError("Expected a number below the modulus of the key; reduce it first.")
        job = Job(client, key, value)
        self._queue.put(job)
        while not job.done.wait(_LOOK_S):
            if _is_gone(link):
                self._queue.remove(job)
                self._add(abandoned=1)
                raise ConnectionError
        if job.error is not None:
            raise job.error
        if job.result is None:
            raise DeviceError("The job ended without a result; this is a bug, please report it.")
        done = job.result
        return [
            done.value.to_bytes(key.num_bytes, "big"),
            done.exp_cycles.to_bytes(8, "big"),
            done.setup_cycles.to_bytes(8, "big"),
        ]

    def _add(
        self, *, requests: int = 0, errors: int = 0, abandoned: int = 0, strangers: int = 0
    ) -> None:
        with self._count:
            self.counters.requests += requests
            self.counters.errors += errors
            self.counters.abandoned += abandoned
            self.counters.strangers += strangers


def _answer_to(error: ModfabError) -> Frame:
    text = str(error).encode(errors="backslashreplace")  # a path may hold what is no text
    return Frame(protocol.status_of(error), (text[:1024],))


def _expect(fields: list[bytes], count: int) -> list[bytes]:
    if len(fields) != count:
        raise UsageError(
            f"Expected {count} fields for this operation, but got {len(fields)}; the client has to "
            "be repaired."
        )
    return fields


def _is_gone(link: socket.socket) -> bool:
    """Closed by the client, who may have ended its own sending before and still wait."""
    poller = select.poll()
    poller.register(link, 0)  # POLLHUP and POLLERR are told anyway
    return bool(poller.poll(0))
