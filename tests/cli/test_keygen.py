# SPDX-License-Identifier: Apache-2.0
"""`modfab keygen` on the simulated core and on the golden model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from Crypto.PublicKey import RSA

from modfab.build.rsa import rsa_core
from modfab.models.rsa.entry import RsaEntry
from tests.support.cli import run_cli

CORE = ["--engine", "bit_serial", "--engines", "2", "--seq", "ladder", "-P", "BitsPerClock=8"]
CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, engines=2, keygen=True)


@pytest.mark.parametrize("device", ["sim", "model"])
def test_the_public_key_comes_out(
    device: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "public.pem"
    cycles = sum(CONFIG.programs().program(e, 65537) for e in (RsaEntry.DERIVE, RsaEntry.KEY))
    assert run_cli(monkeypatch, "keygen", "--device", device, *CORE, "--out", str(out)) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith(f"The public key of 128 bits is in {out}")
    assert f"({cycles:,} cycles)" in text
    n = RSA.import_key(out.read_bytes()).n
    assert n.bit_length() == 128


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
        (["--core", "modexp"], "Only the RSA core makes keys"),
        (["--derive"], "--derive or --loaded is about one that exists"),
        (["--device", "uio:/dev/uio9", "--bits", "128"], "is as wide as it was built"),
        (["--device", "model", "--bits", "130"], "a multiple of 32 bits"),
        (["--out", str(tmp_path)], "is a folder"),
    ):
        assert run_cli(monkeypatch, "keygen", *words) == 2
        assert text in " ".join(capsys.readouterr().err.split())
