# SPDX-License-Identifier: Apache-2.0
"""encrypt, decrypt, sign, verify and demo: files, pipes, passphrases, reports, progress."""

from __future__ import annotations

import io
import json
import os
import random
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tests.support.cli import PythonDevice, run_cli, use_device
from tests.support.rsa_keys import shared_key

Files = dict[str, Path]


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> PythonDevice:
    fake = PythonDevice()
    use_device(monkeypatch, fake)
    return fake


@pytest.fixture
def files(rng: random.Random, tmp_path: Path) -> Files:
    """A key in three files, a message, and names for results."""
    key = shared_key(1100)
    names = ("key", "locked", "public", "message", "result", "back")
    paths = {name: tmp_path / name for name in names}
    form = (Encoding.PEM, PrivateFormat.PKCS8)
    paths["key"].write_bytes(key.private_bytes(*form, NoEncryption()))
    paths["locked"].write_bytes(key.private_bytes(*form, BestAvailableEncryption(b"open it")))
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    paths["public"].write_bytes(public)
    paths["message"].write_bytes(rng.randbytes(40))
    return paths


def feed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--padding", "oaep", "--hash", "sha256"],
        ["--hash", "sha256", "--mgf-hash", "sha1", "--label", "hex:6162"],
        ["--padding", "pkcs1"],
    ],
)
def test_encrypt_and_decrypt(
    monkeypatch: pytest.MonkeyPatch, device: PythonDevice, files: Files, options: list[str]
) -> None:
    there = ["encrypt", "--key", files["public"], "--in", files["message"], *options]
    assert run_cli(monkeypatch, *there, "--out", files["result"]) == 0
    back = ["decrypt", "--key", files["key"], "--in", files["result"], *options]
    assert run_cli(monkeypatch, *back, "--out", files["back"]) == 0
    assert files["back"].read_bytes() == files["message"].read_bytes()
    assert len(files["result"].read_bytes()) == 138
    # The width of the core is that of the modulus or of a prime, in whole words.
    assert device.opened == [
        ("sim", "bit_serial", 1120, "l2r"),
        ("sim", "qp_systolic", 576, "window"),
    ]


@pytest.mark.parametrize("padding", ["pss", "pkcs1"])
@pytest.mark.parametrize("hash_name", ["sha256", "sha384", "sha512"])
def test_sign_and_verify(
    monkeypatch: pytest.MonkeyPatch,
    device: PythonDevice,
    files: Files,
    padding: str,
    hash_name: str,
) -> None:
    options = ["--in", files["message"], "--padding", padding, "--hash", hash_name]
    core = ["--device", "model", "--engine", "bit_serial"]
    sign = ["sign", "--key", files["key"], *options, *core, "--out", files["result"]]
    assert run_cli(monkeypatch, *sign) == 0
    verify = ["verify", "--key", files["public"], *options, *core, "--sig", files["result"]]
    assert run_cli(monkeypatch, *verify) == 0
    files["message"].write_bytes(files["message"].read_bytes() + b".")
    assert run_cli(monkeypatch, *verify) == 1
    assert [(spec, sequencer) for spec, _, _, sequencer in device.opened] == [
        ("model", "window"),
        ("model", "l2r"),
        ("model", "l2r"),
    ]


def test_large_file_is_hashed_in_pieces(
    monkeypatch: pytest.MonkeyPatch, device: PythonDevice, files: Files, rng: random.Random
) -> None:
    files["message"].write_bytes(rng.randbytes(200_001))
    common = ["--key", files["key"], "--in", files["message"]]
    assert run_cli(monkeypatch, "sign", *common, "--out", files["result"]) == 0
    assert run_cli(monkeypatch, "verify", *common, "--sig", files["result"]) == 0
    assert len(device.opened) == 2


def test_pipes(
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    device: PythonDevice,
    files: Files,
) -> None:
    feed(monkeypatch, b"through a pipe")
    assert run_cli(monkeypatch, "encrypt", "--key", files["public"]) == 0
    ciphertext = capfdbinary.readouterr().out
    assert len(ciphertext) == 138
    feed(monkeypatch, ciphertext)
    assert run_cli(monkeypatch, "decrypt", "--key", files["key"], "--in", "-", "--out", "-") == 0
    # Nothing but the plaintext: a report would spoil the pipe.
    assert capfdbinary.readouterr().out == b"through a pipe"
    assert len(device.opened) == 2


@pytest.mark.usefixtures("device")
def test_reports(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Files
) -> None:
    common = ["--in", files["message"], "--padding", "pkcs1"]
    sign = ["sign", "--key", files["key"], *common, "--out", files["result"]]
    assert run_cli(monkeypatch, *sign) == 0
    assert "(107 cycles of qp_systolic with window," in capsys.readouterr().out
    assert run_cli(monkeypatch, *sign, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report.pop("seconds") >= 0
    assert report == {
        "command": "sign",
        "num_bits": 1100,
        "padding": "pkcs1",
        "hash": "sha256",
        "device": "sim",
        "engine": "qp_systolic",
        "sequencer": "window",
        "params": {},
        "check": "e",
        "rsa": {
            "engines": 2,
            "pair": True,
            "blinding": True,
            **dict.fromkeys(("derive", "loaded", "address_blinding", "public_only"), False),
            "build": "hardened",
            "context": 0,
        },
        "setup_cycles": 7,
        "exp_cycles": 100,
        "total_cycles": 107,
    }
    verify = ["verify", "--key", files["public"], *common, "--sig", files["result"], "--json"]
    assert run_cli(monkeypatch, *verify) == 0
    assert json.loads(capsys.readouterr().out)["valid"] is True
    files["message"].write_bytes(b"another message")
    assert run_cli(monkeypatch, *verify) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["valid"] is False
    assert "The signature is not valid" in captured.err


@pytest.mark.usefixtures("device")
def test_passphrase(monkeypatch: pytest.MonkeyPatch, files: Files, tmp_path: Path) -> None:
    sign = ["sign", "--key", files["locked"], "--in", files["message"], "--out", files["result"]]
    monkeypatch.setenv(os.fsdecode(b"KEY_\xff"), "open it")  # which is no text
    assert run_cli(monkeypatch, *sign, "--passin", os.fsdecode(b"env:KEY_\xff")) == 0
    for content in (b"open it", b"open it\nsecond line\n", b"open it\r\n", b"open it \n"):
        (tmp_path / "phrase").write_bytes(content)
        code = run_cli(monkeypatch, *sign, "--passin", f"file:{tmp_path / 'phrase'}")
        assert code == (2 if b" \n" in content else 0)


@pytest.mark.usefixtures("device")
def test_prompt(monkeypatch: pytest.MonkeyPatch, files: Files) -> None:
    """The prompt goes to the terminal, not to standard input, which may carry the message."""
    controller, terminal = os.openpty()
    prompts: list[str] = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        return "open it"

    monkeypatch.setattr("modfab.cli.passphrase.TERMINAL", os.ttyname(terminal))
    monkeypatch.setattr("getpass.getpass", answer)
    feed(monkeypatch, b"message")
    sign = ["sign", "--key", files["locked"], "--out", files["result"]]
    assert run_cli(monkeypatch, *sign) == 0
    assert prompts == [f"Passphrase of {files['locked']}: "]
    monkeypatch.setattr("getpass.getpass", lambda prompt: os.fsdecode(b"\xe9"))  # of another LANG
    assert run_cli(monkeypatch, *sign) == 2
    os.close(controller)
    os.close(terminal)


@pytest.mark.usefixtures("device")
def test_only_the_owner_can_read_a_plaintext(monkeypatch: pytest.MonkeyPatch, files: Files) -> None:
    encrypt = ["encrypt", "--key", files["key"], "--in", files["message"]]
    decrypt = ["decrypt", "--key", files["key"], "--in", files["result"]]
    files["back"].write_bytes(b"old")
    files["back"].chmod(0o644)
    old_umask = os.umask(0o022)
    try:
        assert run_cli(monkeypatch, *encrypt, "--out", files["result"]) == 0
        assert run_cli(monkeypatch, *decrypt, "--out", files["back"]) == 0
    finally:
        os.umask(old_umask)
    assert stat.S_IMODE(files["result"].stat().st_mode) == 0o644
    assert stat.S_IMODE(files["back"].stat().st_mode) == 0o600


@pytest.mark.usefixtures("device")
def test_link_and_device_as_output(
    monkeypatch: pytest.MonkeyPatch, files: Files, tmp_path: Path
) -> None:
    sign = ["sign", "--key", files["key"], "--in", files["message"]]
    link = tmp_path / "link"
    link.symlink_to(files["result"])
    assert run_cli(monkeypatch, *sign, "--out", link) == 0
    assert link.is_symlink()
    assert len(files["result"].read_bytes()) == 138
    assert run_cli(monkeypatch, *sign, "--out", "/dev/null") == 0
    assert not Path("/dev/null").is_file()


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("device")
def test_progress_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Files
) -> None:
    sign = ["sign", "--key", files["key"], "--in", files["message"], "--out", files["result"]]
    assert run_cli(monkeypatch, *sign) == 0
    assert capsys.readouterr().err == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert run_cli(monkeypatch, *sign) == 0
    assert "signing" in terminal.getvalue()
    assert "100%" in terminal.getvalue()
    assert "cycles/s" in terminal.getvalue()


def test_demo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], device: PythonDevice
) -> None:
    options = ["--bits", "1024", "--message", "grüß dich"]
    assert run_cli(monkeypatch, "demo", *options) == 0
    shown = capsys.readouterr().out
    assert "plaintext          grüß dich\n" in shown
    assert "same as OpenSSL    yes\n" in shown
    assert "cycles             107 (7 of them set-up)\n" in shown
    assert run_cli(monkeypatch, "demo", *options, "--json", "--device", "model") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["plaintext"], report["equals_openssl"]) == ("grüß dich", True)
    assert (report["total_cycles"], report["num_bits"]) == (107, 1024)
    assert [opened[0] for opened in device.opened] == ["sim", "model"]


def test_the_other_core(
    monkeypatch: pytest.MonkeyPatch, device: PythonDevice, files: Files
) -> None:
    common = ["--key", files["key"], "--in", files["message"]]
    assert run_cli(monkeypatch, "sign", *common, "--core", "modexp", "--out", files["result"]) == 0
    assert run_cli(monkeypatch, "verify", *common, "--sig", files["result"]) == 0
    assert [opened[2] for opened in device.opened] == [1120, 1120]


def test_options_of_the_private_core(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    device: PythonDevice,
    files: Files,
) -> None:
    sign = ["sign", "--key", files["key"], "--in", files["message"], "--out", files["result"]]
    options = ["--sequencer", "ladder", "--engines", "2", "--no-blinding", "-P", "BitsPerClock=4"]
    options += ["--engine", "bit_serial", "--build", "basic", "--derive", "--json"]
    assert run_cli(monkeypatch, *sign, *options) == 0
    report = json.loads(capsys.readouterr().out)
    chosen = {"engines": 2, "pair": False, "blinding": False, "derive": True, "loaded": False}
    unset = {"address_blinding": False, "public_only": False, "context": 0}
    assert report["rsa"] == {**chosen, "build": "basic", **unset}
    assert (report["params"], report["check"]) == ({"BitsPerClock": 4}, "e")
    assert device.config is not None
    shape, core = device.config.shape, device.config.unit
    assert (shape.engines, shape.message_blinding, shape.exponent_words) == (2, False, 0)
    assert (core.sequencer.name, core.params["BitsPerClock"]) == ("ladder", 4)
    assert device.key is not None
    assert device.derived
    assert not shape.hardened
    assert run_cli(monkeypatch, *sign, "--address-blinding", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["sequencer"], report["rsa"]["address_blinding"]) == ("ladder_masked", True)
    assert device.config.shape.address_blinding
    for wrong, text in (
        (["--build", "basic"], "--address-blinding belongs to --build hardened"),
        (["--sequencer", "window"], "Address blinding masks the slot numbers of the sequencer"),
        (["--core", "modexp"], "--address-blinding belong to --core rsa"),
    ):
        assert run_cli(monkeypatch, *sign, "--address-blinding", *wrong) == 2
        assert text in " ".join(capsys.readouterr().err.split())
    assert run_cli(monkeypatch, *sign, "--check", "again") == 2
    assert "The RSA core checks every result with the public exponent" in capsys.readouterr().err
    again = ["--core", "modexp", "--check", "again"]
    assert run_cli(monkeypatch, *sign, *again) == 0


@pytest.mark.parametrize(
    ("options", "engines", "pair"),
    [
        ([], 2, True),
        (["--engines", "2"], 2, True),
        (["--pair"], 2, True),
        (["--engines", "1"], 1, False),
        (["--no-pair"], 1, False),
        (["--no-pair", "--engines", "2"], 2, False),
        (["-P", "NumElements=4"], 1, False),
        (["-P", "NumElements=4", "--engines", "2"], 2, False),
        (["--engine", "sos"], 1, False),
    ],
)
def test_a_pair_is_used_where_it_can_be(
    monkeypatch: pytest.MonkeyPatch,
    device: PythonDevice,
    files: Files,
    options: list[str],
    engines: int,
    pair: bool,
) -> None:
    sign = ["sign", "--key", files["key"], "--in", files["message"], "--out", files["result"]]
    assert run_cli(monkeypatch, *sign, *options) == 0
    assert device.config is not None
    assert (device.config.shape.engines, device.config.shape.pair) == (engines, pair)


def test_options_that_do_not_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: Files
) -> None:
    use_device(monkeypatch, None)
    sign = ["sign", "--key", files["key"], "--in", files["message"], "--out", files["result"]]
    for options, text in (
        (["--sequencer", "l2r"], "The sequencer l2r shows the exponent in its cycles"),
        (["--core", "modexp", "--engines", "2"], "belong to --core rsa, but the core is modexp"),
        (["--core", "modexp", "--pair"], "belong to --core rsa, but the core is modexp"),
        (["--engine", "sos", "--pair"], "The engine sos cannot be shared by two halves"),
        (["--pair", "--engines", "1"], "Expected 2 engines where they are a pair, but got 1"),
        (["--core", "modexp", "--no-blinding"], "belong to --core rsa, but the core is modexp"),
        (["--loaded"], "A core on device sim starts without a key, so --loaded finds none"),
    ):
        assert run_cli(monkeypatch, *sign, *options) == 2
        assert text in capsys.readouterr().err


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize(
    "options",
    [
        "",
        "--padding pkcs1",
        "--hash sha384",
        "--salt max",
        "--salt 20 --mgf-hash sha1",
        "--hash shake128",
    ],
)
def test_the_line_that_verifies(
    options: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: Files,
) -> None:
    sign = ["sign", "--key", files["key"], "--in", files["message"], "--out", files["result"]]
    assert run_cli(monkeypatch, *sign, *options.split()) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert f" with {'pkcs1' if 'pkcs1' in options else 'pss'} and sha" in first
    words = shlex.split(second.removeprefix("verify: "))
    if words[0] == "openssl":
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "Verified OK\n"), done.stderr
    else:
        assert "shake" in options
        assert run_cli(monkeypatch, *words[1:]) == 0
