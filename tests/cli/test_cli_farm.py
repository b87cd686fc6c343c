# SPDX-License-Identifier: Apache-2.0
"""The command `modfab farm`."""

from __future__ import annotations

import json

import pytest

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
