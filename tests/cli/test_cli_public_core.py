# SPDX-License-Identifier: Apache-2.0
"""`modfab verify` and `encrypt` on an RSA core for public operations only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.support.cli import run_cli


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=1024)


@pytest.fixture
def public(key: rsa.RSAPrivateKey, tmp_path: Path) -> Path:
    path = tmp_path / "public.pem"
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    path.write_bytes(key.public_key().public_bytes(serialization.Encoding.PEM, form))
    return path


@pytest.mark.parametrize("engine", ["bit_serial", "sos"])
def test_verify(
    engine: str,
    key: rsa.RSAPrivateKey,
    public: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "image").write_bytes(b"boot")
    signature = key.sign(b"boot", padding.PKCS1v15(), hashes.SHA256())
    (tmp_path / "sig").write_bytes(signature)
    words = ["verify", "--core", "rsa", "--device", "model", "--engine", engine, "--key", public]
    words += ["--in", tmp_path / "image", "--sig", tmp_path / "sig", "--padding", "pkcs1", "--json"]
    assert run_cli(monkeypatch, *words) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["valid"], report["engine"], report["rsa"]["public_only"]) == (True, engine, True)
    assert 0 < report["setup_cycles"] < report["total_cycles"]
    (tmp_path / "image").write_bytes(b"root")
    assert run_cli(monkeypatch, *words) == 1
    assert json.loads(capsys.readouterr().out)["valid"] is False


def test_encrypt_one_and_many(
    key: rsa.RSAPrivateKey,
    public: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = {"a": b"first", "b": b"second"}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    words = ["encrypt", "--core", "rsa", "--device", "model", "--key", public, "--padding", "pkcs1"]
    assert run_cli(monkeypatch, *words, "--in", tmp_path / "a", "--out", tmp_path / "a.one") == 0
    assert key.decrypt((tmp_path / "a.one").read_bytes(), padding.PKCS1v15()) == b"first"
    many = ["--in", tmp_path / "a", tmp_path / "b", "--out-dir", tmp_path / "out"]
    assert run_cli(monkeypatch, *words, *many) == 0
    found = [(tmp_path / "out" / f"{name}.enc").read_bytes() for name in texts]
    assert [key.decrypt(one, padding.PKCS1v15()) for one in found] == [*texts.values()]


def test_a_key_too_long_for_the_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = rsa.RSAPublicNumbers(65537, 1 << 4200 | 1)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    text = numbers.public_key().public_bytes(serialization.Encoding.PEM, form)
    (tmp_path / "long.pem").write_bytes(text)
    (tmp_path / "a").write_bytes(b"a")
    words = ["encrypt", "--core", "rsa", "--device", "model", "--key", tmp_path / "long.pem"]
    assert run_cli(monkeypatch, *words, "--in", tmp_path / "a", "--out", tmp_path / "b") == 2
    assert "takes keys of 34 to 4128 bits" in capsys.readouterr().err


def test_a_campaign_of_private_operations_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["assess", "faults", "--rsa", "public_only=1", "-o", tmp_path / "report"]
    assert run_cli(monkeypatch, *words) == 2
    assert "asks for a core that has none" in capsys.readouterr().err
    assert not (tmp_path / "report").exists()
