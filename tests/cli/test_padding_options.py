# SPDX-License-Identifier: Apache-2.0
"""Options of paddings on the command line: what they do, what is refused before a core starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.support.cli import PythonDevice, run_cli, use_device
from tests.support.rsa_keys import shared_key

USAGE = 2
OPTIONS = "Expected --label hex:DIGITS (two for each byte) or file:PATH, but it has another form"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(shared_key(1024).private_bytes(*form))
    (tmp_path / "short").write_bytes(b"a message")
    (tmp_path / "128").write_bytes(bytes(127) + b"1")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate((1 << 20) + 1)
    monkeypatch.chdir(tmp_path)
    return tmp_path


TABLE = [
    (
        "encrypt --key key.pem --padding pkcs1 --mgf-hash sha256 --in short --out new",
        USAGE,
        "--mgf-hash belongs to --padding oaep, but the padding is pkcs1",
    ),
    (
        "decrypt --key key.pem --padding raw --label hex:00 --in 128 --out new",
        USAGE,
        "--label belongs to --padding oaep, but the padding is raw",
    ),
    (
        "encrypt --key key.pem --label 6162 --in short --out new",
        USAGE,
        OPTIONS,
    ),
    (
        "encrypt --key key.pem --label hex:616 --in short --out new",
        USAGE,
        OPTIONS,
    ),
    (
        "encrypt --key key.pem --label file:none --in short --out new",
        USAGE,
        "The label file none cannot be read (No such file or directory)",
    ),
    (
        "sign --key key.pem --padding pkcs1 --salt max --in short --out new",
        USAGE,
        "--salt belongs to --padding pss, but the padding is pkcs1",
    ),
    (
        "verify --key key.pem --padding pkcs1 --mgf-hash sha256 --in short --sig 128",
        USAGE,
        "--mgf-hash belongs to --padding pss, but the padding is pkcs1",
    ),
    (
        "sign --key key.pem --salt -1 --in short --out new",
        USAGE,
        "Expected --salt digest, max, auto or a number of bytes, but got '-1'",
    ),
    (
        "sign --key key.pem --salt 95 --in short --out new",
        USAGE,
        "A 1024-bit key is too small for pss with a hash of 256 bits and a salt of 95 bytes",
    ),
    (
        "sign --key key.pem --hash sha1 --in short --out new",
        USAGE,
        "A signature with sha1 can be forged, since collisions are known",
    ),
    (
        "encrypt --key key.pem --label file:huge --in short --out new",
        USAGE,
        "Expected at most 1048576 bytes of label in huge, but there are more",
    ),
    ("decrypt --key key.pem --label hex:6_6 --in 128 --out new", USAGE, OPTIONS),
    ("decrypt --key key.pem --label file: --in 128 --out new", USAGE, OPTIONS),
    (
        "sign --key key.pem --salt 1e2 --in short --out new",
        USAGE,
        "Expected --salt digest, max, auto or a number of bytes, but got '1e2'",
    ),
]


@pytest.mark.parametrize(("typed", "code", "text"), TABLE, ids=[row[0] for row in TABLE])
def test_refused_before_the_core_starts(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    typed: str,
    code: int,
    text: str,
) -> None:
    use_device(monkeypatch, None)
    assert run_cli(monkeypatch, *typed.split()) == code
    captured = capsys.readouterr()
    assert captured.err.startswith(f"modfab: {text}")
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert not (folder / "new").exists()


KEPT = [
    ("encrypt --in 128 --passin file:short --out short", "--out and --passin both name short, "),
    ("decrypt --in 128 --passin file:short --out ./short", "--out and --passin both name short, "),
    ("sign --in 128 --passin file:short --out short", "--out and --passin both name short, "),
    ("encrypt --in 128 --label file:short --out short", "--out and --label both name short, "),
    ("decrypt --in 128 --label file:short --out short", "--out and --label both name short, "),
    ("encrypt --in 128 huge --label file:128.enc --out-dir .", "--out and --label both name 128.e"),
    ("decrypt --in 128 huge --label file:128.dec --out-dir .", "--out and --label both name 128.d"),
]


@pytest.mark.parametrize(("typed", "text"), KEPT, ids=[row[0] for row in KEPT])
def test_a_result_does_not_replace_what_an_option_names(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    typed: str,
    text: str,
) -> None:
    use_device(monkeypatch, None)
    for name in ("128.enc", "128.dec"):
        (folder / name).write_bytes(b"a label")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert run_cli(monkeypatch, *typed.split(), "--key", "key.pem") == USAGE
    assert capsys.readouterr().err.startswith(f"modfab: {text}")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.usefixtures("folder")
def test_salt_and_mask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    use_device(monkeypatch, PythonDevice())
    common = ["--key", "key.pem", "--in", "short", "--mgf-hash", "sha1", "--json"]
    assert run_cli(monkeypatch, "sign", *common, "--salt", "max", "--out", "sig") == 0
    report = json.loads(capsys.readouterr().out)
    chosen = [report[name] for name in ("padding", "hash", "mgf_hash", "salt")]
    assert chosen == ["pss", "sha256", "sha1", "max"]
    verify = ["verify", *common, "--sig", "sig"]
    for salt, code in (("auto", 0), ("max", 0), ("94", 0), ("digest", 1), ("32", 1)):
        assert run_cli(monkeypatch, *verify, "--salt", salt) == code
    assert run_cli(monkeypatch, *verify) == 0


@pytest.mark.usefixtures("folder")
def test_sha1_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    use_device(monkeypatch, PythonDevice())
    common = ["--key", "key.pem", "--in", "short", "--hash", "sha1"]
    assert run_cli(monkeypatch, "sign", *common, "--out", "sig") == USAGE
    assert run_cli(monkeypatch, "sign", *common, "--out", "sig", "--allow-sha1") == 0
    assert run_cli(monkeypatch, "verify", *common, "--sig", "sig") == 0
