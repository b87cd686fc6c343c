# SPDX-License-Identifier: Apache-2.0
"""`modfab bench`: operations, frequency from the store, OpenSSL beside it, the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from modfab.build.core import Core, modexp_core
from modfab.build.rsa import rsa_core
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.store import Store
from modfab.host.keys import RsaPrivate
from modfab.models.rsa.entry import RsaEntry
from modfab.report.bench import OpenSslSpeed, openssl_speed, parse_operation, random_key
from tests.flow.test_store import record
from tests.support.cli import PythonDevice, run_cli, use_device


@pytest.fixture(autouse=True)
def empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path)


def routed(config: Core, level: str, seed: int, mhz: float) -> Record:
    """A routing of one level of a core."""
    core = config.unit
    base = record(seed=seed, mhz=mhz, cycles={})
    request = replace(
        base.request,
        engine=core.engine.name,
        sequencer=core.sequencer_name,
        level=level,
        params=dict(core.params),
        exp_bits=core.exp_bits,
        rsa=config.choices() if level.startswith("rsa") else None,
    )
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


def test_openssl_says_how_fast_it_is() -> None:
    speed = openssl_speed(1024)
    assert not isinstance(speed, str), speed
    assert speed.version.startswith("OpenSSL ")
    assert speed.public_per_s > speed.private_per_s > 0


def test_openssl_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert openssl_speed(1026) == "openssl speed does not know rsa1026"
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert openssl_speed(1024) == "openssl is not installed"


KINDS: dict[str, tuple[str, Core]] = {
    "sign": ("rsa", rsa_core("bit_serial", 256)),
    "decrypt": ("rsa", rsa_core("bit_serial", 256)),
    "verify": ("modexp", modexp_core("bit_serial", 512, {}, "l2r")),
}
"""Operation -> level of the core that does it, and that core."""


class Bench:
    """`modfab bench` of 100 cycles on a fake device."""

    def __init__(self, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.words = ["bench", "--op", f"rsa512-{kind}", "--engine", "bit_serial", "--no-openssl"]
        self.words += [] if kind == "verify" else ["--seq", "ladder"]
        self.monkeypatch = monkeypatch
        self.device = PythonDevice()
        use_device(monkeypatch, self.device)

    def text(self, capsys: pytest.CaptureFixture[str]) -> str:
        """What is printed, blanks joined."""
        assert run_cli(self.monkeypatch, *self.words) == 0
        return " ".join(capsys.readouterr().out.split())

    def data(self, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
        """What is printed for machines."""
        assert run_cli(self.monkeypatch, *self.words, "--json") == 0
        report: dict[str, Any] = json.loads(capsys.readouterr().out)
        return report


@pytest.mark.parametrize(
    ("options", "core"),
    [
        ("--engines 2", "RSA core, engines: 2, blinded, check: e"),
        ("--engines 1 --no-blinding", "RSA core, engines: 1, not blinded, check: e"),
        ("--engine qp_systolic", "RSA core, engines: 2, a pair, blinded, check: e"),
        (
            "--seq ladder_masked --address-blinding",
            "RSA core, engines: 1, blinded, slot numbers masked, check: e",
        ),
        ("--core modexp", "exponentiator modulo n"),
    ],
)
def test_the_core_is_named(
    options: str,
    core: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bench = Bench("sign", monkeypatch)
    bench.words += options.split()
    assert f": {core} cycles" in bench.text(capsys)


@pytest.mark.parametrize(("kind", "rate"), [("sign", 8.0), ("decrypt", 8.0), ("verify", 99.0)])
def test_openssl_beside_it_does_the_same(
    kind: str, rate: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    speed = OpenSslSpeed("OpenSSL 9", 8.0, 99.0)
    monkeypatch.setattr("modfab.cli.bench_cmd.openssl_speed", lambda bits: speed)
    bench = Bench(kind, monkeypatch)
    bench.words.remove("--no-openssl")
    assert bench.data(capsys)["openssl_per_second"] == rate
    text = bench.text(capsys)
    assert f"{rate} a second (OpenSSL 9)" in text
    assert "ours by OpenSSL's" not in text
    level, config = KINDS[kind]
    Store().add(routed(config, level, 1, 50.0))
    assert f"ours by OpenSSL's {500_000 / rate:.4f}" in bench.text(capsys)


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_routed_core_there_is_no_rate(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench, (level, config) = Bench(kind, monkeypatch), KINDS[kind]
    sequencer = "l2r" if kind == "verify" else "ladder"
    command = f"modfab synth --engine bit_serial --bits 512 --level {level} --sequencer {sequencer}"
    command += " --target ecp5-85k --route"
    text = bench.text(capsys)
    assert f"this core is not routed on ecp5-85k; `{command}` measures it" in text
    assert " cycles 100 " in text
    assert "operations a second - " in text
    assert "upper bound" not in text
    Store().add(routed(config, "engine", 1, 90.0))
    report = bench.data(capsys)
    assert (report["frequency"], report["per_second"]) == (None, None)
    assert report["cycles"] == 100
    assert report["to_measure"] == command
    assert report["engine_frequency"] == {"mhz": 90.0, "num_seeds": 1, "level": "engine"}
    text = bench.text(capsys)
    assert (
        "upper bound 90.0 MHz (level engine, 1 seed): the engine alone on ecp5-85k, no ti" in text
    )
    assert "operations a second - " in text


@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_of_a_routed_core(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench, (level, config) = Bench(kind, monkeypatch), KINDS[kind]
    Store().add(routed(config, "engine", 1, 90.0))
    Store().add(routed(config, level, 1, 50.0))
    report = bench.data(capsys)
    assert report["frequency"] == {"mhz": 50.0, "num_seeds": 1, "level": level}
    assert (report["per_second"], report["to_measure"]) == (50e6 / 100, None)
    assert (report["setup_cycles"], report["openssl"]) == (7, "not asked")
    bits, sequencer = (512, "l2r") if kind == "verify" else (256, "ladder")
    assert bench.device.opened == [("sim", "bit_serial", bits, sequencer)]
    text = bench.text(capsys)
    assert f"50.0 MHz (level {level}, 1 seed)" in text
    assert "operations a second 500,000.0" in text
    assert "upper bound" not in text


def test_a_wrong_result_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_device(monkeypatch, PythonDevice())
    monkeypatch.setattr("modfab.cli.bench_cmd.random_message", lambda key: key.n + 1)
    assert run_cli(monkeypatch, "bench", "--op", "rsa512-sign", "--no-openssl") != 0
    assert "returned a wrong result" in capsys.readouterr().err


@pytest.mark.parametrize("options", [[], ["--engines", "2", "--derive"]])
def test_on_the_simulated_core(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "--op", "rsa512-sign", "-P", "BitsPerClock=8", "--no-openssl", "--json"]
    words += ["--engine", "bit_serial", "--seq", "ladder"]
    assert run_cli(monkeypatch, *words, *options) == 0
    report = json.loads(capsys.readouterr().out)
    config = rsa_core("bit_serial", 256, {"BitsPerClock": 8}, engines=2 if options else 1)
    cycles = config.programs()
    assert report["cycles"] == cycles.program(RsaEntry.PRIVATE, 65537)
    assert sum(report["parts"].values()) == report["cycles"]
    setup = [RsaEntry.KEY, *([RsaEntry.DERIVE] if options else [])]
    assert report["setup_cycles"] == sum(cycles.program(entry, 65537) for entry in setup)


@pytest.mark.parametrize("kind", KINDS)
def test_hardware_is_what_it_says(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing that is stored of the chosen core is said of the core on the board."""
    bench, (level, config) = Bench(kind, monkeypatch), KINDS[kind]
    bench.words += ["--device", "uio:/dev/uio0"]
    Store().add(routed(config, "engine", 1, 90.0))
    Store().add(routed(config, level, 1, 50.0))
    report = bench.data(capsys)
    assert (report["engine"], report["sequencer"]) == ("sos", "r2l")
    missing = "frequency", "engine_frequency", "per_second", "to_measure"
    assert [report[name] for name in missing] == [None] * 4
    text = bench.text(capsys)
    assert "sos with r2l: as it was built cycles" in text
    assert "frequency - (that of the device)" in text
    assert "bit_serial" not in text
