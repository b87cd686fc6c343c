# SPDX-License-Identifier: Apache-2.0
"""RFC 9474 blind signatures: client, signer on a core's model, and OpenSSL as the last judge."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import tomli
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from modfab.build.rsa import rsa_core
from modfab.errors import CryptoError, OperandError, UsageError
from modfab.host.blind import Variant, blind, blind_sign, finalize, prepare
from modfab.host.digests import Hash
from modfab.host.key_check import check_private
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.pss_limits import PssLimits
from modfab.host.rsa_open import RsaUnit, open_rsa_device, prime_bits_of
from tests.support.rsa_keys import make_key, ours, python_private, python_public, shared_key

VECTORS = tomli.loads(Path(__file__).with_name("rfc9474.toml").read_text())


def rfc_key() -> RsaPrivate:
    p, q, e = (int(VECTORS[name], 16) for name in "pqe")
    return RsaPrivate(n=p * q, e=e, d=pow(e, -1, (p - 1) * (q - 1)), p=p, q=q)


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: str(vector["name"]))
def test_vectors_of_the_rfc(vector: dict[str, str]) -> None:
    """The signature is made on the RSA core's model, whatever its size."""
    values = {name: VECTORS[name] for name in ("msg", "salt", "inv")} | vector
    known = {name: bytes.fromhex(text) for name, text in values.items() if name != "name"}
    key, variant = rfc_key(), Variant(vector["name"])
    check_private(key)
    public, modexp = key.public(), python_public(key)
    prepared = prepare(known["msg"], variant, lambda _: known["msg_prefix"])
    assert prepared == known["msg_prefix"] + known["msg"]
    inverse = int.from_bytes(known["inv"], "big")
    factor = pow(inverse, -1, key.n)
    sent = blind(prepared, public, modexp, variant, lambda _: known["salt"], factor)
    assert sent.inverse == inverse
    assert sent.message[:32] == known["blinded_msg"]
    with open_rsa_device("model", rsa_core("sos", prime_bits_of(key))) as device:
        answer = blind_sign(sent.message, key, RsaUnit(device).private_operation(key))
    assert answer[:32] == known["blind_sig"]
    made = finalize(prepared, answer, sent.inverse, public, modexp, variant)
    assert made == known["sig"]


def openssl_verify(
    key: rsa.RSAPrivateKey, prepared: bytes, signature: bytes, variant: Variant
) -> None:
    scheme = padding.PSS(padding.MGF1(hashes.SHA384()), variant.salt_bytes)
    key.public_key().verify(signature, prepared, scheme, hashes.SHA384())


@pytest.mark.parametrize("variant", Variant)
def test_openssl_accepts_what_a_core_signed_blindly(rng: random.Random, variant: Variant) -> None:
    theirs = shared_key(1024)
    key, message = ours(theirs), rng.randbytes(20)
    public = key.public()
    prepared = prepare(message, variant)
    assert len(prepared) == len(message) + (32 if variant.randomized else 0)
    assert prepared.endswith(message)
    sent = blind(prepared, public, python_public(public), variant)
    with open_rsa_device("model", rsa_core("sos", prime_bits_of(key))) as device:
        answer = blind_sign(sent.message, key, RsaUnit(device).private_operation(key))
    made = finalize(prepared, answer, sent.inverse, public, python_public(public), variant)
    openssl_verify(theirs, prepared, made, variant)
    assert sent.message != made != answer


@pytest.mark.parametrize("num_bits", [1024, 1025, 1031, 1088])
def test_widths(rng: random.Random, num_bits: int) -> None:
    theirs = make_key(rng, num_bits)
    key = ours(theirs)
    for variant in Variant:
        prepared = prepare(b"", variant)
        sent = blind(prepared, key.public(), python_public(key), variant)
        answer = blind_sign(sent.message, key, python_private(key))
        made = finalize(prepared, answer, sent.inverse, key, python_public(key), variant)
        openssl_verify(theirs, prepared, made, variant)
        with pytest.raises(InvalidSignature):
            openssl_verify(theirs, prepared + b".", made, variant)


def test_the_signer_sees_nothing_twice(rng: random.Random) -> None:
    """One message, blinded twice, without salt and prefix: two numbers, one signature."""
    key, variant = ours(make_key(rng)), Variant.PSSZERO_DETERMINISTIC
    modexp = python_public(key)
    sent = [blind(b"same", key.public(), modexp, variant) for _ in range(2)]
    assert sent[0].message != sent[1].message
    answers = [blind_sign(one.message, key, python_private(key)) for one in sent]
    pairs = zip(answers, sent, strict=True)
    made = {finalize(b"same", answer, one.inverse, key, modexp, variant) for answer, one in pairs}
    assert len(made) == 1
    assert repr(sent[0]) == "Blinded(128 bytes)"


def test_a_factor_may_be_any_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 1 to n - 1, by chance; here the last one, which is -1."""
    key, variant = ours(shared_key(1024)), Variant.PSSZERO_DETERMINISTIC
    asked: list[int] = []

    def last_below(limit: int) -> int:
        asked.append(limit)
        return limit - 1

    plain = blind(b"m", key, python_public(key), variant, factor=1)
    monkeypatch.setattr("secrets.randbelow", last_below)
    sent = blind(b"m", key, python_public(key), variant)
    assert asked == [key.n - 1]
    assert (sent.inverse, asked[0] + 1) == (key.n - 1, key.n)
    assert int.from_bytes(sent.message, "big") == key.n - int.from_bytes(plain.message, "big")


def test_wrong_answers(rng: random.Random) -> None:
    key, other = ours(make_key(rng)), ours(make_key(rng))
    variant, modexp = Variant.PSS_DETERMINISTIC, python_public(key)
    sent = blind(b"m", key.public(), modexp, variant)
    good = blind_sign(sent.message, key, python_private(key))
    wrong = (int.from_bytes(good, "big") ^ 2) % key.n
    for answer, inverse, message in (
        (wrong.to_bytes(128, "big"), sent.inverse, b"m"),
        (good, sent.inverse + 1, b"m"),
        (good, sent.inverse, b"n"),
        (pow(5, other.d, other.n).to_bytes(128, "big"), sent.inverse, b"m"),
    ):
        if int.from_bytes(answer, "big") < key.n:
            with pytest.raises(CryptoError, match="The signature is not valid"):
                finalize(message, answer, inverse, key, modexp, variant)
    for bad in (good[1:], good + b"\0", key.n.to_bytes(128, "big"), b""):
        with pytest.raises(OperandError, match="Expected a blind signature of 128 bytes and below"):
            finalize(b"m", bad, sent.inverse, key, modexp, variant)
        with pytest.raises(OperandError, match="Expected a blinded message of 128 bytes and below"):
            blind_sign(bad, key, python_private(key))


def test_keys_that_do_not_suit(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    key = ours(make_key(rng))
    variant, modexp = Variant.PSS_RANDOMIZED, python_public(key)
    with pytest.raises(OperandError, match="without a common divisor with n"):
        blind(b"m", key.public(), modexp, variant, factor=key.p)
    with monkeypatch.context() as patch:
        patch.setattr("modfab.host.blind._encoded", lambda *_: key.q)
        with pytest.raises(OperandError, match="without a common divisor with n"):
            blind(b"m", key.public(), modexp, variant)
    tiny = RsaPublic(n=(1 << 767) + 1, e=3)
    with pytest.raises(OperandError, match="768-bit key is too small for pss"):
        blind(b"m", tiny, python_public(tiny), variant)
    for limits in (PssLimits(Hash.SHA256, Hash.SHA256, 32), PssLimits(Hash.SHA384, Hash.SHA1, 48)):
        restricted = RsaPublic(n=key.n, e=key.e, pss=limits)
        with pytest.raises(UsageError, match="The parameters of this RSA-PSS key allow"):
            blind(b"m", restricted, modexp, variant)
    assert isinstance(key, RsaPrivate)
