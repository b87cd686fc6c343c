# SPDX-License-Identifier: Apache-2.0
"""Many files in one start: names, one key load, what is refused, and a farm of cores."""

from __future__ import annotations

import io
import json
import os
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from modfab.errors import DeviceError
from modfab.host.keys import RsaPrivate, RsaPublic
from tests.support.cli import PythonDevice, run_cli, use_device
from tests.support.rsa_core import make_key
from tests.support.rsa_keys import ours, shared_key

NAMES = ["a.txt", "b.txt", "c d.txt"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a key and three inputs."""
    key = shared_key()
    write_key(tmp_path / "key.pem", key)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    public = key.public_key().public_bytes(serialization.Encoding.PEM, form)
    (tmp_path / "public.pem").write_bytes(public)
    for name in NAMES:
        (tmp_path / name).write_bytes(b"text of " + name.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_key(path: Path, key: rsa.RSAPrivateKey) -> None:
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, *plain))


@dataclass
class Counting(PythonDevice):
    """Notes how often a key was loaded and how many powers there were."""

    keys: list[RsaPublic] = field(default_factory=list)

    def load_key(self, key: RsaPrivate, progress: object = None, derive: bool = False) -> int:
        self.keys.append(key)
        return super().load_key(key, None, derive) if len(self.keys) == 1 else 0


def check_signatures(folder: Path, out: str) -> None:
    pss = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)
    for name in NAMES:
        signature = (folder / out / f"{name}.sig").read_bytes()
        public = shared_key().public_key()
        public.verify(signature, (folder / name).read_bytes(), pss, hashes.SHA256())


def test_sign_decrypt_encrypt(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    device = Counting()
    use_device(monkeypatch, device)
    assert run_cli(monkeypatch, "sign", "--key", "key.pem", "--in", *NAMES, "--out-dir", "D") == 0
    check_signatures(folder, "D")
    out = capsys.readouterr().out
    assert out.startswith("Signed 3 of 3 files (307 cycles of qp_systolic with window, ")
    assert len(device.opened) == 1, "one core for all files"
    assert set(device.keys) == {ours(shared_key())}
    encrypt = ("encrypt", "--key", "public.pem", "--in", *NAMES, "--out-dir", "E", "--json")
    assert run_cli(monkeypatch, *encrypt) == 0
    report = json.loads(capsys.readouterr().out)
    assert [entry["target"] for entry in report["files"]] == [f"E/{name}.enc" for name in NAMES]
    assert (report["exp_cycles"], report["padding"]) == (300, "oaep")
    inputs = [f"E/{name}.enc" for name in NAMES]
    assert (
        run_cli(monkeypatch, "decrypt", "--key", "key.pem", "--in", *inputs, "--out-dir", "F") == 0
    )
    for name in NAMES:
        result = folder / "F" / f"{name}.enc.dec"
        assert result.read_bytes() == (folder / name).read_bytes()
        assert result.stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe, as in `--in <(command)`, is signed whole."""
    use_device(monkeypatch, PythonDevice())
    reader, writer = os.pipe()
    os.write(writer, (folder / NAMES[0]).read_bytes())
    os.close(writer)
    names = f"/dev/fd/{reader}", *NAMES[1:]
    assert run_cli(monkeypatch, "sign", "--key", "key.pem", "--in", *names, "--out-dir", "D") == 0
    os.close(reader)
    (folder / "D" / f"{reader}.sig").rename(folder / "D" / f"{NAMES[0]}.sig")
    check_signatures(folder, "D")


@pytest.mark.parametrize("end", ["\n", "\0"])
def test_names_on_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    use_device(monkeypatch, PythonDevice())
    text = "".join(name + end for name in NAMES).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    sign = ("sign", "--key", "key.pem", "--files-from", "-", "--out-dir", "D")
    assert run_cli(monkeypatch, *sign) == 0
    check_signatures(folder, "D")


def test_too_many_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("modfab.cli.many._MAX_NAMES_BYTES", 10)
    (folder / "names").write_text("a.txt\nb.txt\n")
    words = ("sign", "--key", "key.pem", "--files-from", "names", "--out-dir", "D")
    assert run_cli(monkeypatch, *words) == 2
    assert "at most 10 bytes of names from names" in capsys.readouterr().err
    assert not (folder / "D").exists()


def test_repeated_inputs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_device(monkeypatch, PythonDevice())
    inputs = [word for name in NAMES for word in ("--in", name)]
    assert run_cli(monkeypatch, "sign", "--key", "key.pem", *inputs, "--out-dir", "D") == 0
    check_signatures(folder, "D")
    assert run_cli(monkeypatch, "sign", "--key", "key.pem", *inputs, "--out", "one") == 2
    assert "Many files need a folder" in capsys.readouterr().err
    signature = ("--sig", f"D/{NAMES[0]}.sig")
    assert run_cli(monkeypatch, "verify", "--key", "key.pem", *inputs, *signature) == 2
    assert "of one file, but --in names 3" in capsys.readouterr().err


def test_one_bad_file_leaves_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_device(monkeypatch, PythonDevice())
    good = (
        shared_key()
        .public_key()
        .encrypt(b"good", padding.OAEP(padding.MGF1(hashes.SHA1()), hashes.SHA1(), None))
    )
    (folder / "good").write_bytes(good)
    (folder / "wrong").write_bytes(bytes(127) + b"\2")
    decrypt = ("decrypt", "--key", "key.pem", "--out-dir", "D", "--in", "wrong", "good")
    assert run_cli(monkeypatch, *decrypt) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("modfab: wrong: decryption failed")
    assert captured.out.startswith("Decrypted 1 of 2 files")
    assert [path.name for path in (folder / "D").iterdir()] == ["good.dec"]
    assert run_cli(monkeypatch, *decrypt, "a.txt") == 2
    assert (
        "modfab: a.txt: A ciphertext of this 1024-bit key has 128 bytes" in capsys.readouterr().err
    )


TABLE = [
    ("--in a.txt b.txt", "Many files need a folder for their results, but none was named"),
    ("--in a.txt b.txt --out x --out-dir D", "--out names one file and --out-dir a folder"),
    ("--in a.txt a.txt --out-dir D", "a.txt and a.txt would both give D/a.txt.sig; name each"),
    ("--in a.txt none --out-dir D", "Expected an input file at none, but there is none"),
    ("--in a.txt . --out-dir D", "The input file . cannot be read (Is a directory)"),
    ("--in a.txt b.txt --out-dir key.pem", "The folder key.pem cannot be made: it is a file"),
    ("--in a.txt b.txt --out-dir no/D", "The folder no/D cannot be made: it is a file, or what"),
    ("--in a.txt b.txt --out-dir closed/D", "The folder closed/D cannot be made: it is a file, or"),
    ("--out-dir D", "Expected the names of files after --in or in --files-from, but there is none"),
    ("--in a.txt - --out-dir D", "Expected the names of files after --in or in --files-from"),
    ("--files-from none --out-dir D", "Expected an input file at none, but there is none"),
    ("--in a.txt --cores 2", "2 cores work on many files at a time, but only one was named"),
    ("--in a.txt a.txt.sig --out-dir .", "--out and the input a.txt.sig both name a.txt.sig"),
    (
        "--in a.txt b.txt --passin file:a.txt.sig --out-dir .",
        "--out and --passin both name a.txt.sig",
    ),
    ("--files-from names.sig --out-dir .", "--out and --files-from both name names.sig"),
    (
        "--in a.txt b.txt --out-dir D --cores 2 --device model",
        "Several cores are a farm of RSA cores in the simulator, but another core or device",
    ),
    (
        "--in a.txt b.txt --out-dir D --cores 2 --core modexp",
        "Several cores are a farm of RSA cores in the simulator, but another core or device",
    ),
]


@pytest.mark.parametrize(("typed", "text"), TABLE, ids=[row[0] for row in TABLE])
def test_refused_before_the_core_starts(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    text: str,
) -> None:
    use_device(monkeypatch, None)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder / "closed")
    (folder / "closed").mkdir()
    (folder / "a.txt.sig").write_bytes(b"precious")
    (folder / "names.sig").write_text("names\n")
    (folder / "names").touch()
    before = sorted(folder.rglob("*"))
    assert run_cli(monkeypatch, "sign", "--key", "key.pem", *typed.split()) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"modfab: {text}")
    assert captured.out == ""
    assert sorted(folder.rglob("*")) == before


def test_a_result_does_not_replace_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_device(monkeypatch, None)
    key = (folder / "key.pem").rename(folder / "a.txt.sig")
    before = key.read_bytes()
    words = ("sign", "--key", key.name, "--in", "a.txt", "b.txt", "--out-dir", ".")
    assert run_cli(monkeypatch, *words) == 2
    assert "--out and --key both name a.txt.sig" in capsys.readouterr().err
    assert key.read_bytes() == before


def test_a_core_that_fails_fails_for_all_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken(PythonDevice):
        def private(self, base: int, progress: object = None) -> NoReturn:
            raise DeviceError("The core is gone.")

    use_device(monkeypatch, Broken())
    assert run_cli(monkeypatch, "sign", "--key", "key.pem", "--in", *NAMES, "--out-dir", "D") == 4
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "modfab: The core is gone.\n")
    assert not (folder / "D").exists()


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


def test_time_left_on_a_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_device(monkeypatch, PythonDevice())
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert run_cli(monkeypatch, "sign", "--key", "key.pem", "--in", *NAMES, "--out-dir", "D") == 0
    assert "3/3" in terminal.getvalue()
    assert "0:00:00" in terminal.getvalue()


def test_a_farm(
    folder: Path,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = make_key(rng, 256, 256)
    numbers = rsa.RSAPrivateNumbers(
        p=made.p,
        q=made.q,
        d=made.d,
        dmp1=made.d % (made.p - 1),
        dmq1=made.d % (made.q - 1),
        iqmp=pow(made.q, -1, made.p),
        public_numbers=rsa.RSAPublicNumbers(n=made.n, e=made.e),
    )
    write_key(folder / "short.pem", numbers.private_key())
    core = ("--engine", "bit_serial", "-P", "BitsPerClock=8", "--seq", "ladder", "--cores", 2)
    sign = ("sign", "--key", "short.pem", "--padding", "pkcs1", "--in", *NAMES, "--out-dir", "D")
    assert run_cli(monkeypatch, *sign, *core, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    public = numbers.public_numbers.public_key()
    for name in NAMES:
        signature = (folder / "D" / f"{name}.sig").read_bytes()
        text = (folder / name).read_bytes()
        public.verify(signature, text, padding.PKCS1v15(), hashes.SHA256())
    assert report["setup_cycles"] > 0
    assert report["total_cycles"] == report["setup_cycles"] + report["exp_cycles"]
