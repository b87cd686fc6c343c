# SPDX-License-Identifier: Apache-2.0
"""`modfab keygen` on the simulated core, on the golden model, and on hardware that it plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from Crypto.PublicKey import RSA

from modfab.build.rsa import rsa_core
from modfab.errors import DeviceError
from modfab.host.keys import RsaPublic
from modfab.host.rsa_device import RsaDevice
from modfab.models.rsa.entry import RsaEntry
from tests.support.cli import run_cli
from tests.support.rsa_hardware import Hardware

CORE = ["--engine", "bit_serial", "--engines", "2", "--seq", "ladder", "-P", "BitsPerClock=8"]
CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, engines=2, keygen=True)


@pytest.mark.parametrize("device", ["sim", "uio:/dev/uio0"])
def test_the_public_key_comes_out(
    device: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hardware = Hardware(CONFIG)
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: hardware)
    out = tmp_path / "public.pem"
    cycles = sum(CONFIG.programs().program(e, 65537) for e in (RsaEntry.DERIVE, RsaEntry.KEY))
    assert run_cli(monkeypatch, "keygen", "--device", device, *CORE, "--out", str(out)) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith(f"The public key of 128 bits is in {out}")
    assert f"({cycles:,} cycles)" in text
    n = RSA.import_key(out.read_bytes()).n
    assert n.bit_length() == 128
    if device != "sim":
        check_kept(hardware, n)


def check_kept(hardware: Hardware, n: int) -> None:
    """The next program finds the key, and cannot change it."""
    with RsaDevice(hardware) as core:
        core.adopt(RsaPublic(n=n, e=65537))
        with pytest.raises(DeviceError, match="holds a locked key and takes no other"):
            core.generate_key()


def test_a_public_key_that_cannot_be_written_leaves_no_private_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody could use that one, and it would be locked."""
    hardware = Hardware(CONFIG)
    monkeypatch.setattr("modfab.host.rsa_open.open_uio", lambda path, map_bytes: hardware)
    words = ["keygen", "--device", "uio:/dev/uio0", *CORE]
    assert run_cli(monkeypatch, *words, "--out", "/dev/full") == 3
    assert "/dev/full" in capsys.readouterr().err
    with RsaDevice(hardware) as core:
        assert (core.valid_keys, core.locked_keys) == ((False,), (False,))


def test_a_key_that_does_not_compute_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def made(core: RsaDevice, progress: object) -> tuple[RsaPublic, int]:
        return RsaPublic(n=77, e=7), 1

    monkeypatch.setattr(RsaDevice, "generate_key", made)
    out = tmp_path / "public.pem"
    assert run_cli(monkeypatch, "keygen", "--device", "model", *CORE, "--out", str(out)) == 2
    assert "No key is set up" in capsys.readouterr().err
    assert not out.exists()


def test_pem_and_json_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    words = ["keygen", "--device", "model", *CORE, "--bits", "192"]
    assert run_cli(monkeypatch, *words) == 0
    assert RSA.import_key(capfdbinary.readouterr().out).n.bit_length() == 192
    assert run_cli(monkeypatch, *words, "--no-lock", "--json") == 0
    report = json.loads(capfdbinary.readouterr().out)
    assert (report["num_bits"], int(report["n"], 16).bit_length()) == (192, 192)
    assert (report["rsa"]["keygen"], report["locked"], report["e"]) == (True, False, 65537)


def test_options_that_make_no_sense(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, text in (
        (["--device", "uio:/dev/uio9", "--bits", "128"], "is as wide as it was built"),
        (["--device", "model", "--bits", "130"], "a multiple of 32 bits"),
        (["--out", str(tmp_path)], "is a folder"),
    ):
        assert run_cli(monkeypatch, "keygen", *words) == 2
        assert text in " ".join(capsys.readouterr().err.split())
