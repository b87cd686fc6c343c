# SPDX-License-Identifier: Apache-2.0
"""`modfab selftest` on the simulated core and on the golden model."""

from __future__ import annotations

import json

import pytest

from modfab.build.rsa import rsa_core
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.machine import RsaModel, RsaRun
from tests.support.cli import run_cli

CORE = ["--engine", "bit_serial", "--engines", "1", "--bits", "128", "-P", "BitsPerClock=8"]
CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, sequencer="window")


@pytest.mark.parametrize("device", ["sim", "model"])
def test_it_passes(
    device: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cycles = CONFIG.programs().program(RsaEntry.TEST, 0)
    assert run_cli(monkeypatch, "selftest", "--device", device, *CORE) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"of 128 bits on device {device} gave the known answer" in out
    assert f"({cycles:,} cycles)" in out
    assert run_cli(monkeypatch, "selftest", "--device", device, *CORE, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["passed"], report["cycles"], report["num_bits"]) == (True, cycles, 128)
    assert (report["engine"], report["sequencer"]) == ("bit_serial", "window")


def test_masked_slot_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["selftest", "--device", "model", *CORE, "--address-blinding", "--json"]
    assert run_cli(monkeypatch, *words) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["sequencer"], report["rsa"]["address_blinding"]) == ("ladder_masked", True)


def test_it_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(RsaModel, "run", lambda *_: RsaRun(RsaStatus.TEST, 1))
    words = ["selftest", "--device", "model", *CORE]
    assert run_cli(monkeypatch, *words, "--json") == 4
    captured = capsys.readouterr()
    assert json.loads(captured.out)["passed"] is False
    assert "did not give the known answer of its self-test" in " ".join(captured.err.split())


def test_options_that_make_no_sense(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--device", "uio:/dev/uio9", "--bits", "128"]
    assert run_cli(monkeypatch, "selftest", *words) == 2
    assert "is as wide as it was built" in " ".join(capsys.readouterr().err.split())
