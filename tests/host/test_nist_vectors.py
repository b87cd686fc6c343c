# SPDX-License-Identifier: Apache-2.0
"""NIST's and RSA Laboratories' RSA vectors, every power computed by a device of ours.

By default all 1024-bit verdicts and a sample of private operations run on the golden model, and
one decryption on the simulated core; `--full` runs every verdict and hundreds of private ones.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from modfab.errors import CryptoError
from modfab.host.digests import Hash, new_digest
from modfab.host.encryption import Encryption, EncryptionOptions, decrypt
from modfab.host.keys import RsaPrivate
from modfab.host.open import open_device
from modfab.host.rsa import RsaOnModexp
from modfab.host.signature import sign, verify
from modfab.host.signature_options import Signature
from modfab.numbers import WORD_BITS, words_of
from tests.support.rsa_vectors import (
    LABORATORIES,
    EncryptionVector,
    SignatureVector,
    encryptions,
    judged_signatures,
    made_signatures,
)

MADE = {"SigGen15_186-2.txt": Signature.PKCS1, "SigGenPSS_186-2.txt": Signature.PSS}
JUDGED = {
    "FIPS_186-2/SigVer15_186-3.rsp": Signature.PKCS1,
    "FIPS_186-2/SigVerPSS_186-3.rsp": Signature.PSS,
    "SigVer15EMTest.txt": Signature.PKCS1,
}
ENCRYPTED = {
    f"{LABORATORIES}/oaep-vect.txt": EncryptionOptions(),
    "pkcs1v15crypt-vectors.txt": EncryptionOptions(Encryption.PKCS1),
    "oaep-custom/oaep-sha256-sha256.txt": EncryptionOptions(hash_name=Hash.SHA256),
    "oaep-custom/oaep-sha384-sha384.txt": EncryptionOptions(hash_name=Hash.SHA384),
    "oaep-custom/oaep-sha512-sha512.txt": EncryptionOptions(hash_name=Hash.SHA512),
}
OAEP_SHA1, PKCS1_SHA1, OAEP_SHA256, OAEP_SHA384, OAEP_SHA512 = ENCRYPTED


def core_bits(num_bits: int) -> int:
    return WORD_BITS * words_of(num_bits)


def widths_of(vectors: Iterable[SignatureVector | EncryptionVector]) -> set[int]:
    return {core_bits(vector.key.num_bits) for vector in vectors}


def check_verdicts(vectors: list[SignatureVector], spec: str = "model") -> None:
    """Verify every signature on one core and compare with NIST's verdict."""
    (width,) = widths_of(vectors)
    with open_device(spec, "bit_serial", width, "l2r") as device:
        core = RsaOnModexp(device)
        for index, vector in enumerate(vectors):
            digest = new_digest(vector.hash_name, vector.message)
            modexp = core.public_operation(vector.key)
            try:
                verify(digest, vector.signature, vector.key, modexp, vector.options)
                verdict = True
            except CryptoError:
                verdict = False
            assert verdict == vector.valid, f"{vector.name}, number {index}"


def check_signatures(vectors: list[SignatureVector], spec: str = "model") -> None:
    """Make every signature again on one core and compare with NIST's."""
    (width,) = widths_of(vectors)
    with open_device(spec, "bit_serial", width, "ladder") as device:
        core = RsaOnModexp(device)
        for index, vector in enumerate(vectors):
            assert isinstance(vector.key, RsaPrivate)
            digest = new_digest(vector.hash_name, vector.message)
            modexp = core.private_operation(vector.key)
            made = sign(digest, vector.key, modexp, vector.options, vector.salt)
            assert made == vector.signature, f"{vector.name}, number {index}"


def check_decryptions(vectors: list[EncryptionVector], spec: str = "model") -> None:
    """Decrypt every ciphertext; keys of one width share a core."""
    for width in widths_of(vectors):
        with open_device(spec, "bit_serial", width, "ladder") as device:
            core = RsaOnModexp(device)
            for index, vector in enumerate(vectors):
                if core_bits(vector.key.num_bits) != width:
                    continue
                modexp = core.private_operation(vector.key)
                plain = decrypt(vector.ciphertext, vector.key, modexp, vector.options)
                assert plain == vector.message, f"{vector.name}, number {index}"


def made_of(file: str, num_bits: int) -> list[SignatureVector]:
    vectors = [v for v in made_signatures(file, MADE[file]) if v.key.num_bits == num_bits]
    assert len(vectors) == 50
    return vectors


def encrypted_of(file: str) -> list[EncryptionVector]:
    vectors = encryptions(file, ENCRYPTED[file])
    assert len(vectors) in (60, 300)
    return vectors


LONG_WIDTHS = [pytest.param(n, marks=pytest.mark.full) for n in (1536, 2048, 3072, 4096)]


@pytest.mark.parametrize("num_bits", [1024, *LONG_WIDTHS])
@pytest.mark.parametrize("file", JUDGED)
def test_verdicts(file: str, num_bits: int) -> None:
    everything = judged_signatures(file, JUDGED[file])
    vectors = [vector for vector in everything if vector.key.num_bits == num_bits]
    assert len(vectors) in (30, 90)
    check_verdicts(vectors)


@pytest.mark.parametrize("num_bits", [1024, *LONG_WIDTHS])
@pytest.mark.parametrize("file", MADE)
def test_made_signatures_are_valid(file: str, num_bits: int) -> None:
    check_verdicts(made_of(file, num_bits))


@pytest.mark.parametrize("file", MADE)
def test_sample_of_signing(file: str) -> None:
    check_signatures(made_of(file, 1024)[::20])


@pytest.mark.parametrize(("file", "step"), [(OAEP_SHA1, 15), (PKCS1_SHA1, 100)])
def test_sample_of_decryption(file: str, step: int) -> None:
    short = [vector for vector in encrypted_of(file) if vector.key.num_bits < 1100]
    check_decryptions(short[::step])


@pytest.mark.full
@pytest.mark.parametrize(("num_bits", "step"), [(1024, 1), (1536, 3), (2048, 5), (3072, 17)])
@pytest.mark.parametrize("file", MADE)
def test_signing(file: str, num_bits: int, step: int) -> None:
    check_signatures(made_of(file, num_bits)[::step])


@pytest.mark.full
@pytest.mark.parametrize(
    ("file", "step"),
    [(OAEP_SHA1, 1), (PKCS1_SHA1, 5), (OAEP_SHA256, 7), (OAEP_SHA384, 7), (OAEP_SHA512, 7)],
)
def test_decryption(file: str, step: int) -> None:
    check_decryptions(encrypted_of(file)[::step])


def test_decryption_on_the_simulated_core() -> None:
    check_decryptions(encrypted_of(OAEP_SHA1)[:1], spec="sim")


@pytest.mark.full
@pytest.mark.parametrize("file", [OAEP_SHA1, PKCS1_SHA1])
def test_decryptions_on_the_simulated_core(file: str) -> None:
    vectors = [vector for vector in encrypted_of(file) if vector.key.num_bits == 1024]
    check_decryptions(vectors[:6], spec="sim")


@pytest.mark.full
@pytest.mark.parametrize("file", JUDGED)
def test_verdicts_on_the_simulated_core(file: str) -> None:
    everything = judged_signatures(file, JUDGED[file])
    check_verdicts([vector for vector in everything if vector.key.num_bits == 1024], spec="sim")
