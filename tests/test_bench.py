# SPDX-License-Identifier: Apache-2.0
"""`modfab bench`: operations, frequency from the store, OpenSSL beside it, the report."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.store import Store
from modfab.gen.rsa import rsa_config, shape_record
from modfab.host.keys import RsaPrivate
from modfab.models.rsa_status import RsaEntry
from modfab.report.bench import frequency_of, openssl_speed, parse_operation, random_key
from tests.cli import PythonDevice, run_cli, use_device
from tests.flow.test_store import record


@pytest.fixture(autouse=True)
def empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path))
    monkeypatch.setattr("modfab.cli.bench_cmd.checkout_dir", lambda: None)


def routed(num_bits: int, seed: int, mhz: float, **changes: int) -> Record:
    config = rsa_config("bit_serial", num_bits, changes).core
    base = record(seed=seed, mhz=mhz)
    request = replace(base.request, params=dict(config.params), target="ecp5-85k", freq_mhz=200.0)
    return replace(base, request=request)


@pytest.mark.parametrize("text", ["rsa2048", "rsa510-sign", "rsa1025-sign", "dsa1024-sign", "x"])
def test_unknown_operations(text: str) -> None:
    with pytest.raises(UsageError, match="Expected rsaBITS-sign, rsaBITS-decrypt or rsaBITS-veri"):
        parse_operation(text)


@pytest.mark.parametrize("num_bits", [512, 514])
def test_keys(num_bits: int) -> None:
    key = random_key(num_bits)
    assert key.n.bit_length() == num_bits
    assert key.n == key.p * key.q
    assert pow(pow(5, key.e, key.n), key.d, key.n) == 5
    assert isinstance(key, RsaPrivate)


def test_frequency_is_the_median_of_the_same_configuration() -> None:
    records = [routed(256, seed, mhz) for seed, mhz in ((1, 60.0), (2, 90.0), (3, 70.0))]
    records += [routed(256, 1, 99.0, BitsPerClock=2), routed(512, 1, 50.0)]
    config = rsa_config("bit_serial", 256)
    for chosen in (config, config.core):
        found = frequency_of(records, chosen, "ecp5-85k")
        assert found is not None
        assert (found.mhz, found.num_seeds, found.level) == (70.0, 3, "mul")
    assert frequency_of(records, config, "ecp5-25k") is None
    whole = routed(256, 1, 42.0)
    shape = shape_record(config)
    request = replace(whole.request, level="rsa", exp_bits=config.core.exp_bits, rsa=shape)
    records.append(replace(whole, request=request))
    found = frequency_of(records, config, "ecp5-85k")
    assert found is not None
    assert (found.mhz, found.level) == (42.0, "rsa")
    found = frequency_of(records, rsa_config("bit_serial", 256, engines=2), "ecp5-85k")
    assert found is not None
    assert found.level == "mul"
    lanes = replace(routed(256, 1, 90.0).request, engine="qp_systolic")
    lanes = replace(lanes, params=get_engine("qp_systolic").resolve(256))
    records = [replace(routed(256, 1, 90.0), request=lanes)]
    halves = rsa_config("qp_systolic", 256, engines=2, pair=True, sequencer="window")
    found = frequency_of(records, halves, "ecp5-85k")
    assert found is not None
    assert (found.mhz, found.level) == (90.0, "mul")
    two = rsa_config("qp_systolic", 256, {"Contexts": 1}, engines=2)
    assert frequency_of(records, two, "ecp5-85k") is None


def test_openssl_says_how_fast_it_is() -> None:
    speed = openssl_speed(1024)
    assert not isinstance(speed, str), speed
    assert speed.version.startswith("OpenSSL ")
    assert speed.public_per_s > speed.private_per_s > 0


def test_openssl_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert openssl_speed(1026) == "openssl speed does not know rsa1026"
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert openssl_speed(1024) == "openssl is not installed"


@pytest.mark.parametrize("kind", ["sign", "decrypt", "verify"])
def test_report(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = PythonDevice()
    use_device(monkeypatch, fake)
    words = ["bench", "--op", f"rsa512-{kind}", "--engine", "bit_serial", "--no-openssl"]
    words += ["--seq", "ladder"]
    assert run_cli(monkeypatch, *words) == 0
    text = capsys.readouterr().out
    bits, sequencer = (512, "l2r") if kind == "verify" else (256, "ladder")
    assert re.search(r"^cycles +100 *$", text, re.MULTILINE)
    assert f"bit_serial, {bits} bits, is not routed on ecp5-85k" in text
    assert f"`modfab synth --engine bit_serial --bits {bits} --target ecp5-85k --route`" in text
    Store().add(routed(bits, 1, 50.0))
    assert run_cli(monkeypatch, *words, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["frequency"] == {"mhz": 50.0, "num_seeds": 1, "level": "mul"}
    assert report["per_second"] == 50e6 / 100
    assert (report["setup_cycles"], report["openssl"]) == (7, "not asked")
    assert fake.opened == [("sim", "bit_serial", bits, sequencer)] * 2


def test_a_wrong_result_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_device(monkeypatch, PythonDevice())
    monkeypatch.setattr("modfab.cli.bench_cmd.random_message", lambda key: key.n + 1)
    assert run_cli(monkeypatch, "bench", "--op", "rsa512-sign", "--no-openssl") != 0
    assert "returned a wrong power" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--engines", "2", "--check", "again", "--derive"]])
def test_on_the_simulated_core(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "--op", "rsa512-sign", "-P", "BitsPerClock=8", "--no-openssl", "--json"]
    words += ["--engine", "bit_serial", "--seq", "ladder"]
    assert run_cli(monkeypatch, *words, *options) == 0
    report = json.loads(capsys.readouterr().out)
    config = rsa_config("bit_serial", 256, {"BitsPerClock": 8}, engines=2 if options else 1)
    e_bits = 0 if options else 17
    cycles = config.cycles()
    assert report["cycles"] == cycles.program(RsaEntry.PRIVATE, e_bits)
    assert sum(report["parts"].values()) == report["cycles"]
    setup = [RsaEntry.KEY, *([RsaEntry.DERIVE] if options else [])]
    assert report["setup_cycles"] == sum(cycles.program(entry, e_bits) for entry in setup)
