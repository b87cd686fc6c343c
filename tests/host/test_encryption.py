# SPDX-License-Identifier: Apache-2.0
"""Encryption paddings against OpenSSL (through `cryptography`), both ways."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.asymmetric import padding as openssl

from modfab.errors import CryptoError, OperandError
from modfab.host.digests import Hash
from modfab.host.encryption import (
    DECRYPTION_FAILED,
    Encryption,
    EncryptionOptions,
    decrypt,
    encrypt,
    max_message_bytes,
)
from modfab.host.keys import RsaPublic
from tests.support.rsa_keys import OPENSSL_HASH, make_key, ours, python_private, python_public

RAW, PKCS1 = EncryptionOptions(Encryption.RAW), EncryptionOptions(Encryption.PKCS1)
OAEP = EncryptionOptions()


def openssl_padding(options: EncryptionOptions) -> openssl.AsymmetricPadding:
    if options.padding is Encryption.PKCS1:
        return openssl.PKCS1v15()
    mask = openssl.MGF1(OPENSSL_HASH[options.oaep_mgf_hash]())
    return openssl.OAEP(mask, OPENSSL_HASH[options.oaep_hash](), options.label or None)


CASES = [PKCS1] + [
    EncryptionOptions(hash_name=name)
    for name in OPENSSL_HASH
    if backend.rsa_padding_supported(openssl_padding(EncryptionOptions(hash_name=name)))
]  # the rest with the command, in test_openssl_interop.py
WIDTHS = [1024, 1025, 1031, 1032, 1152]


@pytest.mark.parametrize("num_bits", WIDTHS)
def test_against_openssl_both_ways(rng: random.Random, num_bits: int) -> None:
    theirs = make_key(rng, num_bits)
    key = ours(theirs)
    for options in CASES:
        longest = max_message_bytes(key.num_bytes, options)
        if longest < 0:
            continue
        for num_bytes in {0, 1, longest // 2, longest}:
            message = rng.randbytes(num_bytes)
            scheme = openssl_padding(options)
            made_here = encrypt(message, key.public(), python_public(key), options)
            assert theirs.decrypt(made_here, scheme) == message
            made_there = theirs.public_key().encrypt(message, scheme)
            assert decrypt(made_there, key, python_private(key), options) == message


def test_one_power_per_operation(rng: random.Random) -> None:
    key = ours(make_key(rng))
    calls: list[int] = []

    def counted(base: int) -> int:
        calls.append(base)
        return pow(base, key.d, key.n)

    for padding in Encryption:
        message = bytes(key.num_bytes) if padding is Encryption.RAW else b"once"
        ciphertext = encrypt(message, key, python_public(key), EncryptionOptions(padding))
        calls.clear()
        assert decrypt(ciphertext, key, counted, EncryptionOptions(padding)) == message
        assert calls == [int.from_bytes(ciphertext, "big")]


def test_raw_is_the_bare_power(rng: random.Random) -> None:
    key = ours(make_key(rng))
    for value in (0, 1, key.n - 1, rng.randrange(key.n)):
        message = value.to_bytes(128, "big")
        ciphertext = encrypt(message, key, python_public(key), RAW)
        assert int.from_bytes(ciphertext, "big") == pow(value, key.e, key.n)
        assert decrypt(ciphertext, key, python_private(key), RAW) == message


def wrong_oaep_blocks(rng: random.Random) -> list[bytes]:
    """Encoded messages that are wrong in different places, and some noise."""
    good = bytes(1) + rng.randbytes(127)
    return [good, b"\x01" + good[1:], bytes(128), bytes(127) + b"\x01", bytes(1) + b"\xff" * 127]


def test_wrong_oaep_says_one_thing(rng: random.Random) -> None:
    theirs = make_key(rng)
    key = ours(theirs)
    messages = set()
    for block in wrong_oaep_blocks(rng):
        value = int.from_bytes(block, "big") % key.n
        ciphertext = pow(value, key.e, key.n).to_bytes(128, "big")
        for options in (OAEP, EncryptionOptions(hash_name=Hash.SHA256)):
            with pytest.raises(CryptoError) as caught:
                decrypt(ciphertext, key, python_private(key), options)
            messages.add(str(caught.value))
            assert caught.value.__suppress_context__
    other_hash = theirs.public_key().encrypt(
        b"m", openssl_padding(EncryptionOptions(hash_name=Hash.SHA256))
    )
    with pytest.raises(CryptoError) as caught:
        decrypt(other_hash, key, python_private(key), OAEP)
    messages.add(str(caught.value))
    assert messages == {DECRYPTION_FAILED}
    assert DECRYPTION_FAILED.startswith("decryption failed")


def test_wrong_pkcs1_is_rejected_implicitly_as_openssl_does(rng: random.Random) -> None:
    theirs = make_key(rng)
    key = ours(theirs)
    for _ in range(20):
        ciphertext = rng.randrange(key.n).to_bytes(128, "big")
        ours_first = decrypt(ciphertext, key, python_private(key), PKCS1)
        assert ours_first == theirs.decrypt(ciphertext, openssl.PKCS1v15())


def test_message_too_long(rng: random.Random) -> None:
    key = ours(make_key(rng))
    for options in CASES:
        longest = max_message_bytes(key.num_bytes, options)
        pattern = "encrypts at most" if longest >= 0 else "too small"
        with pytest.raises(OperandError, match=pattern):
            encrypt(bytes(max(longest, 0) + 1), key, python_public(key), options)
    for num_bytes in (127, 129):
        with pytest.raises(OperandError, match="exactly the 128 bytes"):
            encrypt(bytes(num_bytes), key, python_public(key), RAW)
    with pytest.raises(OperandError, match="below the modulus"):
        encrypt(key.n.to_bytes(128, "big"), key, python_public(key), RAW)


def test_ciphertext_that_cannot_be(rng: random.Random) -> None:
    key = ours(make_key(rng))
    for padding in Encryption:
        for num_bytes in (0, 1, 127, 129, 256):
            with pytest.raises(OperandError, match="has 128 bytes, but the input has"):
                decrypt(bytes(num_bytes), key, python_private(key), EncryptionOptions(padding))
        for value in (key.n, key.n + 1, (1 << 1024) - 1):
            with pytest.raises(OperandError, match="below the modulus"):
                decrypt(
                    value.to_bytes(128, "big"), key, python_private(key), EncryptionOptions(padding)
                )


def test_key_too_small_for_oaep() -> None:
    tiny = RsaPublic(n=(1 << 255) + 1, e=3)
    with pytest.raises(OperandError, match="256-bit key is too small for oaep with sha256"):
        encrypt(b"", tiny, python_public(tiny), EncryptionOptions(hash_name=Hash.SHA256))
