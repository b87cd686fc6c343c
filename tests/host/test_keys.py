# SPDX-License-Identifier: Apache-2.0
"""Key files: every format that OpenSSL writes, and one clear error for everything else."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import cast

import pytest
from Crypto.IO import PEM, PKCS8
from Crypto.Util.asn1 import DerSequence
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import NameOID

from modfab.cli.passphrase import passphrase_source
from modfab.errors import CryptoError, PassphraseError, UsageError
from modfab.host.key_source import KeySource, read_key
from modfab.host.keys import (
    Passphrase,
    RsaPrivate,
    RsaPublic,
    load_key,
    load_private,
    load_public,
)
from tests.cli.test_key import three_primes
from tests.support.rsa_keys import make_key, ours, shared_key

PHRASE = b"a long phrase"
RSA_OID = "1.2.840.113549.1.1.1"


def no_phrase() -> bytes:
    raise AssertionError("the passphrase was asked for")


def says(phrase: bytes) -> Passphrase:
    return lambda: phrase


def certificate(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "modfab test")])
    start = datetime.datetime(2020, 1, 1)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, start)
    builder = builder.not_valid_after(start + datetime.timedelta(days=1))
    return builder.sign(key, hashes.SHA256())


@pytest.mark.parametrize("encoding", [Encoding.PEM, Encoding.DER])
@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_private_key(
    rng: random.Random, tmp_path: Path, encoding: Encoding, form: PrivateFormat
) -> None:
    key, path = make_key(rng), tmp_path / "key"
    path.write_bytes(key.private_bytes(encoding, form, NoEncryption()))
    assert load_private(path, no_phrase) == ours(key)
    assert load_public(path, no_phrase) == ours(key).public()


@pytest.mark.parametrize(
    ("encoding", "form"),
    [
        (Encoding.PEM, PrivateFormat.PKCS8),
        (Encoding.DER, PrivateFormat.PKCS8),
        (Encoding.PEM, PrivateFormat.TraditionalOpenSSL),
    ],
)
def test_encrypted_private_key(
    rng: random.Random, tmp_path: Path, encoding: Encoding, form: PrivateFormat
) -> None:
    key, path = make_key(rng), tmp_path / "key"
    path.write_bytes(key.private_bytes(encoding, form, BestAvailableEncryption(PHRASE)))
    assert load_private(path, says(PHRASE)) == ours(key)
    assert load_public(path, says(PHRASE)) == ours(key).public()
    for wrong in (b"wrong", b""):
        with pytest.raises(CryptoError, match="passphrase does not open it") as caught:
            load_private(path, says(wrong))
        assert caught.value.__cause__ is None


def test_an_encrypted_key_with_a_short_initialization_vector(
    rng: random.Random, tmp_path: Path
) -> None:
    """The library panics over it, which is no Exception."""
    path, form = tmp_path / "key", PrivateFormat.TraditionalOpenSSL
    text = make_key(rng).private_bytes(Encoding.PEM, form, BestAvailableEncryption(PHRASE))
    head, vector, rest = re.split(rb"(?<=CBC,)([0-9A-F]{32})", text)
    for digits in range(0, 32, 2):
        path.write_bytes(head + vector[:digits] + rest)
        with pytest.raises(CryptoError):
            load_private(path, says(PHRASE))


@pytest.mark.parametrize("encoding", [Encoding.PEM, Encoding.DER])
@pytest.mark.parametrize("form", [PublicFormat.SubjectPublicKeyInfo, PublicFormat.PKCS1])
def test_public_key(
    rng: random.Random, tmp_path: Path, encoding: Encoding, form: PublicFormat
) -> None:
    key, path = make_key(rng), tmp_path / "key"
    path.write_bytes(key.public_key().public_bytes(encoding, form))
    public = load_public(path, no_phrase)
    assert public == RsaPublic(n=ours(key).n, e=65537)
    assert (public.num_bits, public.num_bytes) == (1024, 128)
    with pytest.raises(CryptoError, match="holds a public one"):
        load_private(path, no_phrase)


@pytest.mark.parametrize("encoding", [Encoding.PEM, Encoding.DER])
def test_certificate(rng: random.Random, tmp_path: Path, encoding: Encoding) -> None:
    key, path = make_key(rng), tmp_path / "certificate"
    path.write_bytes(certificate(key).public_bytes(encoding))
    assert load_public(path, no_phrase) == ours(key).public()
    with pytest.raises(CryptoError, match="holds a public one"):
        load_private(path, no_phrase)


def test_a_certificate_of_an_unknown_version(rng: random.Random, tmp_path: Path) -> None:
    path = tmp_path / "certificate"
    data = certificate(make_key(rng)).public_bytes(Encoding.DER)
    version = bytes.fromhex("a003020102")
    assert data.count(version, 0, 32) == 1
    path.write_bytes(data.replace(version, bytes.fromhex("a003020105"), 1))
    with pytest.raises(CryptoError):
        load_public(path, no_phrase)


def test_key_of_another_kind(tmp_path: Path) -> None:
    key, path = ec.generate_private_key(ec.SECP256R1()), tmp_path / "key"
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(CryptoError, match="holds a key of another kind"):
        load_private(path, no_phrase)
    for public in (
        key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        certificate(key).public_bytes(Encoding.PEM),
    ):
        path.write_bytes(public)
        with pytest.raises(CryptoError, match="holds a key of another kind"):
            load_public(path, no_phrase)


FORMS: dict[str, Callable[[bytes], bytes]] = {
    "PKCS#1": lambda der: der,
    "PKCS#1, PEM": lambda der: PEM.encode(der, "RSA PRIVATE KEY").encode(),
    "PKCS#8": lambda der: PKCS8.wrap(der, RSA_OID),
    "PKCS#8, PEM": lambda der: PEM.encode(PKCS8.wrap(der, RSA_OID), "PRIVATE KEY").encode(),
    "behind others": lambda der: b"".join(
        PEM.encode(data, name).encode()
        for name, data in (("X", der), ("PRIVATE KEY", b"0"), ("RSA PRIVATE KEY", der))
    ),
    "behind what is no base64": lambda der: (
        b"-----BEGIN X-----\n?\n-----END X-----\n" + FORMS["PKCS#1, PEM"](der)
    ),
    "encrypted": lambda der: locked(der),
    "encrypted, PEM": lambda der: PEM.encode(locked(der), "ENCRYPTED PRIVATE KEY").encode(),
}


def locked(der: bytes) -> bytes:
    """Encrypted PKCS#8, as `openssl pkcs8 -topk8 -v2 aes-256-cbc` makes it."""
    return PKCS8.wrap(
        der,
        RSA_OID,
        passphrase=PHRASE,
        protection="PBKDF2WithHMAC-SHA256AndAES256-CBC",
        prot_params={"iteration_count": 1000},
    )


@pytest.mark.parametrize("form", FORMS)
def test_a_key_of_three_primes(rng: random.Random, tmp_path: Path, form: str) -> None:
    """`cryptography` opens none of these."""
    der, path = three_primes(rng), tmp_path / "key"
    path.write_bytes(FORMS[form](der))
    phrase = says(PHRASE) if form.startswith("encrypted") else no_phrase
    key = load_private(path, phrase)
    assert (key.n, key.e, key.d) == tuple(DerSequence().decode(der)[1:4])
    assert (key.p, key.q) == (0, 0)
    assert load_public(path, phrase) == key.public()
    if form.startswith("encrypted"):
        with pytest.raises(CryptoError, match="passphrase does not open it"):
            load_private(path, says(b"wrong"))
    numbers = DerSequence().decode(der)[:]
    path.write_bytes(FORMS[form](DerSequence([*numbers[:3], key.d ^ 2, *numbers[4:]]).encode()))
    for load in (load_private, load_public):
        with pytest.raises(CryptoError, match=r"e and d do not belong|does not open it"):
            load(path, phrase)


@pytest.mark.parametrize(
    ("e", "d", "primes"), [(-1, 1, (2, 3, 5)), (1, -1, (2, 3, 5)), (-1, -1, (3, 5, 7))]
)
def test_numbers_of_no_key(tmp_path: Path, e: int, d: int, primes: tuple[int, ...]) -> None:
    """In the form of a key of three primes; powers with some of them do not exist."""
    other = DerSequence([DerSequence([primes[2], 1, 1]).encode()]).encode()
    numbers = [1, prod(primes), e, d, *primes[:2], 1, 1, 1]
    path = tmp_path / "key"
    path.write_bytes(FORMS["PKCS#1, PEM"](DerSequence([*numbers, other]).encode()))
    for load in (load_private, load_public):
        with pytest.raises(CryptoError, match="read: its n is even, or its e is below 1; make"):
            load(path, no_phrase)


def test_a_key_of_another_kind_has_no_primes(tmp_path: Path) -> None:
    """PKCS#8 around the numbers of an RSA key, but with the name of something else."""
    der = DerSequence([0, 77, 7, 43, 7, 11, 1, 3, 2]).encode()
    (tmp_path / "key").write_bytes(PKCS8.wrap(der, "1.2.3.4"))
    with pytest.raises(CryptoError, match="holds no key that can be read"):
        load_private(tmp_path / "key", no_phrase)


@pytest.mark.parametrize(
    "data", [b"", b"hello\n", bytes(range(256)), b"-----BEGIN PUBLIC KEY-----"]
)
def test_not_a_key(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(data)
    for load in (load_private, load_public):
        with pytest.raises(CryptoError, match="holds no key that can be read"):
            load(path, no_phrase)


@pytest.mark.parametrize(
    ("data", "missing"),
    [
        ("3082010a", "266"),
        ("30820100", "256"),
        ("3081ff02", "254"),
        ("308201", ""),
        ("30820000", ""),
    ],
)
def test_a_file_that_is_cut_off(tmp_path: Path, data: str, missing: str) -> None:
    """As short as what says how long it is."""
    path = tmp_path / "key"
    path.write_bytes(bytes.fromhex(data))
    with pytest.raises(CryptoError, match="holds no key that can be read") as caught:
        load_private(path, no_phrase)
    assert ("bytes are missing at its end" in str(caught.value)) == bool(missing)
    assert f"read: {missing} bytes" in str(caught.value) or not missing


def test_damaged_key(rng: random.Random, tmp_path: Path) -> None:
    path = tmp_path / "key"
    data = make_key(rng).private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(CryptoError, match="holds no key that can be read"):
        load_private(path, no_phrase)


def test_every_source_of_a_key(rng: random.Random, tmp_path: Path) -> None:
    """What a program may give: files, their bytes, and objects, with the private half or not."""
    key = make_key(rng)
    mine, form = ours(key), PublicFormat.SubjectPublicKeyInfo
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(PHRASE))
    public = key.public_key().public_bytes(Encoding.DER, form)
    files = {"private": private, "public": public}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    sources: list[KeySource] = [mine, key, private, tmp_path / "private", str(tmp_path / "private")]
    for source in sources:
        for phrase in (PHRASE, PHRASE.decode()):
            assert read_key(source, phrase) == mine
    sources = [mine.public(), key.public_key(), public, tmp_path / "public", f"{tmp_path}/public"]
    for source in sources:
        assert read_key(source) == mine.public()
    for source in (private, tmp_path / "private"):
        with pytest.raises(UsageError, match="encrypted, and no passphrase was given"):
            read_key(source)
        with pytest.raises(CryptoError, match="passphrase does not open it"):
            read_key(source, "wrong")
    with pytest.raises(UsageError, match="but got int; give one of these"):
        read_key(cast(KeySource, 5))


def test_a_wrong_passphrase_never_makes_a_key_public(rng: random.Random, tmp_path: Path) -> None:
    """Not where the file has the public half as well, and not at a second answer."""
    key, path, answers = make_key(rng), tmp_path / "key", [b"wrong", PHRASE]
    data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(PHRASE))
    data += certificate(key).public_bytes(Encoding.PEM)
    path.write_bytes(data)
    with pytest.raises(PassphraseError, match="passphrase does not open it"):
        load_key(path, lambda: answers.pop(0))
    assert answers == [PHRASE]
    for source in (data, path):
        with pytest.raises(PassphraseError, match="passphrase does not open it"):
            read_key(source, "wrong")
        assert read_key(source, PHRASE) == load_key(path, says(PHRASE)) == ours(key)
    path.write_bytes(certificate(key).public_bytes(Encoding.PEM))
    assert load_key(path, no_phrase) == ours(key).public()


def test_a_passphrase_is_read_once(tmp_path: Path) -> None:
    """A key that no program opens is tried in several ways."""
    path = tmp_path / "phrase"
    path.write_bytes(PHRASE)
    passphrase = passphrase_source(f"file:{path}", tmp_path / "key")
    assert passphrase() == PHRASE
    path.unlink()
    assert passphrase() == PHRASE


def test_missing_and_unreadable_file(tmp_path: Path) -> None:
    for load in (load_private, load_public):
        with pytest.raises(UsageError, match="but there is none"):
            load(tmp_path / "none", no_phrase)
        with pytest.raises(UsageError, match="cannot be read"):
            load(tmp_path, no_phrase)


def test_a_file_is_not_read_to_an_end_that_it_may_not_have(tmp_path: Path) -> None:
    form = (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    key, path = shared_key().public_key().public_bytes(*form), tmp_path / "key"
    for before, readable in ((1 << 19, True), (1 << 20, False)):
        path.write_bytes(b"\n" * before + key)
        try:
            found = load_public(path, no_phrase).n
        except CryptoError:
            found = 0
        assert bool(found) == readable


def test_repr_has_no_secret(rng: random.Random) -> None:
    key = ours(make_key(rng))
    assert repr(key) == str(key) == "RsaPrivate(1024 bits)"
    assert isinstance(key, RsaPrivate)
    assert not isinstance(key.public(), RsaPrivate)
