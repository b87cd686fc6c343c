# SPDX-License-Identifier: Apache-2.0
"""RSA keys of the tests, made from the printed seed, and OpenSSL's names of the hashes."""

from __future__ import annotations

import os
import random
from functools import cache

from Crypto.PublicKey import RSA
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.host.core_key import ModExp
from modfab.host.digests import Hash
from modfab.host.keys import RsaPrivate, RsaPublic, private_from
from tests.conftest import SEED_VARIABLE

OPENSSL_HASH: dict[Hash, type[hashes.HashAlgorithm]] = {
    Hash.SHA1: hashes.SHA1,
    Hash.SHA224: hashes.SHA224,
    Hash.SHA256: hashes.SHA256,
    Hash.SHA384: hashes.SHA384,
    Hash.SHA512: hashes.SHA512,
    Hash.SHA512_224: hashes.SHA512_224,
    Hash.SHA512_256: hashes.SHA512_256,
    Hash.SHA3_224: hashes.SHA3_224,
    Hash.SHA3_256: hashes.SHA3_256,
    Hash.SHA3_384: hashes.SHA3_384,
    Hash.SHA3_512: hashes.SHA3_512,
}


def make_key(rng: random.Random, num_bits: int = 1024, e: int = 65537) -> rsa.RSAPrivateKey:
    """A key of `cryptography` (OpenSSL) with random primes of this seed."""
    key = RSA.generate(num_bits, randfunc=rng.randbytes, e=e)
    numbers = rsa.RSAPrivateNumbers(
        p=key.p,
        q=key.q,
        d=key.d,
        dmp1=rsa.rsa_crt_dmp1(key.d, key.p),
        dmq1=rsa.rsa_crt_dmq1(key.d, key.q),
        iqmp=rsa.rsa_crt_iqmp(key.p, key.q),
        public_numbers=rsa.RSAPublicNumbers(e=key.e, n=key.n),
    )
    return numbers.private_key()


@cache
def shared_key(num_bits: int = 1024) -> rsa.RSAPrivateKey:
    """One key for all tests of a process that do not care which; it depends on the seed too."""
    return make_key(random.Random(f"{os.environ[SEED_VARIABLE]}:{num_bits}"), num_bits)


def ours(key: rsa.RSAPrivateKey) -> RsaPrivate:
    """The same key as the host layer holds it."""
    return private_from(key, "the test")


def python_private(key: RsaPrivate) -> ModExp:
    """The private operation, by Python's pow, of what a core takes."""
    return lambda base: _modexp(base, key.d, key.n)


def python_public(key: RsaPublic) -> ModExp:
    """The public operation, by Python's pow, of what a core takes."""
    return lambda base: _modexp(base, key.e, key.n)


def _modexp(base: int, exponent: int, modulus: int) -> int:
    assert 0 <= base < modulus, "a core refuses such a number"
    return pow(base, exponent, modulus)
