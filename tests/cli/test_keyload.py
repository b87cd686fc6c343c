# SPDX-License-Identifier: Apache-2.0
"""A key that stays in the core from one command to the next, on hardware that a model plays."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from modfab.build.rsa import rsa_core
from modfab.errors import CryptoError, DeviceError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.rsa import RsaOnModexp
from modfab.host.rsa_device import RsaDevice
from modfab.host.transport import BusError
from tests.support.cli import PythonDevice, run_cli
from tests.support.rsa_core import private_key
from tests.support.rsa_hardware import Hardware
from tests.support.rsa_keys import make_key as make_file_key
from tests.support.rsa_keys import shared_key

CONFIG = rsa_core("bit_serial", 64)
DEVICE = "uio:/dev/uio0"


def test_a_kept_key_serves_the_next_program(rng: random.Random) -> None:
    hardware, key = Hardware(CONFIG), private_key(rng)
    with RsaDevice(hardware) as first:
        first.load_key(key)
        first.lock()
        assert first.private(5).value == pow(5, key.d, key.n)
        first.keep = True
    with pytest.raises(BusError):
        hardware.read32(regs.RESULT_WINDOW)
    with RsaDevice(hardware) as second:
        second.adopt(key.public())
        assert second.private(7).value == pow(7, key.d, key.n)
        with pytest.raises(DeviceError, match="holds a locked key and takes no other"):
            second.load_key(private_key(rng))
        second.keep = True
    with RsaDevice(hardware) as third:
        with pytest.raises(DeviceError, match="The RSA core holds another key than this one"):
            third.adopt(private_key(rng).public())
        third.adopt(key.public())
    with RsaDevice(hardware) as last, pytest.raises(DeviceError, match="No key is set up"):
        last.adopt(key.public())


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / name for name in ("key", "public", "other", "message", "out", "back")}
    key = shared_key()
    plain = Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    paths["key"].write_bytes(key.private_bytes(*plain))
    paths["other"].write_bytes(make_file_key(random.Random(5)).private_bytes(*plain))
    spki = Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
    paths["public"].write_bytes(key.public_key().public_bytes(*spki))
    paths["message"].write_bytes(b"kept")
    return paths


def test_commands(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hardware = Hardware(rsa_core("redundant_mul", 512))
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: hardware)
    load = ["keyload", "--key", files["key"], "--device", DEVICE, "--no-lock"]
    assert run_cli(monkeypatch, *load) == 0
    assert "The 1024-bit key is loaded in uio:/dev/uio0" in capsys.readouterr().out
    loaded = ["--key", files["public"], "--loaded", "--device", DEVICE]
    for _ in range(2):
        sign = ["sign", *loaded, "--in", files["message"], "--out", files["out"], "--json"]
        assert run_cli(monkeypatch, *sign) == 0
        report = json.loads(capsys.readouterr().out)
        assert (report["setup_cycles"], report["rsa"]["loaded"]) == (0, True)
        assert "params" not in report, "nobody knows those of hardware"
    monkeypatch.setattr("modfab.cli.core_run.open_device", PythonDevice().open)
    verify = ["verify", "--key", files["public"], "--in", files["message"], "--sig", files["out"]]
    assert run_cli(monkeypatch, *verify) == 0
    encrypt = ["encrypt", "--key", files["public"], "--in", files["message"], "--out", files["out"]]
    assert run_cli(monkeypatch, *encrypt) == 0
    decrypt = ["decrypt", *loaded, "--in", files["out"], "--out", files["back"]]
    assert run_cli(monkeypatch, *decrypt) == 0
    assert files["back"].read_bytes() == b"kept"
    assert run_cli(monkeypatch, *decrypt, "--padding", "pkcs1") == 2
    assert "--padding pkcs1 needs the private key here" in capsys.readouterr().err
    assert run_cli(monkeypatch, *load[:-1], "--json") == 0
    assert json.loads(capsys.readouterr().out)["locked"] is True
    status = hardware.read32(regs.STATUS)
    assert status & regs.STATUS_LOCKED_MASK
    assert status & regs.STATUS_KEY_VALID_MASK


def with_two_keys(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Hardware:
    """A core that `keyload` has given a locked key in each of its two contexts."""
    hardware = Hardware(rsa_core("redundant_mul", 512, keys=2))
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: hardware)
    for name, context in (("other", "0"), ("key", "1")):
        load = ["keyload", "--key", files[name], "--context", context, "--device", DEVICE]
        assert run_cli(monkeypatch, *load, "--json") == 0
    return hardware


def test_a_key_in_another_context(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hardware = with_two_keys(files, monkeypatch)
    told = [json.loads(line)["context"] for line in capsys.readouterr().out.splitlines()]
    assert told == [0, 1]
    loaded = ["--key", files["public"], "--loaded", "--device", DEVICE]
    sign = ["sign", *loaded, "--in", files["message"], "--out", files["out"]]
    assert run_cli(monkeypatch, *sign, "--context", "1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["rsa"]["context"] == 1
    assert run_cli(monkeypatch, *sign) == 4
    assert "The RSA core holds another key than this one" in capsys.readouterr().err
    assert run_cli(monkeypatch, *sign, "--context", "2") == 2
    assert "The core has key contexts 0 to 1, but 2 was asked for" in capsys.readouterr().err
    assert hardware.read32(regs.KEYS) == 0b11 << regs.KEYS_LOCKED_SHIFT | 0b11
    unloaded = [part for part in sign if part != "--loaded"]
    assert run_cli(monkeypatch, *unloaded, "--context", "1") == 2
    assert "but --loaded was not given" in capsys.readouterr().err


def test_a_refused_command_leaves_the_core_as_it_is(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hardware = Hardware(rsa_core("redundant_mul", 512))
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: hardware)
    assert run_cli(monkeypatch, "keyload", "--key", files["key"], "--device", DEVICE) == 0
    held = regs.STATUS_LOCKED_MASK | regs.STATUS_KEY_VALID_MASK
    words: list[str | Path] = ["--in", files["message"], "--out", files["out"]]
    other: list[str | Path] = ["--key", files["other"]]
    locked = "holds a locked key and takes no other"
    refusals: list[tuple[str, list[str | Path], str]] = [
        ("keyload", other, locked),
        ("sign", [*other, *words], locked),
        ("selftest", [], "holds a key, and its self-test would wipe it"),
        ("keygen", ["--out", files["back"]], locked),
        ("sign", ["--loaded", *other, *words], "holds another key than this"),
    ]
    for command, options, message in refusals:
        assert run_cli(monkeypatch, command, *options, "--device", DEVICE) == 4
        assert message in capsys.readouterr().err
        assert hardware.read32(regs.STATUS) & held == held, command
    assert not files["out"].exists()
    assert run_cli(monkeypatch, "zeroize", "--device", DEVICE) == 0
    assert capsys.readouterr().out == f"The core in {DEVICE} is empty.\n"
    assert not hardware.read32(regs.STATUS) & held
    assert run_cli(monkeypatch, "keyload", "--key", files["other"], "--device", DEVICE) == 0


def test_zeroize_takes_one_context_or_all(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hardware = with_two_keys(files, monkeypatch)
    capsys.readouterr()
    zeroize = ["zeroize", "--device", DEVICE, "--json"]
    assert run_cli(monkeypatch, *zeroize, "--context", "0") == 0
    assert json.loads(capsys.readouterr().out)["context"] == 0
    assert hardware.read32(regs.KEYS) & regs.KEYS_VALID_MASK == 0b10
    assert run_cli(monkeypatch, *zeroize, "--context", "2") == 2
    assert "The core has key contexts 0 to 1, but 2 was asked for" in capsys.readouterr().err
    assert run_cli(monkeypatch, *zeroize) == 0
    assert hardware.read32(regs.KEYS) & regs.KEYS_VALID_MASK == 0


def test_a_simulated_core_keeps_no_key(
    files: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "keyload", "--key", files["key"], "--device", "sim") == 2
    assert "would be gone when this command ends" in capsys.readouterr().err
    assert run_cli(monkeypatch, "zeroize", "--device", "model") == 2
    assert "A simulated core has no key before its command" in capsys.readouterr().err


def test_the_exponentiator_needs_the_private_key(rng: random.Random) -> None:
    with pytest.raises(CryptoError, match="needs the private key, but only the public one"):
        RsaOnModexp(PythonDevice()).private_operation(private_key(rng).public())
