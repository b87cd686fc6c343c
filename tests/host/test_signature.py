# SPDX-License-Identifier: Apache-2.0
"""Signature paddings against OpenSSL (through `cryptography`), both ways."""

from __future__ import annotations

import random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding as openssl

from modfab.errors import CryptoError, OperandError
from modfab.host.digests import Hash, hash_of_oid, new_digest
from modfab.host.keys import RsaPublic, without_e
from modfab.host.signature import check_signer, sign, verify
from modfab.host.signature_options import Salt, Signature, SignatureOptions
from tests.support.rsa_keys import OPENSSL_HASH, make_key, ours, python_private, python_public

HASHES = [name for name in OPENSSL_HASH if name is not Hash.SHA1]
SHA512 = SignatureOptions(hash_name=Hash.SHA512)
WIDTHS = [1034, 1041, 1152, 1153]


def openssl_padding(
    padding: Signature, hash_name: Hash, salt: int | None = None
) -> openssl.AsymmetricPadding:
    if padding is Signature.PKCS1:
        return openssl.PKCS1v15()
    algorithm = OPENSSL_HASH[hash_name]()
    return openssl.PSS(openssl.MGF1(algorithm), openssl.PSS.DIGEST_LENGTH if salt is None else salt)


@pytest.mark.parametrize("num_bits", WIDTHS)
@pytest.mark.parametrize("padding", list(Signature))
def test_against_openssl_both_ways(rng: random.Random, num_bits: int, padding: Signature) -> None:
    theirs = make_key(rng, num_bits)
    key = ours(theirs)
    for hash_name in HASHES:
        message = rng.randbytes(rng.randrange(300))
        scheme, algorithm = openssl_padding(padding, hash_name), OPENSSL_HASH[hash_name]()
        options = SignatureOptions(padding, hash_name)
        made_here = sign(new_digest(hash_name, message), key, python_private(key), options)
        theirs.public_key().verify(made_here, message, scheme, algorithm)
        made_there = theirs.sign(message, scheme, algorithm)
        digest = new_digest(hash_name, message)
        verify(digest, made_there, key.public(), python_public(key), options)


@pytest.mark.parametrize("padding", list(Signature))
def test_signing_without_e(rng: random.Random, padding: Signature) -> None:
    theirs = make_key(rng, 1024)
    key, message = ours(theirs), rng.randbytes(20)
    digest = new_digest(Hash.SHA256, message)
    made = sign(digest, without_e(key), python_private(key), SignatureOptions(padding))
    scheme = openssl_padding(padding, Hash.SHA256)
    theirs.public_key().verify(made, message, scheme, OPENSSL_HASH[Hash.SHA256]())


def test_pss_accepts_every_salt_length(rng: random.Random) -> None:
    theirs = make_key(rng, 1029)
    key = ours(theirs)
    longest = (key.num_bits - 1 + 7) // 8 - 32 - 2
    for salt in (0, 1, 20, 32, longest - 1, longest):
        message = rng.randbytes(10)
        scheme = openssl_padding(Signature.PSS, Hash.SHA256, salt)
        signature = theirs.sign(message, scheme, OPENSSL_HASH[Hash.SHA256]())
        digest = new_digest(Hash.SHA256, message)
        verify(digest, signature, key, python_public(key))


@pytest.mark.parametrize("padding", list(Signature))
def test_changed_signature_message_key_or_hash(rng: random.Random, padding: Signature) -> None:
    theirs = make_key(rng, 1152)
    key, message = ours(theirs), rng.randbytes(50)
    options = SignatureOptions(padding, Hash.SHA256)
    good = sign(new_digest(Hash.SHA256, message), key, python_private(key), options)
    changed = bytearray(good)
    changed[rng.randrange(1, len(good))] ^= 1 << rng.randrange(8)
    other = ours(make_key(rng, 1152))
    cases = [
        (new_digest(Hash.SHA256, message), bytes(changed), key),
        (new_digest(Hash.SHA256, message + b"."), good, key),
        (new_digest(Hash.SHA384, message), good, key),
        (new_digest(Hash.SHA256, message), bytes(144), key),
        (new_digest(Hash.SHA256, message), (key.n - 1).to_bytes(144, "big"), key),
        (new_digest(Hash.SHA256, message), key.n.to_bytes(144, "big"), key),
        (new_digest(Hash.SHA256, message), b"\xff" * 144, key),
        (new_digest(Hash.SHA256, message), bytes([good[0] & 0x7F]) + good[1:], other),
    ]
    for digest, signature, used in cases:
        shown = SignatureOptions(padding, hash_of_oid(digest.oid))
        with pytest.raises(CryptoError, match="The signature is not valid"):
            verify(digest, signature, used, python_public(used), shown)
    with pytest.raises(InvalidSignature):
        theirs.public_key().verify(
            bytes(changed),
            message,
            openssl_padding(padding, Hash.SHA256),
            OPENSSL_HASH[Hash.SHA256](),
        )
    verify(new_digest(Hash.SHA256, message), good, key, python_public(key), options)


@pytest.mark.parametrize("padding", list(Signature))
def test_a_signature_is_below_the_modulus(rng: random.Random, padding: Signature) -> None:
    """A signature plus n would be a second signature of one message."""
    key, options = ours(make_key(rng, 1033)), SignatureOptions(padding)
    digest = new_digest(Hash.SHA256, b"message")
    good = sign(digest, key, python_private(key), options)
    verify(digest, good, key, python_public(key), options)
    second = (int.from_bytes(good, "big") + key.n).to_bytes(key.num_bytes, "big")
    with pytest.raises(CryptoError, match="The signature is not valid"):
        verify(digest, second, key, python_public(key), options)


def test_the_hash_is_the_one_of_the_options(rng: random.Random) -> None:
    """Also where hash and mask were two, so that the mask tells nothing of the hash."""
    key, digest = ours(make_key(rng)), new_digest(Hash.SHA256, b"message")
    weak, asked = (
        SignatureOptions(Signature.PSS, name, Hash.SHA384, 32)
        for name in (Hash.SHA256, Hash.SHA384)
    )
    signature = sign(digest, key, python_private(key), weak)
    verify(digest, signature, key, python_public(key), weak)
    with pytest.raises(CryptoError, match="The signature is not valid"):
        verify(digest, signature, key, python_public(key), asked)


@pytest.mark.parametrize("padding", list(Signature))
def test_every_encoded_message_ends_in_a_verdict(rng: random.Random, padding: Signature) -> None:
    """A signature may decode to anything, whatever its width: the answer is always the same."""
    options = SignatureOptions(padding)
    for num_bits in (1025, 1032):
        key = RsaPublic(n=(1 << num_bits) - 1, e=1)
        for value in [0, 1, 0xBC, key.n - 1, *(rng.getrandbits(num_bits - 1) for _ in range(50))]:
            signature = value.to_bytes(key.num_bytes, "big")
            with pytest.raises(CryptoError, match="The signature is not valid"):
                verify(new_digest(Hash.SHA256), signature, key, lambda base: base, options)


@pytest.mark.parametrize("padding", list(Signature))
def test_wrong_length(rng: random.Random, padding: Signature) -> None:
    key = ours(make_key(rng))
    for num_bytes in (0, 127, 129):
        with pytest.raises(CryptoError, match=f"has 128 bytes, but this one has {num_bytes}"):
            verify(
                new_digest(Hash.SHA256),
                bytes(num_bytes),
                key,
                python_public(key),
                SignatureOptions(padding),
            )


def test_key_too_small(rng: random.Random) -> None:
    key = ours(make_key(rng))
    with pytest.raises(OperandError, match="1024-bit key is too small for pss with a hash of 512"):
        sign(new_digest(Hash.SHA512), key, python_private(key), SHA512)
    tiny = RsaPublic(n=(1 << 511) + 1, e=1)
    longest = SignatureOptions(hash_name=Hash.SHA512, salt=Salt.MAX)
    with pytest.raises(OperandError, match="512-bit key is too small for pss with a hash of 512"):
        check_signer(new_digest(Hash.SHA512), tiny, longest)
    for padding in Signature:
        options = SignatureOptions(padding, Hash.SHA512)
        with pytest.raises(CryptoError, match="not valid"):
            verify(new_digest(Hash.SHA512), bytes(64), tiny, python_public(tiny), options)
