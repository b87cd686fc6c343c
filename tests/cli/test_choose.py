# SPDX-License-Identifier: Apache-2.0
"""The command `modfab choose`."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from modfab.build.core import BUS, Core
from modfab.build.farm import farm_core
from modfab.build.rsa import rsa_core
from modfab.errors import UsageError
from modfab.flow.measure import Options
from modfab.flow.store import Store
from modfab.flow.targets import TARGETS
from modfab.report.bench import OpenSslSpeed, Operation
from modfab.report.others import Other, openssl_other
from tests.report.test_choosing import stored
from tests.support.cli import run_cli

ASK = "choose --op rsa512-sign --target ecp5-85k".split()


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path / "results")
    return Store()


@pytest.fixture(autouse=True)
def openssl(monkeypatch: pytest.MonkeyPatch) -> None:
    def speed(operation: Operation) -> Other:
        return openssl_other(operation, OpenSslSpeed("OpenSSL 9", 8.0, 99.0), "a CPU", "today")

    monkeypatch.setattr("modfab.cli.choose_cmd.openssl_here", speed)


def test_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, *ASK) == 1
    assert "--bits 512 --level rsa_axil --target ecp5-85k --route" in capsys.readouterr().out
    assert run_cli(monkeypatch, *ASK, "--json") == 1
    assert json.loads(capsys.readouterr().out)["choices"] == []


@pytest.mark.parametrize("name", TARGETS)
def test_the_command_for_a_measurement_is_one_that_runs(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, *ASK[:4], name) == 1
    (words,) = re.findall(r"`modfab (synth [^`]*)`", " ".join(capsys.readouterr().out.split()))
    assert ("--route" in words) == TARGETS[name].routable
    asked: list[tuple[str, bool]] = []

    def measure(_: object, target: str, options: Options, **__: object) -> NoReturn:
        asked.append((target, bool(options.seeds)))
        raise UsageError("Enough.")

    monkeypatch.setattr("modfab.cli.synth_cmd.measure", measure)
    assert run_cli(monkeypatch, *words.split()) == 2
    assert asked == [(name, TARGETS[name].routable)]


def test_a_family_without_a_router_has_areas_and_no_rates(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    made = stored(rsa_core("sos", 256), "rsa_axil", None)
    store.add(replace(made, request=replace(made.request, target="xcup")))
    assert run_cli(monkeypatch, *ASK[:4], "xcup") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "No open router knows this family" in shown
    assert "LUT6" in shown
    assert "LUT4" not in shown
    assert "--route" not in shown
    assert run_cli(monkeypatch, *ASK[:4], "xcup", "--min-rate", "3") == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "there are areas, and no rates. Leave --min-rate" in shown
    assert run_cli(monkeypatch, *ASK[:4], "xcup", "--fill") == 2
    assert "xcup is a family of devices" in capsys.readouterr().err


def test_choices_with_their_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(stored(rsa_core("sos", 256, engines=2), "rsa_axil", 120.0))
    store.add(stored(farm_core("sos", 256, 3), "farm_axil", 100.0))
    assert run_cli(monkeypatch, *ASK) == 0
    shown = capsys.readouterr().out
    assert "modfab build --core rsa --engine sos --bits 512" in shown
    assert "--rsa engines=2" in shown
    assert "120.0 (1)" in shown
    assert run_cli(monkeypatch, *ASK, "--fill", "--json") == 0
    choices = json.loads(capsys.readouterr().out)["choices"]
    assert [choice["cores"] for choice in choices] == [3, 1]
    names = {"per_second", "latency_ms", "lut", "mhz", "seeds", "level", "build"}
    assert names <= set(choices[0])


def test_nothing_fits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(stored(rsa_core("sos", 256), "rsa_axil", 120.0))
    assert run_cli(monkeypatch, *ASK, "--max-lut", "5000", "--max-mult", "30") == 1
    assert "--max-lut 5,000: it has 6,000, off by 1,000" in capsys.readouterr().out
    assert run_cli(monkeypatch, *ASK, "--max-lut", "5000", "--json") == 1
    near = json.loads(capsys.readouterr().out)["nearest"]
    assert near["misses"][0] == {"limit": "--max-lut", "wanted": 5000, "found": 6000}


@pytest.mark.parametrize(
    "core", [rsa_core("sos", 256), farm_core("sos", 256, 3)], ids=["core", "farm"]
)
def test_what_is_larger_than_the_device_does_not_fill_it(
    core: Core, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(stored(core, core.kind + BUS, None, lut=99_000, ff=90_000))
    assert run_cli(monkeypatch, *ASK, "--fill") == 1
    shown = capsys.readouterr().out
    assert "LUT4 of the device 83,640: it has 99,000, off by 15,360" in shown
    assert "flip-flops of the device 83,640: it has 90,000, off by 6,360" in shown
    assert "multipliers of the device" not in shown
    store.add(stored(rsa_core("sos", 256, engines=2), "rsa", None, lut=6000))
    assert run_cli(monkeypatch, *ASK, "--fill", "--max-lut", "5900", "--json") == 1
    near = json.loads(capsys.readouterr().out)["nearest"]
    assert near["misses"] == [{"limit": "--max-lut", "wanted": 5900, "found": 6000}]


def test_others_stand_beside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], store: Store
) -> None:
    store.add(stored(rsa_core("sos", 1024), "rsa_axil", 120.0))
    ask = [*ASK[:2], "rsa2048-sign", *ASK[3:]]
    assert run_cli(monkeypatch, *ask) == 0
    shown = capsys.readouterr().out
    for words in ("OpenSSL 9", "CrypTech HSM", "FPGA HSM", "OTBN", "https://lists.cryptech.is"):
        assert words in shown
    assert run_cli(monkeypatch, *ask, "--no-openssl", "--json") == 0
    others = json.loads(capsys.readouterr().out)["others"]
    assert [other["name"] for other in others] == ["CrypTech HSM", "OpenTitan OTBN"]
    assert run_cli(monkeypatch, *ASK, "--json") == 1
    (here,) = json.loads(capsys.readouterr().out)["others"]
    assert (here["name"], here["form"], here["per_second"]) == ("OpenSSL 9", "a CPU", 8.0)


def test_bad_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(monkeypatch, "choose", "--op", "rsa2048") == 2
    assert "Expected rsaBITS-sign" in capsys.readouterr().err
    assert run_cli(monkeypatch, *ASK[:3], "--target", "z80") == 2
    assert "There is no target 'z80'" in capsys.readouterr().err
