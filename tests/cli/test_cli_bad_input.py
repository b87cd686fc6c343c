# SPDX-License-Identifier: Apache-2.0
"""Bad input of the RSA commands: one clear error, the right exit code, nothing written.

Every row says what is typed, the exit code and the beginning of the error. No row but those of
`test_on_the_core` may even open a device.
"""

from __future__ import annotations

import os
import signal
import sys
from base64 import b64encode
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from modfab.host.encryption import DECRYPTION_FAILED
from tests.support.cli import PythonDevice, run_cli, use_device
from tests.support.leaks import leaks, secrets_of
from tests.support.rsa_keys import ours, shared_key


def private_pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, phrase: str = "") -> bytes:
    locked = BestAvailableEncryption(phrase.encode()) if phrase else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, locked)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with keys and inputs, good and bad; commands run inside it."""
    key = shared_key()
    modulus = ours(key).n.to_bytes(128, "big")
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    contents = {
        "key.pem": private_pem(key),
        "locked.pem": private_pem(key, "correct horse"),
        "public.pem": public,
        "ec.pem": private_pem(ec.generate_private_key(ec.SECP256R1())),
        "text": b"not a key\n",
        "empty": b"",
        "short": b"a message",
        "129": bytes(129),
        "127": bytes(127),
        "modulus": modulus,
        "ones": b"\xff" * 128,
        "128": bytes(127) + b"\x02",
        "huge": bytes(70_000),
        "phrase": b"wrong\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WRONG_PHRASE", "wrong")
    monkeypatch.delenv("UNSET_PHRASE", raising=False)
    monkeypatch.setattr("modfab.cli.passphrase.TERMINAL", str(tmp_path / "no-terminal"))
    return tmp_path


def secrets_in(folder: Path) -> list[bytes]:
    """Parts of the key, every input and its result; n alone is public."""
    inputs = [path for path in folder.iterdir() if path.is_file() and path.suffix != ".pem"]
    return secrets_of(ours(shared_key()), [path.read_bytes() for path in inputs])


NOT_VALID, USAGE, MACHINE = 1, 2, 3
TABLE = [
    # Keys.
    ("encrypt --key none.pem --in short --out new", USAGE, "Expected a key file at none.pem, but"),
    ("encrypt --key sub --in short --out new", USAGE, "The key file sub cannot be read ("),
    ("encrypt --key text --in short --out new", USAGE, "Expected an RSA key in PEM or DER, but"),
    ("decrypt --key text --in 128 --out new", USAGE, "Expected an RSA key in PEM or DER, but"),
    ("decrypt --key ec.pem --in 128 --out new", USAGE, "Expected an RSA key, but ec.pem holds"),
    ("encrypt --key ec.pem --in short --out new", USAGE, "Expected an RSA key, but ec.pem hold"),
    ("decrypt --key public.pem --in 128 --out new", USAGE, "Expected a private key, but publi"),
    ("sign --key public.pem --in short --out new", USAGE, "Expected a private key, but public"),
    ("verify --key text --in short --sig 128", USAGE, "Expected an RSA key in PEM or DER, but "),
    # Passphrases.
    (
        "decrypt --key locked.pem --passin env:WRONG_PHRASE --in 128 --out new",
        USAGE,
        "The key in locked.pem is encrypted and the passphrase does not open it",
    ),
    (
        "sign --key locked.pem --passin file:phrase --in 128 --out new",
        USAGE,
        "The key in locked.pem is encrypted and the passphrase does not open it",
    ),
    (
        "decrypt --key locked.pem --passin env:UNSET_PHRASE --in 128 --out new",
        USAGE,
        "Expected the passphrase in the environment variable UNSET_PHRASE, but it is not set",
    ),
    (
        "decrypt --key locked.pem --passin file:none --in 128 --out new",
        USAGE,
        "The passphrase file none cannot be read (",
    ),
    (
        "decrypt --key locked.pem --passin hunter2 --in 128 --out new",
        USAGE,
        "Expected --passin env:NAME or --passin file:PATH, but it has another form",
    ),
    (
        "decrypt --key locked.pem --in 128 --out new",
        USAGE,
        "The key in locked.pem is encrypted and there is no terminal to ask for the passphrase",
    ),
    # Inputs.
    ("encrypt --key key.pem --in none --out new", USAGE, "Expected an input file at none, but"),
    ("sign --key key.pem --in none --out new", USAGE, "Expected an input file at none, but"),
    ("verify --key key.pem --in short --sig none", USAGE, "Expected an input file at none, but"),
    ("encrypt --key key.pem --in sub --out new", USAGE, "The input file sub cannot be read ("),
    ("encrypt --key key.pem --in empty --out new", USAGE, "Expected some bytes from empty, but"),
    ("decrypt --key key.pem --in empty --out new", USAGE, "Expected some bytes from empty, but"),
    ("verify --key key.pem --in short --sig empty", USAGE, "Expected some bytes from empty, but"),
    ("decrypt --key key.pem --out new", USAGE, "Expected some bytes from standard input, but"),
    ("encrypt --key key.pem --in huge --out new", USAGE, "Expected at most 65536 bytes from huge"),
    ("encrypt --key key.pem --in 127 --out new", USAGE, "With oaep a 1024-bit key encrypts at mo"),
    (
        "encrypt --key key.pem --padding pkcs1 --in 127 --out new",
        USAGE,
        "With pkcs1 a 1024-bit key encrypts at most 117 bytes, but the input has 127",
    ),
    (
        "encrypt --key key.pem --hash sha512 --in short --out new",
        USAGE,
        "A 1024-bit key is too small for oaep with sha512",
    ),
    (
        "encrypt --key key.pem --padding raw --in short --out new",
        USAGE,
        "Without padding the input must have exactly the 128 bytes of the modulus, but it has 9",
    ),
    (
        "encrypt --key key.pem --padding raw --in modulus --out new",
        USAGE,
        "Expected a number below the modulus of the key, but the input is not",
    ),
    (
        "decrypt --key key.pem --in 129 --out new",
        USAGE,
        "A ciphertext of this 1024-bit key has 128 bytes, but the input has 129",
    ),
    (
        "decrypt --key key.pem --padding pkcs1 --in 127 --out new",
        USAGE,
        "A ciphertext of this 1024-bit key has 128 bytes, but the input has 127",
    ),
    (
        "decrypt --key key.pem --padding raw --in modulus --out new",
        USAGE,
        "Expected a number below the modulus of the key, but the ciphertext is not",
    ),
    (
        "decrypt --key key.pem --in ones --out new",
        USAGE,
        "Expected a number below the modulus of the key, but the ciphertext is not",
    ),
    (
        "sign --key key.pem --hash sha512 --in short --out new",
        USAGE,
        "A 1024-bit key is too small for pss with a hash of 512 bits",
    ),
    (
        "verify --key key.pem --in - --sig -",
        USAGE,
        "Standard input cannot be both the file and its signature",
    ),
    # Outputs.
    (
        "encrypt --key key.pem --in short --out missing/new",
        USAGE,
        "The folder of the output missing/new does not exist",
    ),
    ("encrypt --key key.pem --in short --out sub", USAGE, "Expected a file after --out, but sub"),
    ("encrypt --key key.pem --in short --out short", USAGE, "--out and --in both name short"),
    ("encrypt --key key.pem --in short --out sub/../short", USAGE, "--out and --in both name sub"),
    ("sign --key key.pem --in short --out key.pem", USAGE, "--out and --key both name key.pem"),
    (
        "sign --key key.pem --in short --json",
        USAGE,
        "Standard output cannot take both the result and the report of --json",
    ),
    # Options.
    (
        "encrypt --key key.pem --padding pkcs1 --hash sha256 --in short --out new",
        USAGE,
        "--hash belongs to --padding oaep, but the padding is pkcs1",
    ),
    ("demo --bits 1024 --message " + "m" * 63, USAGE, "With oaep a 1024-bit key encrypts at most"),
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
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO()))
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert run_cli(monkeypatch, *typed.split()) == code
    captured = capsys.readouterr()
    assert captured.err.startswith(f"modfab: {text}")
    assert captured.err.count("\n") == 1
    assert captured.err.endswith(".\n")
    assert captured.out == ""
    assert "hunter2" not in captured.err
    assert leaks(captured.err, secrets_in(folder)) == []
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_leak_would_be_seen(folder: Path) -> None:
    """In every form; the search of the error texts above would not pass over one."""
    key, secrets = ours(shared_key()), secrets_in(folder)
    result = pow(2, key.d, key.n)
    for number in (key.p, key.q, key.d, result):
        data = number.to_bytes(key.num_bytes, "big").lstrip(b"\0")
        for form in (str(number), f"{number:X}", data.hex(), b64encode(data).decode()):
            assert leaks(f"Expected another key than {form}.", secrets)
            assert leaks(f"Expected another key than {form[:32]}...", secrets)
    for text in (b"a message".hex(), str(int.from_bytes(b"a message", "big")), "YSBtZXNzYWdl"):
        assert leaks(f"The input {text} is too long.", secrets)
    assert leaks(f"The modulus is {key.n}.", [key.p.to_bytes(64, "big")]) == []


@pytest.mark.parametrize(
    "typed",
    [
        "encrypt --in short --out new",
        "encrypt --key key.pem --in short --out new --padding pss",
        "encrypt --key key.pem --in short --out new --hash md5",
        "sign --key key.pem --in short --out new --hash sha1",
        "sign --key key.pem --in short --out new --padding oaep",
        "verify --key key.pem --in short",
        "demo --bits 512",
        "demo --bits 8192",
        "decrypt --key key.pem --in 128 --out new --no-such-option",
    ],
)
def test_unknown_option_or_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path, typed: str
) -> None:
    use_device(monkeypatch, None)
    assert run_cli(monkeypatch, *typed.split()) == USAGE
    assert leaks(capsys.readouterr().err, secrets_in(folder)) == []
    assert not (folder / "new").exists()


@pytest.mark.parametrize(
    ("typed", "code", "text"),
    [
        ("decrypt --key key.pem --in 128 --out new", NOT_VALID, "decryption failed"),
        ("decrypt --key key.pem --in 128 --out new --hash sha256", NOT_VALID, "decryption failed"),
        ("verify --key key.pem --in short --sig 128", NOT_VALID, "The signature is not valid;"),
        ("verify --key key.pem --in short --sig ones", NOT_VALID, "The signature is not valid;"),
        (
            "verify --key key.pem --in short --sig 129",
            NOT_VALID,
            "A signature of this 1024-bit key has 128",
        ),
        (
            "sign --key key.pem --in short --out /dev/full",
            MACHINE,
            "The result could not be written to /dev",
        ),
    ],
)
def test_on_the_core(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    typed: str,
    code: int,
    text: str,
) -> None:
    use_device(monkeypatch, PythonDevice())
    names = {path.name for path in folder.iterdir()}
    assert run_cli(monkeypatch, *typed.split()) == code
    captured = capsys.readouterr()
    assert captured.err.startswith(f"modfab: {text}")
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert leaks(captured.err, secrets_in(folder)) == []
    assert {path.name for path in folder.iterdir()} == names


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        ("--engine nope", USAGE, "There is no engine 'nope'; choose one of bit_serial"),
        ("--device bogus", USAGE, "Expected --device sim, model, uio:/dev/uioN, devmem:0xADD"),
        ("--device uio:/dev/no-such-uio", MACHINE, "/sys/class/uio/no-such-uio/maps"),
        ("--key wide.pem", USAGE, "No engine takes a key of 9000 bits, the longest is 8192"),
        (
            "--key long.pem --engine sos",
            USAGE,
            "The engine sos takes keys of 32 to 4096 bits, but this one has 5000 bits; choose",
        ),
    ],
)
def test_no_such_core(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    options: str,
    code: int,
    text: str,
) -> None:
    for name, bits in (("wide.pem", 9000), ("long.pem", 5000)):
        long = rsa.RSAPublicNumbers(n=(1 << bits - 1) + 1, e=65537).public_key()
        public = long.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        (folder / name).write_bytes(public)
    encrypt = ["encrypt", "--key", "key.pem", "--in", "short", "--out", "new", *options.split()]
    assert run_cli(monkeypatch, *encrypt) == code
    said = capsys.readouterr().err
    assert said.startswith(f"modfab: {text}")
    assert leaks(said, secrets_in(folder)) == []
    assert not (folder / "new").exists()


def test_wrong_padding_says_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    use_device(monkeypatch, PythonDevice())
    decrypt = ["decrypt", "--key", "key.pem", "--in", folder / "128", "--out", "new"]
    assert run_cli(monkeypatch, *decrypt) == NOT_VALID
    assert capsys.readouterr() == ("", f"modfab: {DECRYPTION_FAILED}\n")


def test_full_disk_leaves_the_old_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    use_device(monkeypatch, PythonDevice())
    (folder / "old").write_bytes(b"precious")
    names = {path.name for path in folder.iterdir()}

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", full)
    sign = ("sign", "--key", "key.pem", "--in", "short", "--out", "old")
    assert run_cli(monkeypatch, *sign) == MACHINE
    assert "The result could not be written to old (No space left" in capsys.readouterr().err
    monkeypatch.setattr(os, "fsync", interrupted)
    assert run_cli(monkeypatch, *sign) == 128 + signal.SIGINT
    assert (folder / "old").read_bytes() == b"precious"
    assert {path.name for path in folder.iterdir()} == names


def test_closed_streams(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    use_device(monkeypatch, None)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", None)
        assert run_cli(monkeypatch, "encrypt", "--key", "key.pem", "--out", "new") == USAGE
    assert "Expected the input on standard input, but it is closed" in capsys.readouterr().err
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", None)
        assert run_cli(monkeypatch, "encrypt", "--key", "key.pem", "--in", "short") == USAGE
    assert "Expected standard output for the result, but it is clo" in capsys.readouterr().err
    assert not (folder / "new").exists()


def test_read_only_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    use_device(monkeypatch, None)
    asked: list[Path] = []

    def refuse(path: Path, mode: int) -> bool:  # root may write everywhere, so access is asked
        asked.append(path)
        return mode != os.W_OK

    monkeypatch.setattr(os, "access", refuse)
    sign = ("sign", "--key", "key.pem", "--in", "short", "--out", "sub/new")
    assert run_cli(monkeypatch, *sign) == USAGE
    assert "The output sub/new cannot be written" in capsys.readouterr().err
    assert Path("sub") in asked
    assert not (folder / "sub" / "new").exists()
