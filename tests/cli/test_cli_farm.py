# SPDX-License-Identifier: Apache-2.0
"""The command `modfab farm`."""

from __future__ import annotations

import json

import pytest

from modfab.build.rsa import rsa_core
from modfab.host.farm_device import FarmDevice
from tests.support.cli import run_cli

SMALL = "farm --engine bit_serial -P BitsPerClock=8 --bits 128 --cores 2".split()


def test_a_full_queue(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(monkeypatch, *SMALL, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["jobs"] == 12
    assert report["jobs_of_core"] == [6, 6]
    assert report["faults_of_core"] == [0, 0]
    assert 1.96 <= report["speedup"] <= 2.0
    assert run_cli(monkeypatch, *SMALL, "--public", "--jobs", "5") == 0
    assert "5, all right" in capsys.readouterr().out


PAIR = "farm --engine qp_systolic --seq window --bits 128 --rsa engines=2 --rsa pair=1".split()


def test_a_farm_of_pair_cores(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, *PAIR, "--rsa", "cores=2", "--jobs", "4", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["jobs_of_core"] == [2, 2]
    config = rsa_core("qp_systolic", 64, sequencer="window", engines=2, pair=True)
    assert report["operation_cycles"] == config.cycles()["private"]


def test_options_of_the_cores(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, told in (
        (["--cores", "2", "--rsa", "cores=2"], "--cores and --rsa cores=2 say the same"),
        (["--cores", "2", "--rsa", "cores=3"], "--cores and --rsa cores=3 contradict"),
        (["--engines", "2"], "--engines and --rsa engines=2 say the same"),
        (["--rsa", "cores=33"], "Expected 1 to 32 cores, but got 33"),
        (["--rsa", "pairs=1"], "An RSA core has no option 'pairs'"),
        (["--rsa", "public_only=1"], "public_only"),
    ):
        assert run_cli(monkeypatch, *PAIR, *words) == 2
        assert told in " ".join(capsys.readouterr().err.split())


def test_too_few_jobs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(monkeypatch, *SMALL, "--jobs", "2") == 2
    assert "Expected more jobs than cores" in capsys.readouterr().err


def test_a_wrong_power_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = FarmDevice.run

    def wrong(device: FarmDevice, bases: list[int], *rest: object) -> list[int]:
        del rest
        return [power ^ 1 for power in run(device, bases)]

    monkeypatch.setattr(FarmDevice, "run", wrong)
    assert run_cli(monkeypatch, *SMALL) != 0
    assert "The farm returned a wrong result" in capsys.readouterr().err
