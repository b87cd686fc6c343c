# SPDX-License-Identifier: Apache-2.0
"""What the daemon gives up: clients beyond its number, silent ones, keys at its end, and no job."""

from __future__ import annotations

import contextlib
import errno
import functools
import socket
import threading
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from modfab.errors import DeviceError, NoDeviceError, OperandError
from modfab.host.keys import RsaPrivate
from modfab.serve import client as client_module
from modfab.serve import protocol, server
from modfab.serve.client import Client
from modfab.serve.jobs import Job, JobQueue, PrivateResult
from modfab.serve.keyring import Keyring
from modfab.serve.protocol import Frame, Operation, Status
from modfab.serve.workers import DeviceCounters, Limits, Worker, WorkerPool
from tests.support.daemon import QUICK, PythonUnit, daemon, shared_short_key, wait_for
from tests.support.false_daemon import answers, false_daemon
from tests.support.rsa_keys import ours


def device(client: Client) -> dict[str, Any]:
    found = client.health()["devices"]
    assert isinstance(found, list)
    only: dict[str, Any] = found[0]
    return only


def test_too_many_clients_and_silent_ones(
    path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon says that it is busy, and does not wait for ever for one that says nothing."""
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 1)
    with daemon(path, keys) as client, socket.socket(socket.AF_UNIX) as first:
        first.connect(str(path))
        first.sendall(Frame(Operation.KEYS).encode())
        assert protocol.receive(first) == Frame(Status.OK, (b"web",))
        with socket.socket(socket.AF_UNIX) as second:
            second.connect(str(path))
            answer = protocol.receive(second)
            assert answer is not None
            assert answer.code == Status.BUSY
        first.close()
        assert client.keys() == ["web"], "it asks again"
        monkeypatch.setattr(server, "MAX_CONNECTIONS", 9)
        monkeypatch.setattr(server, "_QUIET_S", 0.01)
        with socket.socket(socket.AF_UNIX) as silent:
            silent.settimeout(30)
            silent.connect(str(path))
            assert silent.recv(1) == b""


def trickle(link: socket.socket, data: bytes) -> None:
    for byte in data:
        link.sendall(bytes([byte]))
        time.sleep(0.01)


def test_a_client_that_trickles_its_request_loses_its_place(
    path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is that of the whole frame: a byte now and then does not prolong it."""
    monkeypatch.setattr(server, "_QUIET_S", 0.5)
    with daemon(path, keys) as client, socket.socket(socket.AF_UNIX) as link:
        link.connect(str(path))
        with pytest.raises(ConnectionError):
            trickle(link, (4096).to_bytes(4, "big") + bytes(4096))
        wait_for(lambda: client.health()["connections"] == 1)


def test_one_process_has_half_of_the_connections(
    path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 4)
    with daemon(path, keys), contextlib.ExitStack() as held:
        for wanted in (Status.OK, Status.OK, Status.BUSY):
            link = held.enter_context(socket.socket(socket.AF_UNIX))
            link.connect(str(path))
            with contextlib.suppress(OSError):  # it is closed already where it is refused
                link.sendall(Frame(Operation.KEYS).encode())
            answer = protocol.receive(link)
            assert answer is not None
            assert answer.code == wanted


def test_a_system_without_threads(path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon says that it is busy, and goes on."""

    class NoThread(threading.Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    with daemon(path, keys) as client, socket.socket(socket.AF_UNIX) as link:
        with monkeypatch.context() as patch:
            patch.setattr(server, "threading", SimpleNamespace(Thread=NoThread))
            link.settimeout(30)
            link.connect(str(path))
            answer = protocol.receive(link)
            assert answer is not None
            assert answer.code == Status.BUSY
            assert link.recv(1) == b""
        assert client.health()["connections"] == 1
    assert not path.exists()


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_a_system_without_descriptors(
    path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The daemon pauses before it tries again to take a connection, and takes it then."""
    pauses: list[float] = []
    accept, failures = socket.socket.accept, iter([True] * 3)

    def fails(listener: socket.socket) -> tuple[socket.socket, Any]:
        if next(failures, False):
            raise OSError(number, "no descriptors")
        return accept(listener)

    clock = SimpleNamespace(monotonic=time.monotonic, sleep=pauses.append)
    with daemon(path, keys) as client:
        with monkeypatch.context() as patch:
            patch.setattr(server, "time", clock)
            patch.setattr(socket.socket, "accept", fails)
            assert client.keys() == ["web"]
        assert pauses == [server._ACCEPT_S] * 3


def test_a_client_that_has_ended_its_sending_gets_its_answer(
    path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, looked, release = count(), threading.Event(), threading.Event()
    is_gone = server._is_gone

    def before(base: int) -> int:
        if next(calls) == 1:
            release.wait()
        return base

    def look(link: socket.socket) -> bool:
        gone = is_gone(link)
        looked.set()
        return gone

    monkeypatch.setattr(server, "_is_gone", look)
    opener = functools.partial(PythonUnit, before)
    with daemon(path, keys, opener) as client, socket.socket(socket.AF_UNIX) as link:
        link.settimeout(30)
        link.connect(str(path))
        link.sendall(Frame(Operation.PRIVATE, (b"web", b"\x05")).encode())
        link.shutdown(socket.SHUT_WR)
        assert looked.wait(60)
        release.set()
        answer = protocol.receive(link)
        assert answer is not None
        assert answer.code == Status.OK
        assert protocol.receive(link) is None
        assert client.health()["abandoned"] == 0


def test_an_error_of_any_length_is_an_answer() -> None:
    answer = server._answer_to(DeviceError("x" * (1 << 17)))
    assert protocol.decode(answer.encode()[4:]) == answer


def test_an_error_that_is_no_text_is_an_answer(path: Path, keys: Path) -> None:
    """The path of a device may have bytes that are no UTF-8."""
    calls = count()

    def before(base: int) -> int:
        if next(calls) > 0:
            raise NoDeviceError("/dev/\udcff cannot be opened.")  # the byte 0xff
        return base

    with daemon(path, keys, lambda: PythonUnit(before)) as client:
        with pytest.raises(DeviceError, match=r"the last: /dev/\\udcff cannot be opened\."):
            client.private("web", 5)
        assert (client.health()["requests"], device(client)["faults"]) == (2, QUICK.tries)


def test_the_end_forgets_the_keys(path: Path, keys: Path) -> None:
    ring, queue = Keyring(keys), JobQueue()
    with server.Server(path, ring, WorkerPool([PythonUnit], queue, QUICK), queue):
        assert ring.names() == ["web"]
    assert ring.names() == []


def test_a_device_that_leaves_results_out_loses_no_job(path: Path, keys: Path) -> None:
    class Short(PythonUnit):
        batch = 3

        def exponentiate(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
            return super().exponentiate(key, bases)[:1]

    key, queue = ours(shared_short_key(512)), JobQueue()
    jobs = [Job(number, key, number) for number in (2, 3, 4)]
    for job in jobs:
        queue.put(job)
    with daemon(path, keys, Short, queue=queue) as client:
        for job in jobs:
            assert job.done.wait(60)
        assert [job.result and job.result.value for job in jobs] == [
            pow(job.base, key.d, key.n) for job in jobs
        ]
        assert device(client)["faults"] == 1


def test_what_a_device_refuses_is_no_fault(path: Path, keys: Path) -> None:
    calls = count()

    def before(base: int) -> int:
        if next(calls) == 1:
            raise OperandError("The core takes other keys.")
        return base

    with daemon(path, keys, lambda: PythonUnit(before)) as client:
        with pytest.raises(OperandError, match=r"The core takes other keys\."):
            client.private("web", 5)
        assert client.private("web", 5).value
        assert (device(client)["faults"], device(client)["jobs"]) == (0, 1)


@pytest.mark.parametrize("status", [Status.BUSY, Status.STOPPING])
def test_a_client_asks_again_what_has_no_time_for_it(path: Path, status: Status) -> None:
    answer = Frame(status, (b"Later.",)).encode()
    with (
        false_daemon(path, answer) as requests,
        pytest.raises(NoDeviceError, match=r"No daemon gave an answer at .*\(Later\.\)"),
    ):
        Client(path, patience_s=0.2).keys()
    assert len(requests) > 1


def test_patience_begins_with_the_first_failure(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour goes by before each look at the clock."""
    clock = SimpleNamespace(monotonic=count(step=3600).__next__, sleep=lambda seconds: None)
    monkeypatch.setattr(client_module, "time", clock)
    script = [Frame(Status.STOPPING).encode(), Frame(Status.OK, (b"web",)).encode()]
    with answers(path, script):
        assert Client(path, patience_s=60).keys() == ["web"]


class Recorded(PythonUnit):
    """Takes three jobs at a time, notes them, and fails so many times."""

    batch = 3

    def __init__(self, failures: int) -> None:
        super().__init__()
        self._left = failures
        self.asked: list[list[int]] = []

    def exponentiate(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
        self.asked.append(list(bases))
        if len(bases) > 1 or self.batch == 1:
            self._left -= 1
            if self._left >= 0:
                raise DeviceError("The core is gone.")
        return super().exponentiate(key, bases)


def jobs_of(*bases: int) -> tuple[JobQueue, list[Job]]:
    queue, key = JobQueue(), ours(shared_short_key(512))
    jobs = [Job(1, key, base) for base in bases]
    for job in jobs:
        queue.put(job)
    return queue, jobs


def test_jobs_that_are_sent_again_keep_their_order() -> None:
    unit, (queue, jobs) = Recorded(failures=1), jobs_of(2, 3, 4, 5)
    worker = Worker(lambda: unit, queue, QUICK, DeviceCounters())
    worker.start()
    assert all(job.done.wait(60) for job in jobs)
    worker.stop(60)
    assert unit.asked == [[2], [3, 4, 5], [3], [4, 5]]


def test_a_job_that_nobody_waits_for_is_not_sent_again() -> None:
    """Neither where it waits nor where a device has it in hand."""
    queue, (first, second) = jobs_of(2, 3)
    (taken,) = queue.take(None, 1, 0)
    assert taken is first
    assert not queue.remove(first)
    queue.put(first, again=True)
    assert len(queue) == 1
    assert queue.remove(second)
    assert len(queue) == 0


def test_a_faulted_job_does_not_wait_for_the_wipe_of_its_device() -> None:
    released = threading.Event()

    class Slow(PythonUnit):
        def exponentiate(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
            raise DeviceError("The core is gone.")

        def close(self) -> None:
            closing.set()
            assert released.wait(60)
            super().close()

    closing = threading.Event()
    queue, (job,) = jobs_of(2)
    slow, quick = (Worker(unit, queue, QUICK, DeviceCounters()) for unit in (Slow, PythonUnit))
    slow.start()
    assert closing.wait(60)
    quick.start()
    assert job.done.wait(60)
    assert job.result is not None
    released.set()
    for worker in (slow, quick):
        worker.stop(60)


def test_a_device_that_fails_is_opened_again_after_longer_and_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    class Watch(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            if timeout is None:
                return super().wait()
            pauses.append(timeout)
            return self.is_set()

    unit, (queue, jobs) = Recorded(failures=9), jobs_of(2)
    monkeypatch.setattr(unit, "batch", 1)
    monkeypatch.setattr("modfab.serve.workers.threading.Event", Watch)
    worker = Worker(lambda: unit, queue, Limits(tries=9, pause_s=0.1), DeviceCounters())
    worker.start()
    assert jobs[0].done.wait(60)
    worker.stop(60)
    assert jobs[0].error is not None
    assert pauses == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0])


def test_a_daemon_that_never_answers(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        with pytest.raises(NoDeviceError, match=r"gave no answer within 0\.01 s"):
            Client(path, timeout_s=0.01, patience_s=3600).keys()
