# SPDX-License-Identifier: Apache-2.0
"""Standard output under other names, and readers that leave."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from modfab.cli.files import named_output
from tests.support.cli import PythonDevice, run_cli, use_device
from tests.support.rsa_keys import make_key

MODFAB = f"{sys.executable} -m modfab"
SIGN = "sign --key key.pem --in message --padding pkcs1 --device model --engine bit_serial"


@pytest.fixture
def folder(rng: random.Random, tmp_path: Path) -> Path:
    """A working folder with a short key and a message."""
    form = Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    (tmp_path / "key.pem").write_bytes(make_key(rng, 1024).private_bytes(*form))
    (tmp_path / "message").write_bytes(rng.randbytes(40))
    return tmp_path


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", ["/dev/stdout", "kept"])
def test_a_name_of_standard_output_replaces_nothing(folder: Path, name: str) -> None:
    (folder / "kept").write_text("before")
    done = shell(f"{MODFAB} {SIGN} --out {name} >> kept", folder)
    assert (done.returncode, done.stderr) == (0, "")
    data = (folder / "kept").read_bytes()
    assert data.startswith(b"before")
    assert len(data) == len("before") + 128
    refused = shell(f"{MODFAB} {SIGN} --out {name} --json >> kept", folder)
    assert refused.returncode == 2
    assert "both the result and the report" in refused.stderr


def test_a_name_that_is_no_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is no UTF-8 is printed as typed, in every locale."""
    name = b"\xff".decode(errors="surrogateescape")
    (folder / name).write_bytes(b"a message")
    monkeypatch.chdir(folder)
    use_device(monkeypatch, PythonDevice())
    output = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(output, encoding="utf-8"))
    assert run_cli(monkeypatch, *"sign --key key.pem --out signed --in".split(), name) == 0
    assert output.getvalue().startswith(b"Signed \xff into signed ")


def test_a_message_that_is_no_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    message = 63 * b"\xff".decode(errors="surrogateescape")
    assert run_cli(monkeypatch, "demo", "--bits", 1024, "--message", message) == 2
    assert "encrypts at most 62 bytes, but the input has 63" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "found"), [(os.devnull, os.devnull), ("kept", "-")])
def test_the_null_device_is_no_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, found: str
) -> None:
    """Result and report may both go there."""
    monkeypatch.chdir(tmp_path)
    before = os.dup(1)
    try:
        with Path(name).open("wb") as output:
            os.dup2(output.fileno(), 1)
            assert named_output(Path(name)) == Path(found)
    finally:
        os.dup2(before, 1)
        os.close(before)


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "--version",
        "choose --op rsa2048-sign --no-openssl",
        "engines",
        "engines --json",
        "cycles --engine sos --bits 256",
        "rank",
        "key --key key.pem",
        SIGN,
        "keygen --device model --engine bit_serial",
    ],
)
def test_a_reader_that_has_left(folder: Path, words: str) -> None:
    done = shell(f"({MODFAB} {words}; echo $? >&2) | true", folder)
    assert done.stderr == f"{128 + signal.SIGPIPE}\n"


@pytest.mark.parametrize("words", ["--help", "--version", "engines --json", "rank", SIGN])
def test_a_closed_output_loses_no_answer(folder: Path, words: str) -> None:
    done = shell(f"{MODFAB} {words} >&-", folder)
    assert done.returncode == 2
    assert re.search("Standard output is closed|standard output .* it is closed", done.stderr)


def test_a_closed_error_output_changes_no_answer(folder: Path) -> None:
    """Progress and error texts are dropped; the exit code stays."""
    done = shell(f"{MODFAB} {SIGN} --out sig 2>&-; echo $?", folder)
    assert "Traceback" not in done.stdout
    assert done.stdout.splitlines()[-1] == "0"
    done = shell(f"{MODFAB} powmod --bits 64 --mod 6 --base 1 --exp 1 2>&-; echo $?", folder)
    assert done.stdout == "2\n"
