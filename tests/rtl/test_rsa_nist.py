# SPDX-License-Identifier: Apache-2.0
"""NIST's and RSA Laboratories' private operations on the simulated RSA core.

By default a few of 1024 bits; `--full` runs every one of 1024 and 2048 bits.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.build.rsa import rsa_core
from modfab.host.core_key import ModExp
from modfab.host.digests import new_digest
from modfab.host.encryption import decrypt
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.rsa_open import RsaUnit, open_rsa_device, prime_bits_of
from modfab.host.signature import sign
from tests.host.test_nist_vectors import ENCRYPTED, MADE, OAEP_SHA1, encrypted_of, made_of
from tests.support.rsa_vectors import EncryptionVector, SignatureVector


def with_primes(key: RsaPublic) -> RsaPrivate:
    """The key with its factors, which the vectors leave out."""
    assert isinstance(key, RsaPrivate)
    p, q = rsa.rsa_recover_prime_factors(key.n, key.e, key.d)
    return RsaPrivate(n=key.n, e=key.e, d=key.d, p=p, q=q)


def check(vectors: Sequence[SignatureVector | EncryptionVector]) -> None:
    """One core for each size of a prime; a key is loaded once for its operations in a row."""
    assert vectors
    cases = [(with_primes(vector.key), vector) for vector in vectors]
    for width in {prime_bits_of(key) for key, _ in cases}:
        config = rsa_core("bit_serial", width, {"BitsPerClock": 8}, "window")
        with open_rsa_device("sim", config) as device:
            unit = RsaUnit(device)
            for index, (key, vector) in enumerate(cases):
                if prime_bits_of(key) == width:
                    check_one(
                        unit.private_operation(key), key, vector, f"{vector.name}, number {index}"
                    )
            assert device.faults == 0


def check_one(
    modexp: ModExp, key: RsaPrivate, vector: SignatureVector | EncryptionVector, name: str
) -> None:
    if isinstance(vector, SignatureVector):
        digest = new_digest(vector.hash_name, vector.message)
        assert sign(digest, key, modexp, vector.options, vector.salt) == vector.signature, name
    else:
        plain = decrypt(vector.ciphertext, key, modexp, vector.options)
        assert plain == vector.message, name


def of_bits(file: str, num_bits: int) -> list[EncryptionVector]:
    return [vector for vector in encrypted_of(file) if vector.key.num_bits == num_bits]


@pytest.mark.parametrize("file", MADE)
def test_sample_of_signing(file: str) -> None:
    check(made_of(file, 1024)[::25])


def test_sample_of_decryption() -> None:
    check(of_bits(OAEP_SHA1, 1024)[::4])


@pytest.mark.full
@pytest.mark.parametrize("num_bits", [1024, 2048])
@pytest.mark.parametrize("file", MADE)
def test_signing(file: str, num_bits: int) -> None:
    check(made_of(file, num_bits))


@pytest.mark.full
@pytest.mark.parametrize("file", ENCRYPTED)
def test_decryption(file: str) -> None:
    check(encrypted_of(file)[::3])
