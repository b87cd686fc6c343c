# SPDX-License-Identifier: Apache-2.0
"""The command `modfab farm`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.build.farm import farm_core
from modfab.flow.record import Record, Request
from modfab.flow.store import Store
from modfab.flow.stored import current
from modfab.host.farm_device import FarmDevice
from modfab.report.farm_fit import fits
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


def test_how_many_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path))
    monkeypatch.setattr("modfab.cli.farm_cmd.read_folder", lambda folder: [])
    assert run_cli(monkeypatch, "farm", "--fit") == 2
    assert "No RSA core has been measured" in capsys.readouterr().err
    config = farm_core("sos", 256, 2)
    request = Request(
        engine="sos",
        sequencer="ladder",
        level="farm_axil",
        params=dict(config.unit.params),
        exp_bits=config.unit.exp_bits,
        target="ecp5-85k",
        rsa=config.choices(),
    )
    area = {"lut": 6000, "ff": 4000, "multipliers": 22, "block_rams": 30}
    cycles = {"private": 1_000_000}
    date = "2026-01-01T00:00:00Z"
    alone = Record(request, "digest", {}, "", date, cycles, area, {}, None, {}, {}, 1.0)
    Store().add(alone)
    assert run_cli(monkeypatch, "farm", "--fit") == 0
    assert "block RAMs" in capsys.readouterr().out
    (fit,) = fits(current([alone, replace(alone, request=replace(request, seed=1), mhz=200.0)]))
    assert (fit.cores, fit.limit, fit.measured_cores) == (2 * 208 // 30, "block RAMs", 2)
    assert fit.per_s == 2 * 200.0  # of the cores that were routed, not of those that fit
    Store().add(replace(alone, request=replace(request, seed=1, freq_mhz=200.0), mhz=200.0))
    assert run_cli(monkeypatch, "farm", "--fit") == 0
    shown = capsys.readouterr().out
    assert "200.0 (1)" in shown
    assert "--level farm --rsa cores=N --route" in " ".join(shown.split())
    assert fits(current([replace(alone, request=replace(request, target="xc7"))])) == []
