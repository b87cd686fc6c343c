# SPDX-License-Identifier: Apache-2.0
"""The daemon: operations, wrong requests, faults, hangs, clients that die, its end."""

from __future__ import annotations

import random
import socket
import stat
import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from math import lcm
from pathlib import Path
from typing import Any

import pytest

from modfab.errors import DeviceError, ModfabError, OperandError, UsageError
from modfab.host.keys import RsaPrivate
from modfab.serve import protocol, server
from modfab.serve.client import Client
from modfab.serve.jobs import JobQueue, PrivateResult
from modfab.serve.protocol import Frame, NoKeyError, Operation, Status
from modfab.serve.workers import Limits
from tests.support.daemon import (
    PythonUnit,
    daemon,
    key_folder,
    may_hold_a_key,
    shared_short_key,
    short_key,
    wait_for,
)
from tests.support.rsa_keys import ours


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return key_folder(tmp_path / "keys", web=shared_short_key(512), mail=shared_short_key(1024))


def devices(client: Client) -> list[dict[str, Any]]:
    found = client.health()["devices"]
    assert isinstance(found, list)
    return found


def test_operations(path: Path, keys: Path, rng: random.Random) -> None:
    web, mail = ours(shared_short_key(512)), ours(shared_short_key(1024))
    own = ours(short_key(rng, 512))
    with daemon(path, keys) as client:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert client.keys() == ["mail", "web"]
        assert client.public("web") == web.public()
        for name, key in (("web", web), ("mail", mail), (own, own)):
            base = rng.randrange(key.n)
            result = client.private(name, base)
            assert (result.value, result.exp_cycles) == (pow(base, key.d, key.n), 1000)
        report = client.health()
        assert (report["keys"], report["waiting"], report["errors"]) == (2, 0, 0)
        [device] = devices(client)
        assert (device["state"], device["jobs"], device["cycles"]) == ("idle", 3, 3 * 1010)
        # warmed with the widest key, then web, mail, own
        assert device["key_loads"] == 4
    assert not path.exists()


def of_a_composite(key: RsaPrivate) -> RsaPrivate:
    """As the key with a product of two primes in the place of p; e and d belong together."""
    p, q = key.p * ours(shared_short_key(128)).p, key.q
    return RsaPrivate(n=p * q, e=key.e, d=pow(key.e, -1, lcm(p - 1, q - 1)), p=p, q=q)


def test_refusals(path: Path, keys: Path) -> None:
    key = ours(shared_short_key(512))
    long = (1 << server.MAX_KEY_BITS // 2) + 1
    wrong = [
        (replace(key, q=key.q + 2), "n must be the product"),
        (replace(key, e=key.e + 1), "e must be odd"),
        (replace(key, e=1), "e must be odd"),
        (replace(key, e=0), "public exponent"),
        (replace(key, e=key.n + 2), "e must be odd"),
        # as good, and longer than n
        (replace(key, d=key.d + (key.p - 1) * (key.q - 1) * key.e), "d must be above 0 and below"),
        (replace(key, d=key.d ^ 2), "e d must be 1 modulo"),
        (of_a_composite(key), "p and q must be primes"),
        (replace(key, p=0, q=0), "p and q must be odd"),
        (replace(key, n=long * long, p=long, q=long), "at most 8192 bits"),
    ]
    unit = PythonUnit()
    with daemon(path, keys, lambda: unit) as client:
        with pytest.raises(NoKeyError, match="no key of this name"):
            client.public("none")
        with pytest.raises(OperandError, match="below the modulus"):
            client.private("web", key.n)
        for one, text in wrong:
            with pytest.raises(OperandError, match=text):
                client.private(one, 5)
        with pytest.raises(UsageError, match="ciphertext of 64 bytes"):
            client.rejection_seed("web", b"short")
        assert client.health()["errors"] == 3 + len(wrong)
        [device] = devices(client)
        assert (device["jobs"], device["faults"], device["key_loads"]) == (0, 0, 1)
        assert unit.closed == 0, "no key of a client takes the others out of the device"


def test_named_only(path: Path, keys: Path) -> None:
    """The daemon refuses a key of a client, and closes an idle connection when it stops."""
    with socket.socket(socket.AF_UNIX) as silent:
        with daemon(path, keys, named_only=True) as client:
            silent.connect(str(path))
            assert client.private("web", 5).value
            with pytest.raises(OperandError, match="only keys of its own folder"):
                client.private(ours(shared_short_key(512)), 5)
        silent.settimeout(30)
        assert silent.recv(1) == b""


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\0\0\0\x02\x07\x01", "version"),
        (b"\0\0\0\x05\x01\x03\0\x09a", "longer than its frame"),
        (b"\0\0\0\x03\x01\x03\0", "longer than its frame"),
        (b"\xff\xff\xff\xff", "another length"),
        (b"\0\0\0\x01\x01", "another length"),
        (Frame(99).encode(), "operation"),
        (Frame(Operation.PRIVATE, (b"web",)).encode(), "Expected 2 fields"),
    ],
)
def test_wrong_bytes_get_an_answer(path: Path, keys: Path, raw: bytes, text: str) -> None:
    with daemon(path, keys) as client, socket.socket(socket.AF_UNIX) as link:
        link.connect(str(path))
        link.sendall(raw)
        answer = protocol.receive(link)
        assert answer is not None
        assert answer.code == Status.BAD_REQUEST
        assert text in str(protocol.error_of(answer))
        assert client.private("web", 5).value


def test_random_bytes_do_no_harm(path: Path, keys: Path, rng: random.Random) -> None:
    with daemon(path, keys) as client:
        for _ in range(40):
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(str(path))
                link.sendall(rng.randbytes(rng.randrange(1, 40)))
        assert client.private("web", 5).value
        wait_for(lambda: client.health()["connections"] == 1)


def test_a_fault_is_caught_and_the_job_sent_again(path: Path, keys: Path) -> None:
    calls = count()
    faulty = {1, 2}  # call 0 warms the device
    key = ours(shared_short_key(512))

    def before(base: int) -> int:
        number = next(calls)
        if number == 3:
            raise DeviceError("The core refused.")
        return base ^ (number in faulty)

    with daemon(path, keys, lambda: PythonUnit(before)) as client:
        assert client.private("web", 5).value == pow(5, key.d, key.n)
        [device] = devices(client)
        assert (device["jobs"], device["faults"], device["state"]) == (1, 3, "idle")


def test_a_device_that_is_always_wrong(path: Path, keys: Path) -> None:
    calls = count()
    with daemon(path, keys, lambda: PythonUnit(lambda base: base ^ (next(calls) > 0))) as client:
        with pytest.raises(DeviceError, match=r"after 4 tries.*wrong result"):
            client.private("web", 5)
        assert devices(client)[0]["faults"] == 4


class HighUnit(PythonUnit):
    """Its results are n too high, but for the first one after it was opened."""

    def exponentiate(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
        first = self._key is None
        results = super().exponentiate(key, bases)
        return results if first else [replace(it, value=it.value + key.n) for it in results]


def test_a_result_that_is_n_too_high_is_wrong(path: Path, keys: Path) -> None:
    """The first result warms the device; the job's is refused, and the device opened anew."""
    key = ours(shared_short_key(512))
    with daemon(path, keys, HighUnit) as client:
        assert client.private("web", 5).value == pow(5, key.d, key.n)
        assert devices(client)[0]["faults"] == 1


def test_a_driver_that_crashes_keeps_its_thread(path: Path, keys: Path) -> None:
    calls = count()

    def before(base: int) -> int:
        return base // (next(calls) != 1)

    with daemon(path, keys, lambda: PythonUnit(before)) as client:
        assert client.private("web", 5).value
        assert devices(client)[0]["faults"] == 1


def test_a_device_that_cannot_be_closed_loses_no_job(path: Path, keys: Path) -> None:
    """At its end the daemon says which one may still hold a key."""
    calls = count()

    class Broken(PythonUnit):
        def close(self) -> None:
            raise OSError("gone")

    broken = Broken(lambda base: base ^ (next(calls) == 1))
    with may_hold_a_key(1), daemon(path, keys, lambda: broken) as client:
        assert client.private("web", 5).value
        assert devices(client)[0]["faults"] == 1
    assert not path.exists()


def test_a_device_that_is_wrong_at_the_start(path: Path, keys: Path) -> None:
    with (
        pytest.raises(DeviceError, match="wrong result for the first key"),
        daemon(path, keys, lambda: PythonUnit(lambda base: base + 1)),
    ):
        pytest.fail("it started")
    assert not path.exists()


def test_a_hanging_device_is_replaced(path: Path, keys: Path) -> None:
    calls, release = count(), threading.Event()
    key = ours(shared_short_key(512))

    def before(base: int) -> int:
        if next(calls) == 1:
            release.wait()
        return base

    limits = Limits(tries=3, job_s=0.3, pause_s=0.001)
    with daemon(path, keys, lambda: PythonUnit(before), limits=limits) as client:
        assert client.private("web", 5).value == pow(5, key.d, key.n)
        assert devices(client)[0]["hangs"] == 1
        release.set()
        assert client.private("web", 6).value == pow(6, key.d, key.n)


def test_a_client_that_dies_leaves_no_job(path: Path, keys: Path) -> None:
    calls, release = count(), threading.Event()

    def before(base: int) -> int:
        if next(calls) == 1:
            release.wait()
        return base

    request = Frame(Operation.PRIVATE, (b"web", b"\x05")).encode()
    queue = JobQueue()
    with daemon(path, keys, lambda: PythonUnit(before), queue=queue) as client:
        links = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for link in links:
            link.connect(str(path))
            link.sendall(request)
        links[0].shutdown(socket.SHUT_WR)
        wait_for(lambda: len(queue) == 2)
        for link in links:
            link.close()
        wait_for(lambda: client.health()["abandoned"] == 3)
        assert len(queue) == 0
        release.set()
        assert client.private("web", 5).value


def test_strangers_are_turned_away(path: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with daemon(path, keys) as client:
        monkeypatch.setattr(server, "peer_of", lambda link: (1, 12345))
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(str(path))
            assert link.recv(1) == b""
        monkeypatch.undo()
        assert client.health()["strangers"] == 1


def test_what_waits_at_the_end_is_told(path: Path, keys: Path) -> None:
    calls, release = count(), threading.Event()
    errors: list[ModfabError] = []
    unit = PythonUnit(lambda base: base if next(calls) != 1 else base + 0 * release.wait())

    def ask() -> None:
        try:
            Client(path, patience_s=0).private("web", 5)
        except ModfabError as error:
            errors.append(error)

    queue = JobQueue()
    threads = [threading.Thread(target=ask) for _ in range(3)]
    with daemon(path, keys, lambda: unit, queue=queue) as client:
        for thread in threads:
            thread.start()
        wait_for(lambda: len(queue) == 2 and devices(client)[0]["state"] == "busy")
        timer = threading.Timer(0.3, release.set)
        timer.start()
    for thread in threads:
        thread.join()
    timer.join()
    assert len(errors) == 2  # the one that was computed got its result
    assert all("stopping" in str(error) for error in errors)
    assert unit.closed == 1


def test_two_daemons_and_a_dead_one(path: Path, keys: Path) -> None:
    with daemon(path, keys):
        with pytest.raises(UsageError, match=r"answers at .* already"), daemon(path, keys):
            pytest.fail("a second daemon started")
        assert path.exists()
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with daemon(path, keys) as client:
        assert client.keys()


def test_a_daemon_that_still_starts_keeps_its_path(path: Path, keys: Path) -> None:
    warming, release = threading.Event(), threading.Event()

    def before(base: int) -> int:
        warming.set()
        release.wait()
        return base

    def first() -> None:
        with daemon(path, keys, lambda: PythonUnit(before)) as client:
            names.extend(client.keys())

    names: list[str] = []
    thread = threading.Thread(target=first)
    thread.start()
    warming.wait()
    inode = path.stat().st_ino
    with (
        pytest.raises(UsageError, match=r"already, or is starting .*another path after --socket"),
        daemon(path, keys),
    ):
        pytest.fail("a second daemon started")
    assert path.stat().st_ino == inode
    release.set()
    thread.join()
    assert names == ["mail", "web"]


def test_a_daemon_that_still_wipes_keeps_its_path(path: Path, keys: Path) -> None:
    """Another one would open the same devices."""

    class Slow(PythonUnit):
        def close(self) -> None:
            assert not path.exists()
            with (
                pytest.raises(UsageError, match="starting or stopping there"),
                daemon(path, keys),
            ):
                pytest.fail("a second daemon started")
            super().close()

    unit = Slow()
    with daemon(path, keys, lambda: unit) as client:
        assert client.keys()
    assert unit.closed == 1
    with daemon(path, keys) as client:
        assert client.keys()


def test_a_path_that_cannot_be(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match=r"cannot be made .*--socket"),
        daemon(tmp_path / ("x" * 200), None),
    ):
        pytest.fail("it started")
    with (
        pytest.raises(UsageError, match=r"cannot be made .*--socket"),
        daemon(tmp_path / "none" / "s", None),
    ):
        pytest.fail("it started")


def test_nobody_answers(path: Path) -> None:
    with pytest.raises(DeviceError, match=r"No daemon gave an answer .*modfab serve"):
        Client(path, patience_s=0.1).keys()
