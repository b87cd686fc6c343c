# SPDX-License-Identifier: Apache-2.0
"""What a benchmark needs beside the core: operation names, keys, OpenSSL's speed."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from math import gcd
from typing import Literal

from Crypto.Random.random import randrange
from Crypto.Util.number import getPrime

from modfab.errors import UsageError
from modfab.host.keys import RsaPrivate
from modfab.models.rsa.program import USUAL_E

Kind = Literal["sign", "decrypt", "verify"]
MIN_BITS, MAX_BITS = 512, 4096


@dataclass(frozen=True, slots=True)
class Operation:
    """An RSA operation: bits of the modulus, and which."""

    num_bits: int
    kind: Kind

    @property
    def is_private(self) -> bool:
        """Whether it takes the private key."""
        return self.kind != "verify"


def parse_operation(text: str) -> Operation:
    """The operation that a text such as `rsa2048-sign` names.

    Raises:
        UsageError: The text names none.

    >>> parse_operation("rsa2048-sign")
    Operation(num_bits=2048, kind='sign')
    """
    kinds: tuple[Kind, ...] = ("sign", "decrypt", "verify")
    size, _, word = text.partition("-")
    kind = next((known for known in kinds if known == word), None)
    number = re.fullmatch(r"rsa(\d{3,4})", size)
    bits = int(number[1]) if number else 0
    if kind is None or not MIN_BITS <= bits <= MAX_BITS or bits % 2:
        raise UsageError(
            f"Expected rsaBITS-sign, rsaBITS-decrypt or rsaBITS-verify with an even number of "
            f"{MIN_BITS} to {MAX_BITS} bits, but got {text!r}; write for example rsa2048-sign."
        )
    return Operation(bits, kind)


def random_key(num_bits: int) -> RsaPrivate:
    """A key for benchmarks only: of any even size, also of those that libraries refuse to make."""
    e = USUAL_E
    while True:
        p, q = getPrime(num_bits // 2), getPrime(num_bits // 2)
        n, phi = p * q, (p - 1) * (q - 1)
        if p != q and n.bit_length() == num_bits and gcd(e, phi) == 1:
            return RsaPrivate(n=n, e=e, d=pow(e, -1, phi), p=p, q=q)


def random_message(key: RsaPrivate) -> int:
    """A number below the modulus."""
    return int(randrange(key.n))


@dataclass(frozen=True, slots=True)
class OpenSslSpeed:
    """What `openssl speed` says of this machine, operations a second on one core of it."""

    version: str
    private_per_s: float
    public_per_s: float


def openssl_speed(num_bits: int) -> OpenSslSpeed | str:
    """Run `openssl speed` for two seconds; the reason as a sentence when it has no answer."""
    program = shutil.which("openssl")
    if program is None:
        return "openssl is not installed"
    words = [program, "speed", "-seconds", "1", "-mr", f"rsa{num_bits}"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
        version = subprocess.run(
            [program, "version"], capture_output=True, text=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"openssl speed failed ({error})"
    line = re.search(r"^\+F2:\d+:(\d+):([\d.]+):([\d.]+)", done.stdout, re.MULTILINE)
    if line is None or int(line[1]) != num_bits:
        return f"openssl speed does not know rsa{num_bits}"
    return OpenSslSpeed(" ".join(version.stdout.split()[:2]), float(line[2]), float(line[3]))
