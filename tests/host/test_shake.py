# SPDX-License-Identifier: Apache-2.0
"""PSS with SHAKE (RFC 8702): signatures of Project Wycheproof, and what is refused.

OpenSSL has no such signatures, so it cannot be asked here.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path

import pytest
import tomli

from modfab.errors import CryptoError, UsageError
from modfab.host.digests import Hash, new_digest
from modfab.host.encryption import EncryptionOptions
from modfab.host.keys import RsaPublic
from modfab.host.signature import sign, verify
from modfab.host.signature_options import Salt, Signature, SignatureOptions
from tests.support.rsa_keys import make_key, ours, python_private, python_public


@dataclass(frozen=True)
class Case:
    options: SignatureOptions
    key: RsaPublic
    message: bytes
    signature: bytes


def cases() -> list[Case]:
    text = Path(__file__).with_name("shake_pss.toml").read_text()
    return [
        Case(
            SignatureOptions(hash_name=Hash(group["hash"]), salt=int(group["salt"])),
            RsaPublic(n=int(group["n"], 16), e=65537),
            *map(bytes.fromhex, pair),
        )
        for group in tomli.loads(text)["sets"]
        for pair in group["signatures"]
    ]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.message.hex() or "empty")
def test_known_signatures(case: Case) -> None:
    hash_name = case.options.hash_name
    assert hash_name is not None
    modexp = python_public(case.key)
    for salt in (case.options.salt, Salt.AUTO, Salt.DIGEST):
        options = SignatureOptions(hash_name=hash_name, salt=salt)
        digest = new_digest(hash_name, case.message)
        verify(digest, case.signature, case.key, modexp, options)
    for message, options in (
        (case.message + b".", case.options),
        (case.message, SignatureOptions(hash_name=hash_name, salt=Salt.MAX)),
    ):
        with pytest.raises(CryptoError, match="not valid"):
            verify(new_digest(hash_name, message), case.signature, case.key, modexp, options)


@pytest.mark.parametrize("hash_name", [Hash.SHAKE128, Hash.SHAKE256])
def test_both_ways(rng: random.Random, hash_name: Hash) -> None:
    key = ours(make_key(rng, 1153))
    message = rng.randbytes(300)
    digest = new_digest(hash_name)
    for start in range(0, 300, 70):
        digest.update(message[start : start + 70])
    size = {Hash.SHAKE128: 32, Hash.SHAKE256: 64}[hash_name]
    reference = hashlib.shake_128 if hash_name is Hash.SHAKE128 else hashlib.shake_256
    assert digest.digest() == reference(message).digest(size)
    options = SignatureOptions(hash_name=hash_name)
    made = sign(digest, key, python_private(key), options)
    exact = SignatureOptions(hash_name=hash_name, salt=size)
    verify(new_digest(hash_name, message), made, key.public(), python_public(key), exact)


def test_pss_only() -> None:
    for padding, mgf_hash in (
        (Signature.PKCS1, None),
        (Signature.PSS, Hash.SHA256),
        (Signature.PSS, Hash.SHAKE256),
    ):
        with pytest.raises(UsageError, match="SHAKE signs with --padding pss only"):
            SignatureOptions(padding, Hash.SHAKE128, mgf_hash)
    with pytest.raises(UsageError, match="SHAKE signs with --padding pss only"):
        SignatureOptions(hash_name=Hash.SHA256, mgf_hash=Hash.SHAKE128)
    with pytest.raises(UsageError, match="SHAKE is a hash of pss signatures only"):
        EncryptionOptions(hash_name=Hash.SHAKE128)
    with pytest.raises(UsageError, match="SHAKE is a hash of pss signatures only"):
        EncryptionOptions(mgf_hash=Hash.SHAKE256)
