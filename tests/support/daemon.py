# SPDX-License-Identifier: Apache-2.0
"""Daemons of the tests: in a thread on units of the test's choice, or as processes; short keys."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.errors import DeviceError
from modfab.host.keys import RsaPrivate
from modfab.serve.background import background_daemon
from modfab.serve.client import Client
from modfab.serve.jobs import JobQueue, PrivateResult
from modfab.serve.units import UnitOpener
from modfab.serve.workers import Limits
from tests.conftest import SEED_VARIABLE
from tests.support.rsa_core import make_key as core_key

QUICK = Limits(tries=4, job_s=60.0, pause_s=0.001)


class PythonUnit:
    """A unit that uses `pow`; `before` may raise, wait or change what is computed."""

    batch = 1

    def __init__(self, before: Callable[[int], int] = lambda base: base) -> None:
        self._before = before
        self.closed = self.key_loads = 0
        self._key: RsaPrivate | None = None

    def prepare(self) -> None:
        pass

    def exponentiate(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
        self.key_loads += key != self._key
        self._key = key
        return [PrivateResult(pow(self._before(base), key.d, key.n), 1000, 10) for base in bases]

    def close(self) -> None:
        self.closed += 1
        self._key = None


def short_key(rng: random.Random, num_bits: int = 512) -> rsa.RSAPrivateKey:
    """A key of exactly that many bits, which may be fewer than `make_key` of rsa_keys makes."""
    key = core_key(rng, num_bits // 2, num_bits - num_bits // 2)
    while key.n.bit_length() < num_bits:
        key = core_key(rng, num_bits // 2, num_bits - num_bits // 2)
    parts = key.parts()
    numbers = rsa.RSAPrivateNumbers(
        p=key.p,
        q=key.q,
        d=key.d,
        dmp1=parts["DP"],
        dmq1=parts["DQ"],
        iqmp=parts["QI"],
        public_numbers=rsa.RSAPublicNumbers(e=key.e, n=key.n),
    )
    return numbers.private_key()


@cache
def shared_short_key(num_bits: int = 512) -> rsa.RSAPrivateKey:
    """One key for all tests of a process that do not care which; it depends on the seed too."""
    return short_key(random.Random(f"{os.environ[SEED_VARIABLE]}:{num_bits}"), num_bits)


def write_key(path: Path, key: rsa.RSAPrivateKey) -> None:
    """A PEM file that only its owner can read."""
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    path.touch(mode=0o600)
    path.write_bytes(text)


def key_folder(folder: Path, **keys: rsa.RSAPrivateKey) -> Path:
    """A folder of keys as the daemon wants it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    for name, key in keys.items():
        write_key(folder / f"{name}.pem", key)
    return folder


@contextmanager
def daemon(
    path: Path,
    keys: Path | None,
    *openers: UnitOpener,
    limits: Limits = QUICK,
    named_only: bool = False,
    queue: JobQueue | None = None,
) -> Iterator[Client]:
    """A daemon in a thread, and a client of it."""
    openers = openers or (PythonUnit,)
    with background_daemon(
        path, keys, openers, limits, named_only=named_only, queue=queue
    ) as client:
        yield client


@contextmanager
def may_hold_a_key(device: int) -> Iterator[None]:
    """Around a daemon that has to say at its end that this device was not zeroized."""
    text = f"^Not zeroized, and may still hold a key: device {device}, .*power it off"
    with pytest.raises(DeviceError, match=text):
        yield


def start_process(
    path: Path, keys: Path | None, *words: str, device: str = "model"
) -> subprocess.Popen[bytes]:
    """`modfab serve` as a process of its own, which answers."""
    command = [sys.executable, "-m", "modfab", "serve", "--socket", str(path), "--device", device]
    command += [] if keys is None else ["--keys", str(keys)]
    process = subprocess.Popen([*command, *words], stderr=subprocess.PIPE, env=os.environ.copy())
    assert process.stderr is not None
    said = []
    for line in process.stderr:  # at the first use it says what it compiles
        said.append(line)
        if b"Serving at" in line:
            return process
    process.wait()
    raise AssertionError(b"".join(said))


@contextmanager
def process_daemon(
    path: Path, keys: Path | None, *words: str, device: str = "model"
) -> Iterator[Client]:
    """As `start_process`, stopped at the end, when it has to have left nothing behind."""
    process = start_process(path, keys, *words, device=device)
    try:
        yield Client(path)
    finally:
        process.terminate()
        _, text = process.communicate(timeout=120)
    assert process.returncode == 0, text
    assert b"no device holds a key" in text
    assert not path.exists()


def wait_for(what: Callable[[], bool]) -> None:
    """Wait until something is so; the suite's limit of a test ends it otherwise."""
    while not what():
        time.sleep(0.01)
