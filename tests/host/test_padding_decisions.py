# SPDX-License-Identifier: Apache-2.0
"""Padding decisions on damaged signatures and ciphertexts, compared with OpenSSL's.

Encoded messages are built here, by the RFC and without the code under test, damaged in a way that
only the owner of the key could, and sent through the private (signature) or public (ciphertext)
exponentiation, so that the damage survives; some are damaged after it. 400 cases by default, 10,000
with `--full`.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import padding as openssl
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.errors import CryptoError
from modfab.host.digests import Hash, new_digest
from modfab.host.encryption import DECRYPTION_FAILED, Encryption, EncryptionOptions, decrypt
from modfab.host.keys import RsaPrivate
from modfab.host.signature import verify
from modfab.host.signature_options import Salt, Signature, SignatureOptions
from tests.support.rsa_keys import OPENSSL_HASH, make_key, ours, python_private, python_public

HASHLIB = {Hash.SHA1: "sha1", Hash.SHA256: "sha256", Hash.SHA384: "sha384"}
HASHES = list(HASHLIB)
DIGEST_INFO = {
    Hash.SHA1: bytes.fromhex("3021300906052b0e03021a05000414"),
    Hash.SHA256: bytes.fromhex("3031300d060960864801650304020105000420"),
    Hash.SHA384: bytes.fromhex("3041300d060960864801650304020205000430"),
}
WITHOUT_NULL = {
    Hash.SHA1: bytes.fromhex("301f300706052b0e03021a0414"),
    Hash.SHA256: bytes.fromhex("302f300b0609608648016503040201" + "0420"),
    Hash.SHA384: bytes.fromhex("303f300b0609608648016503040202" + "0430"),
}
WIDTHS = (1024, 1025, 1031, 1088)
KEYS_EVERY = 50


@dataclass(frozen=True)
class Bench:
    """A key in both forms, and a source of chance."""

    rng: random.Random
    theirs: rsa.RSAPrivateKey
    key: RsaPrivate

    def damaged(self, block: bytes) -> bytes:
        """Some bytes changed, or one bit."""
        changed = bytearray(block)
        for _ in range(self.rng.choice((1, 1, 2, 5))):
            place = self.rng.choice((self.rng.randrange(len(block)), self.rng.randrange(12), -1))
            changed[place] ^= self.rng.choice((1 << self.rng.randrange(8), 0xFF))
        return bytes(changed)

    def as_number(self, block: bytes) -> int:
        return int.from_bytes(block, "big") % self.key.n

    def number_bytes(self, number: int) -> bytes:
        return number.to_bytes(self.key.num_bytes, "big")

    def non_zero(self, num_bytes: int) -> bytes:
        return bytes(self.rng.randrange(1, 256) for _ in range(num_bytes))


def mgf1(seed: bytes, num_bytes: int, name: str) -> bytes:
    blocks = b""
    counter = 0
    while len(blocks) < num_bytes:
        blocks += hashlib.new(name, seed + counter.to_bytes(4, "big")).digest()
        counter += 1
    return blocks[:num_bytes]


def xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))


# ---- signatures ----
def pkcs1_block(bench: Bench, hash_name: Hash, message: bytes) -> bytes:
    rng, size = bench.rng, bench.key.num_bytes
    digest = hashlib.new(HASHLIB[hash_name], message).digest()
    info = rng.choice((DIGEST_INFO,) * 4 + (WITHOUT_NULL,))[hash_name] + digest
    if rng.random() < 0.1:
        info += rng.randbytes(rng.randrange(1, 9))  # what follows the hash
    if rng.random() < 0.1:
        info = DIGEST_INFO[rng.choice(HASHES)] + digest
    filling = rng.choice((b"\xff",) * 7 + (b"\0",))
    head = rng.choice((b"\0\1",) * 7 + (b"\0\2", b"\1\1"))
    if rng.random() < 0.1:  # short padding, the hash moved to the left
        return (head + filling * 8 + b"\0" + info).ljust(size, b"\0")[:size]
    return head + filling * (size - 3 - len(info)) + rng.choice((b"\0",) * 9 + (b"\1",)) + info


def pss_block(bench: Bench, hash_name: Hash, mgf: Hash, message: bytes) -> bytes:
    rng, bits = bench.rng, bench.key.num_bits - 1
    size, name = -(-bits // 8), HASHLIB[hash_name]
    digest = hashlib.new(name, message).digest()
    room = size - len(digest) - 2
    salt = rng.randbytes(rng.choice((0, len(digest), room, rng.randrange(room + 1))))
    inner = hashlib.new(name, bytes(8) + digest + salt).digest()
    zeros = bytearray(room - len(salt))
    if zeros and rng.random() < 0.15:
        zeros[rng.randrange(len(zeros))] = rng.randrange(256)
    block = bytes(zeros) + rng.choice((b"\1",) * 9 + (b"\2",)) + salt
    masked = bytearray(xor(block, mgf1(inner, len(block), HASHLIB[mgf])))
    if rng.random() < 0.9:
        masked[0] &= 0xFF >> (8 * size - bits)
    trailer = rng.choice((b"\xbc",) * 9 + (b"\xcc",))
    return bytes(masked) + inner + trailer


@dataclass(frozen=True)
class Asked:
    """A signature, and how both sides are to look at it."""

    signature: bytes
    message: bytes
    options: SignatureOptions


def signature_case(bench: Bench, padding: Signature) -> Asked:
    rng, key = bench.rng, bench.key
    hash_name, mgf = rng.choice(HASHES), rng.choice(HASHES)
    message = rng.randbytes(rng.randrange(40))
    if padding is Signature.PKCS1:
        block, options = (
            pkcs1_block(bench, hash_name, message),
            SignatureOptions(padding, hash_name),
        )
    else:
        block = pss_block(bench, hash_name, mgf, message)
        salt = rng.choice((Salt.AUTO, Salt.AUTO, Salt.DIGEST, Salt.MAX, rng.randrange(40)))
        options = SignatureOptions(padding, hash_name, mgf, salt)
    if rng.random() < 0.3:
        block = bench.damaged(block)
    number = pow(bench.as_number(block), key.d, key.n)
    signature = bench.number_bytes(number)
    if rng.random() < 0.1:
        signature = bench.damaged(signature)
    if rng.random() < 0.03 and number + key.n < 1 << (8 * key.num_bytes):
        signature = bench.number_bytes(number + key.n)
    if rng.random() < 0.03:
        signature = rng.choice((b"\0" + signature, signature[1:], signature + b"\0"))
    return Asked(signature, message, options)


def pss_scheme(bench: Bench, mask: openssl.MGF1, options: SignatureOptions) -> openssl.PSS:
    """OpenSSL's words for a salt; `cryptography` verifies its MAX_LENGTH as AUTO."""
    assert options.hash_name is not None
    if options.salt is Salt.AUTO:
        return openssl.PSS(mask, openssl.PSS.AUTO)
    if options.salt is Salt.DIGEST:
        return openssl.PSS(mask, openssl.PSS.DIGEST_LENGTH)
    algorithm = OPENSSL_HASH[options.hash_name]()
    longest = openssl.calculate_max_pss_salt_length(bench.theirs, algorithm)
    return openssl.PSS(mask, options.salt if isinstance(options.salt, int) else longest)


def they_accept(bench: Bench, asked: Asked) -> bool:
    options = asked.options
    assert options.hash_name is not None
    scheme: openssl.AsymmetricPadding = openssl.PKCS1v15()
    if options.padding is Signature.PSS:
        assert options.mgf_hash is not None
        mask = openssl.MGF1(OPENSSL_HASH[options.mgf_hash]())
        scheme = pss_scheme(bench, mask, options)
    try:
        bench.theirs.public_key().verify(
            asked.signature, asked.message, scheme, OPENSSL_HASH[options.hash_name]()
        )
    except InvalidSignature:
        return False
    return True


def we_accept(bench: Bench, asked: Asked) -> bool:
    assert asked.options.hash_name is not None
    digest = new_digest(asked.options.hash_name, asked.message)
    public = bench.key.public()
    try:
        verify(digest, asked.signature, public, python_public(public), asked.options)
    except CryptoError:
        return False
    return True


def compare_signature(bench: Bench, padding: Signature) -> str:
    asked = signature_case(bench, padding)
    theirs, ours_too = they_accept(bench, asked), we_accept(bench, asked)
    if padding is Signature.PSS and len(asked.signature) != bench.key.num_bytes:
        # OpenSSL takes a signature of PSS without its leading zeros; RFC 8017, 8.1.2 does not.
        assert not ours_too
        return "not valid"
    assert theirs == ours_too, (theirs, asked, bench.key.n, bench.key.d)
    return "valid" if theirs else "not valid"


# ---- ciphertexts ----
def oaep_block(bench: Bench, options: EncryptionOptions) -> tuple[bytes, bytes]:
    """An encoded message and the label it carries, right or damaged."""
    rng, size = bench.rng, bench.key.num_bytes
    name, mask = HASHLIB[options.oaep_hash], HASHLIB[options.oaep_mgf_hash]
    digest = hashlib.new(name, options.label).digest()
    room = size - 2 * len(digest) - 2
    message = rng.randbytes(rng.choice((0, room, rng.randrange(room + 1))))
    zeros = bytearray(room - len(message))
    if zeros and rng.random() < 0.15:
        zeros[rng.randrange(len(zeros))] = rng.randrange(256)
    label_hash = bench.damaged(digest) if rng.random() < 0.1 else digest
    separator = rng.choice((b"\1",) * 9 + (b"\0",))
    block = label_hash + bytes(zeros) + separator + message
    seed = rng.randbytes(len(digest))
    masked = xor(block, mgf1(seed, len(block), mask))
    head = rng.choice((b"\0",) * 9 + (b"\1",))
    return head + xor(seed, mgf1(masked, len(seed), mask)) + masked, options.label


def crypt_block(bench: Bench) -> bytes:
    rng, size = bench.rng, bench.key.num_bytes
    length = rng.choice((0, 1, size - 11, size - 12, rng.randrange(size - 10)))
    block = bytearray(b"\0\2" + bench.non_zero(size - 3 - length) + b"\0" + rng.randbytes(length))
    kind = rng.randrange(8)
    if kind == 0:
        block[rng.randrange(2)] = rng.randrange(256)
    elif kind == 1:
        block[rng.randrange(2, 10)] = 0  # too short a padding
    elif kind == 2:
        block[2:] = bench.non_zero(size - 2)  # no separator
    elif kind == 3:
        block[rng.randrange(2, size)] ^= 1 << rng.randrange(8)
    return bytes(block)


def ciphertext_of(bench: Bench, block: bytes) -> bytes:
    number = pow(bench.as_number(block), bench.key.e, bench.key.n)
    if bench.rng.random() < 0.1:
        number = bench.rng.randrange(bench.key.n)
    return bench.number_bytes(number)


def they_decrypt(
    bench: Bench, ciphertext: bytes, scheme: openssl.AsymmetricPadding
) -> bytes | None:
    try:
        return bench.theirs.decrypt(ciphertext, scheme)
    except ValueError:
        return None


def we_decrypt(bench: Bench, ciphertext: bytes, options: EncryptionOptions) -> bytes | None:
    try:
        return decrypt(ciphertext, bench.key, python_private(bench.key), options)
    except CryptoError as error:
        return None if str(error) == DECRYPTION_FAILED else str(error).encode()


def compare_oaep(bench: Bench) -> str:
    rng = bench.rng
    label = rng.choice((b"", b"label"))
    names = rng.choice(HASHES), rng.choice(HASHES)
    options = EncryptionOptions(Encryption.OAEP, *names, label=label)
    block, _ = oaep_block(bench, options)
    if rng.random() < 0.1:
        block = bench.damaged(block)
    if rng.random() < 0.1:
        options = EncryptionOptions(Encryption.OAEP, *names, label=b"other")
    ciphertext = ciphertext_of(bench, block)
    mask = openssl.MGF1(OPENSSL_HASH[options.oaep_mgf_hash]())
    scheme = openssl.OAEP(mask, OPENSSL_HASH[options.oaep_hash](), options.label or None)
    theirs = they_decrypt(bench, ciphertext, scheme)
    assert we_decrypt(bench, ciphertext, options) == theirs, (ciphertext, options, bench.key.n)
    return "decrypted" if theirs is not None else "not decrypted"


def compare_pkcs1(bench: Bench) -> str:
    block = crypt_block(bench)
    ciphertext = ciphertext_of(bench, block)
    theirs = they_decrypt(bench, ciphertext, openssl.PKCS1v15())
    found = we_decrypt(bench, ciphertext, EncryptionOptions(Encryption.PKCS1))
    assert theirs is not None, "an OpenSSL without implicit rejection"
    assert found == theirs, (ciphertext, bench.key.n, bench.key.d)
    return "decrypted" if block.endswith(b"\0" + theirs) else "rejected implicitly"


QUESTIONS: dict[str, Callable[[Bench], str]] = {
    "pkcs1-signature": lambda bench: compare_signature(bench, Signature.PKCS1),
    "pss": lambda bench: compare_signature(bench, Signature.PSS),
    "oaep": compare_oaep,
    "pkcs1-encryption": compare_pkcs1,
}


def run(rng: random.Random, question: str, cases: int) -> None:
    """Ask both sides; each outcome must occur, or the cases would say nothing."""
    outcomes: Counter[str] = Counter()
    bench = None
    for case in range(cases):
        if bench is None or case % KEYS_EVERY == 0:
            theirs = make_key(rng, rng.choice(WIDTHS))
            bench = Bench(rng, theirs, ours(theirs))
        outcomes[QUESTIONS[question](bench)] += 1
    print(f"{question}: {dict(outcomes)}")
    assert len(outcomes) == 2
    assert min(outcomes.values()) >= cases // 20


@pytest.mark.parametrize("question", QUESTIONS)
def test_sample(rng: random.Random, question: str) -> None:
    run(rng, question, 100)


@pytest.mark.full
@pytest.mark.parametrize("question", QUESTIONS)
def test_many(rng: random.Random, question: str) -> None:
    run(rng, question, 2500)
