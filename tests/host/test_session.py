# SPDX-License-Identifier: Apache-2.0
"""The API of three lines: OpenSSL agrees, cores are opened once, and mistakes are named."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

import modfab
from modfab.build.rsa import rsa_core
from modfab.errors import (
    ClosedError,
    CryptoError,
    DeviceError,
    NotValidError,
    OperandError,
    UsageError,
)
from modfab.host.batch import run_batch
from modfab.host.core_device import CycleProgress
from modfab.host.key_source import KeySource
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.rsa_result import RsaResult
from modfab.models.rsa.entry import RsaEntry
from tests.support.rsa_core import private_key
from tests.support.rsa_keys import ours, shared_key

SHORT = 512
"""Long enough for PKCS#1 v1.5 with SHA-256, and quick to simulate."""


def make_key(rng: random.Random, num_bits: int) -> RsaPrivate:
    return private_key(rng, num_bits // 2, num_bits // 2)


def openssl(key: RsaPublic) -> rsa.RSAPublicKey:
    return rsa.RSAPublicNumbers(n=key.n, e=key.e).public_key()


def pem(key: rsa.RSAPrivateKey, phrase: bytes = b"") -> bytes:
    locked = serialization.BestAvailableEncryption(phrase) if phrase else None
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        locked or serialization.NoEncryption(),
    )


def public_pem(key: rsa.RSAPrivateKey) -> bytes:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form)


@pytest.mark.parametrize("device", ["model", "sim"])
def test_three_lines(device: str, rng: random.Random) -> None:
    key = make_key(rng, SHORT)
    with modfab.open_rsa(device, key) as rsa_session:
        signature = rsa_session.sign(b"a message", padding="pkcs1", hash="sha256")
        assert rsa_session.last is not None
        assert rsa_session.last.setup_cycles > 0
        assert rsa_session.sign(b"a message", padding="pkcs1") == signature
        assert rsa_session.last.setup_cycles == 0, "the key is loaded once"
        assert rsa_session.verify(b"a message", signature, padding="pkcs1") is True
        with pytest.raises(NotValidError):
            rsa_session.verify(b"another", signature, padding="pkcs1")
        ciphertext = rsa_session.encrypt(b"short", hash="sha1", label=b"x")
        assert rsa_session.decrypt(ciphertext, label=b"x") == b"short"
        with pytest.raises(NotValidError, match="decryption failed"):
            rsa_session.decrypt(ciphertext)
        assert rsa_session.powmod(3, 1000, 0xC5) == pow(3, 1000, 0xC5)
        assert rsa_session.powmod(5, 3) == 125
        assert rsa_session.powmod(5, 3, constant=False) == 125
        longer = 1 << 5000  # than the longest modulus of this engine
        for constant in (True, False):
            result = rsa_session.powmod(3, longer, 0xC5, constant=constant)
            assert result == pow(3, longer, 0xC5)
    openssl(key).verify(signature, b"a message", padding.PKCS1v15(), hashes.SHA256())


def test_openssl_agrees_on_the_defaults() -> None:
    key = shared_key()
    pss = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)
    oaep = padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None)
    with modfab.open_rsa("model", key) as rsa_session:
        key.public_key().verify(rsa_session.sign(b"data"), b"data", pss, hashes.SHA256())
        rsa_session.verify(b"data", key.sign(b"data", pss, hashes.SHA256()))
        assert key.decrypt(rsa_session.encrypt(b"data"), oaep) == b"data"
        assert rsa_session.decrypt(key.public_key().encrypt(b"data", oaep)) == b"data"


def test_every_form_of_a_key(tmp_path: Path) -> None:
    key = shared_key()
    path = tmp_path / "key.pem"
    path.write_bytes(pem(key))
    der = key.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    private: list[KeySource] = [path, str(path), pem(key), der, key, ours(key)]
    for source in private:
        with modfab.open_rsa("model", source) as rsa_session:
            assert isinstance(rsa_session.key, RsaPrivate)
            assert rsa_session.key.d == ours(key).d
    public: list[KeySource] = [public_pem(key), key.public_key(), ours(key).public()]
    for source in public:
        with modfab.open_rsa("model", source) as rsa_session:
            assert rsa_session.key == RsaPublic(n=ours(key).n, e=65537)
            with pytest.raises(CryptoError, match="needs the private key, but only the public"):
                rsa_session.sign(b"data")
            assert len(rsa_session.encrypt(b"data")) == 128
    with modfab.open_rsa("model", pem(key, b"phrase"), passphrase="phrase") as rsa_session:
        assert isinstance(rsa_session.key, RsaPrivate)


def wrong_keys() -> list[tuple[KeySource, str | None, type[Exception], str]]:
    key = shared_key()
    curve = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return [
        (
            "/no/such/key",
            None,
            UsageError,
            "Expected a key file at /no/such/key, but there is none",
        ),
        (b"nothing", None, CryptoError, "the given bytes"),
        (curve, None, CryptoError, "the given bytes holds a key of another kind"),
        (pem(key, b"phrase"), None, UsageError, "is encrypted, and no passphrase was given"),
        (pem(key, b"phrase"), "wrong", CryptoError, "the passphrase does not open it"),
        (cast("bytes", 17), None, UsageError, "but got int; give one of these"),
    ]


@pytest.mark.parametrize("number", range(6))
def test_wrong_keys(number: int) -> None:
    source, phrase, error, text = wrong_keys()[number]
    with pytest.raises(error, match=text):
        modfab.open_rsa("model", source, passphrase=phrase)


def test_wrong_names() -> None:
    key = shared_key()
    with modfab.open_rsa("model", key) as rsa_session:
        calls: list[tuple[Callable[[], object], str]] = [
            (lambda: rsa_session.sign(b"", "oaep"), "no padding of signatures 'oaep'; choose one"),
            (lambda: rsa_session.encrypt(b"", "pss"), "no padding of encryption 'pss'"),
            (lambda: rsa_session.sign(b"", hash="md5"), "There is no hash 'md5'; choose one of"),
            (lambda: rsa_session.sign(b"", salt="long"), "There is no salt 'long'; choose one of"),
            (lambda: rsa_session.sign(b"", hash="sha1"), "A signature with sha1 can be forged"),
        ]
        for call, text in calls:
            with pytest.raises(UsageError, match=text):
                call()
        assert rsa_session.last is None, "no core was touched"
        with pytest.raises(OperandError, match="encrypts at most 86 bytes, but the input has 100"):
            rsa_session.encrypt(bytes(100))
        with pytest.raises(OperandError, match="has 128 bytes, but the input has 3"):
            rsa_session.decrypt(b"abc")
    with pytest.raises(UsageError, match="There is no engine 'fast'"):
        modfab.open_rsa("model", key, engine="fast")


@pytest.mark.parametrize(
    ("device", "options", "text"),
    [
        ("simulator", {}, "Expected --device sim, model"),
        ("serial:", {}, "Expected --device sim, model"),
        ("devmem:base", {}, "Expected an address such as"),
        ("model", {"sequencer": "l2r"}, "The sequencer l2r shows the exponent"),
        ("model", {"sequencer": "l2r", "core": "modexp"}, "The sequencer l2r shows the exponent"),
        ("model", {"sequencer": "fast"}, "There is no sequencer 'fast'"),
        ("model", {"params": {"Foo": 1}}, "has no parameter 'Foo'"),
        ("model", {"params": {"Foo": 1}, "core": "modexp"}, "has no parameter 'Foo'"),
        ("sim", {"cores": 0}, "Expected 1 to [0-9]+ cores, but got 0"),
        ("sim", {"cores": 33}, "Expected 1 to 32 cores, but got 33"),
        ("sim", {"cores": -3}, "Expected 1 to [0-9]+ cores, but got -3"),
    ],
)
def test_what_is_wrong_is_said_on_opening(device: str, options: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        modfab.open_rsa(device, shared_key(), **options)


def test_what_is_no_bytes(rng: random.Random) -> None:
    with modfab.open_rsa("model", shared_key()) as rsa_session:
        for wrong in (None, "text", 3, [1, 2]):
            data = cast(bytes, wrong)
            calls: tuple[Callable[[], object], ...] = (
                partial(rsa_session.sign, data),
                partial(rsa_session.sign_many, [b"", data]),
                partial(rsa_session.verify, data, bytes(128)),
                partial(rsa_session.verify, b"", data),
                partial(rsa_session.encrypt, data),
                partial(rsa_session.decrypt, data),
                partial(rsa_session.encrypt, b"", label=data),
            )
            for call in calls:
                with pytest.raises(UsageError, match="as bytes, but got"):
                    call()
        for salt in (1.5, True, -1, b"digest"):
            with pytest.raises(UsageError, match="Expected a salt of 0 bytes or more"):
                rsa_session.sign(b"", salt=salt)
        assert rsa_session.last is None, "no core was touched"


def test_a_closed_session(rng: random.Random) -> None:
    with modfab.open_rsa("model", make_key(rng, SHORT)) as rsa_session:
        signature = rsa_session.sign(b"data", padding="pkcs1")
    for call in (
        lambda: rsa_session.sign(b"data", padding="pkcs1"),
        lambda: rsa_session.decrypt(bytes(64)),
        lambda: rsa_session.verify(b"data", signature, padding="pkcs1"),
        lambda: rsa_session.encrypt(b"data"),
        lambda: rsa_session.powmod(2, 3),
        rsa_session.__enter__,
    ):
        with pytest.raises(ClosedError):
            call()
    rsa_session.close()


def test_many_on_one_core(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    load = RsaDevice.load_key

    def noted(
        self: RsaDevice, key: RsaPrivate, progress: CycleProgress | None, derive: bool
    ) -> int:
        loads.append(load(self, key, progress, derive))
        return loads[-1]

    monkeypatch.setattr(RsaDevice, "load_key", noted)
    key = make_key(rng, SHORT)
    texts = [b"text %d" % number for number in range(5)]
    with modfab.open_rsa("model", key) as rsa_session:
        signatures = rsa_session.sign_many(texts, padding="pkcs1")
        ciphertexts = [rsa_session.encrypt(text) for text in texts]
        assert rsa_session.decrypt_many(ciphertexts) == texts
    for text, signature in zip(texts, signatures, strict=True):
        openssl(key).verify(signature, text, padding.PKCS1v15(), hashes.SHA256())
    assert sum(cycles > 0 for cycles in loads) == 1


def test_many_on_a_farm(rng: random.Random) -> None:
    key = make_key(rng, 128)
    told: list[tuple[int, int | None]] = []
    with modfab.open_rsa(
        "sim",
        key,
        engine="bit_serial",
        params={"BitsPerClock": 8},
        sequencer="ladder",
        cores=2,
        progress=lambda done, total: told.append((done, total)),
    ) as rsa_session:
        bases = [rng.randrange(key.n).to_bytes(16, "big") for _ in range(21)]
        got = rsa_session.decrypt_many(bases, padding="raw")
    results = [pow(int.from_bytes(base, "big"), key.d, key.n) for base in bases]
    good = [number.to_bytes(16, "big") for number in results]
    assert got == good
    assert told[-1] == (21, 21)
    assert [done for done, _ in told] == list(range(1, 22))
    with (
        modfab.open_rsa("model", key, cores=2) as rsa_session,
        pytest.raises(UsageError, match="Several cores are a farm of RSA cores in the simulator"),
    ):
        rsa_session.decrypt(bytes(16), padding="raw")


def test_an_rsa_core_in_hardware_does_the_public_operations_too(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    hardware = RsaModelTransport(rsa_core("bit_serial", SHORT // 2))
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: hardware)
    key = make_key(rng, SHORT)
    with modfab.open_rsa("uio:/dev/uio0", key) as rsa_session:
        signature = rsa_session.sign(b"data", padding="pkcs1")
        assert rsa_session.verify(b"data", signature, padding="pkcs1")
        assert rsa_session.decrypt(rsa_session.encrypt(b"hello")) == b"hello"
    openssl(key).verify(signature, b"data", padding.PKCS1v15(), hashes.SHA256())
    with pytest.raises(ClosedError):
        hardware.read32(0)
    fresh = RsaModelTransport(rsa_core("bit_serial", SHORT // 2))
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: fresh)
    with modfab.open_rsa("uio:/dev/uio0", key) as rsa_session:
        assert rsa_session.verify(b"data", signature, padding="pkcs1"), "the key is loaded for it"


def test_the_exponentiator(rng: random.Random) -> None:
    key = make_key(rng, SHORT)
    with modfab.open_rsa("model", key, core="modexp", engine="bit_serial") as rsa_session:
        signature = rsa_session.sign(b"data", padding="pkcs1")
    openssl(key).verify(signature, b"data", padding.PKCS1v15(), hashes.SHA256())


def test_a_wrong_power_is_not_released(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    operate = RsaDevice._operate

    def wrong(
        self: RsaDevice, entry: RsaEntry, base: int, progress: CycleProgress | None
    ) -> RsaResult:
        result = operate(self, entry, base, progress)
        return replace(result, value=result.value ^ 1)

    monkeypatch.setattr(RsaDevice, "_operate", wrong)
    with (
        modfab.open_rsa("model", make_key(rng, SHORT)) as rsa_session,
        pytest.raises(DeviceError, match="returned a wrong result, which the check caught"),
    ):
        rsa_session.sign(b"data", padding="pkcs1")


@pytest.mark.parametrize("bits", [4096, 4128, 8192])
def test_public_operations_of_long_keys(bits: int, rng: random.Random) -> None:
    key = RsaPublic(n=rng.getrandbits(bits) | 1 << bits - 1 | 1, e=65537)
    base = rng.randrange(key.n)
    with modfab.open_rsa("model", key) as rsa_session:
        result = rsa_session.encrypt(base.to_bytes(bits // 8, "big"), padding="raw")
    assert int.from_bytes(result, "big") == pow(base, key.e, key.n)


def test_a_key_that_is_too_long() -> None:
    with pytest.raises(
        OperandError, match="No engine takes a key of 8193 bits, the longest is 819"
    ):
        modfab.open_rsa("model", RsaPublic(n=1 << 8192 | 1, e=65537))


def test_open_modexp() -> None:
    with modfab.open_modexp("model", 64) as core:
        assert core.powmod(12, 0x10001, 0xC5).value == pow(12, 0x10001, 0xC5)


def test_importing_modfab_imports_nothing_else() -> None:
    program = "import sys, modfab; print(len([m for m in sys.modules if m.startswith('modfab.')]))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n"
    assert "open_rsa" in dir(modfab)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = modfab.nothing


def test_an_error_of_the_powers_is_that_of_every_job() -> None:
    def fails(bases: Sequence[int]) -> list[int]:
        raise DeviceError("The farm hangs.")

    with pytest.raises(DeviceError, match="The farm hangs"):
        run_batch([lambda modexp: modexp(2), lambda modexp: modexp(3)], fails)
