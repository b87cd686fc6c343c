# SPDX-License-Identifier: Apache-2.0
"""`modfab engines`, `cycles`, `mul` and `powmod`."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from modfab.catalog import ENGINES, get_engine
from tests.support.cli import run_cli


def run_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object
) -> dict[str, object]:
    assert run_cli(monkeypatch, *words, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert isinstance(record, dict)
    return record


def test_engines_lists_the_catalogue(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "engines", "--json") == 0
    names = [record["engine"] for record in json.loads(capsys.readouterr().out)]
    assert names == list(ENGINES)
    assert run_cli(monkeypatch, "engines") == 0
    assert "bit_serial" in capsys.readouterr().out


def test_cycles_are_the_formulas(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = run_json(
        monkeypatch, capsys, "cycles", "--engine", "bit_serial", "--bits", 256, "-P", "Variant=0"
    )
    engine = get_engine("bit_serial")
    params = engine.resolve(256, {"Variant": 0})
    assert record["product"] == engine.cycles.mul(params) == 514
    powers = record["exponentiation"]
    assert isinstance(powers, dict)
    assert powers["ladder"]["worst"] == powers["ladder"]["expected"]
    assert powers["l2r"]["65537"] == 19 * 514 + 2
    assert powers["l2r"]["65537"] < powers["l2r"]["expected"] < powers["l2r"]["worst"]
    words = ("cycles", "--engine", "bit_serial", "--bits", 256)
    assert run_cli(monkeypatch, *words) == 0
    assert "132,614" in capsys.readouterr().out


def test_mul_runs_the_rtl(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rng: random.Random
) -> None:
    modulus = rng.getrandbits(60) | 1 << 59 | 1
    a, b = rng.randrange(modulus), rng.randrange(modulus)
    words = ("mul", "--engine", "bit_serial", "--bits", 64, "--mod", hex(modulus))
    record = run_json(monkeypatch, capsys, *words, "--a", hex(a), "--b", hex(b))
    r_bits = record["r_bits"]
    assert isinstance(r_bits, int)
    assert int(str(record["result"]), 16) == a * b * pow(1 << r_bits, -1, modulus) % modulus
    assert record["cycles"] == 66


@pytest.mark.parametrize("device", ["sim", "model"])
@pytest.mark.parametrize("sequencer", ["ladder", "l2r"])
def test_powmod(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    rng: random.Random,
    sequencer: str,
    device: str,
) -> None:
    modulus = rng.getrandbits(40) | 1 << 39 | 1
    base, exponent = rng.randrange(modulus), rng.getrandbits(40)
    words = ["powmod", "--engine", "bit_serial", "--bits", 40, "--mod", hex(modulus)]
    words += ["--base", hex(base), "--exp", hex(exponent), "--seq", sequencer]
    record = run_json(monkeypatch, capsys, *words, "--device", device)
    assert int(str(record["result"]), 16) == pow(base, exponent, modulus)
    products = (
        2 * 40 + 2 if sequencer == "ladder" else exponent.bit_length() + f"{exponent:b}".count("1")
    )
    assert record["cycles"] == products * 42 + 2
    assert record["setup_cycles"] == 82


def test_results_for_people(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The numbers, what they cost, and how the typed ones were read."""
    common = ("--engine", "bit_serial", "--bits", "64", "--mod", "197")
    assert run_cli(monkeypatch, "mul", *common, "--a", "0x12", "--b", "52") == 0
    product = 0x12 * 52 * pow(2, -64, 197) % 197
    assert capsys.readouterr().out == (
        f"0x{product:x}  (a * b * 2^-64 mod M in 66 cycles of bit_serial)\n"
        "read: --mod decimal, 8 bits; --a hexadecimal, 5 bits; --b decimal, 6 bits\n"
    )
    words = ("--base", "12", "--exp", "65537", "--seq", "l2r", "--device", "model")
    assert run_cli(monkeypatch, "powmod", *common, *words) == 0
    assert capsys.readouterr().out == (
        f"0x{pow(12, 65537, 197):x}  ({19 * 66 + 2:,} cycles of bit_serial with l2r, set-up 130)\n"
        "read: --mod decimal, 8 bits; --base decimal, 4 bits; --exp decimal, 17 bits\n"
    )


MUL = ("mul", "--engine", "bit_serial", "--bits", "32")
POWMOD = ("powmod", "--engine", "bit_serial", "--bits", "32", "--device", "model")


@pytest.mark.parametrize(
    ("words", "exit_code", "expected"),
    [
        ((*MUL, "--mod", "16", "--a", "1", "--b", "1"), 2, "The modulus is even"),
        ((*MUL, "--mod", "0", "--a", "0", "--b", "0"), 2, "The modulus is zero"),
        ((*MUL, "--mod", "1", "--a", "0", "--b", "0"), 2, "The modulus is one"),
        ((*MUL, "--mod", "0x1ffffffff", "--a", "1", "--b", "1"), 2, "more bits than the core"),
        ((*MUL, "--mod", "7", "--a", "7", "--b", "1"), 2, "Both factors must be below"),
        ((*MUL, "--mod", "x7", "--a", "1", "--b", "1"), 2, "--mod must be a whole number such as"),
        ((*MUL, "--mod", "7", "--a", "-1", "--b", "1"), 2, "--a must be a whole number such as"),
        ((*MUL, "--mod", "7", "--a", "1", "--b", "1", "-P", "x"), 2, "Expected -P NAME=VALUE"),
        ((*MUL, "--mod", "7", "--a", "1", "--b", "1", "-P", "x=1"), 2, "has no parameter 'x'"),
        ((*POWMOD, "--mod", "8", "--base", "1", "--exp", "1"), 2, "The modulus is even"),
        ((*POWMOD, "--mod", "7", "--base", "7", "--exp", "1"), 2, "The base is not below"),
        (
            (*POWMOD, "--mod", "7", "--base", "1", "--exp", "0x100000000", "--exp-bits", "32"),
            2,
            "The exponent has 33 bits, but 32 bits were to be processed; the core's window has 32",
        ),
        (
            (*POWMOD, "--mod", "7", "--base", "1", "--exp", "5", "--exp-bits", "2", "--seq", "l2r"),
            2,
            "The exponent has 3 bits, but 2 bits were to be processed; ask for 3 to 32",
        ),
        ((*MUL, "--mod", "7", "--a", "1", "--b", "1", "-P", "x=\u00b2"), 2, "Expected -P NAME=VAL"),
        ((*MUL, "--mod", "7", "--a", "1", "--b", "1", "-P", "x=--1"), 2, "Expected -P NAME=VALUE"),
        ((*MUL, "--mod", "\u00b2", "--a", "1", "--b", "1"), 2, "--mod must be a whole number"),
        ((*MUL, "--mod", "7_1", "--a", "1", "--b", "1"), 2, "--mod must be a whole number"),
        ((*MUL, "--mod", "7", "--a", "1" * 4400, "--b", "1"), 2, "--a has 4,400 decimal digits"),
        ((*MUL, "--mod", "7", "--a", "0x" + "1" * 4400, "--b", "1"), 2, "must be below"),
        ((*MUL, "--mod", "0x", "--a", "1", "--b", "1"), 2, "--mod must be a whole number"),
        ((*POWMOD, "--mod", "7", "--base", "1", "--exp", "1", "--seq", "x"), 2, "no sequencer 'x'"),
        (("cycles", "--engine", "x", "--bits", "32"), 2, "There is no engine 'x'"),
        (("cycles", "--engine", "bit_serial", "--bits", "9"), 2, "must be one of 16..4096"),
    ],
)
def test_bad_input(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    exit_code: int,
    expected: str,
) -> None:
    assert run_cli(monkeypatch, *words) == exit_code
    captured = capsys.readouterr()
    assert expected in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("modulus", ["0", "1", "16", "0x100000001"])
def test_no_core_is_compiled_for_a_wrong_modulus(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, modulus: str
) -> None:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    assert run_cli(monkeypatch, *MUL, "--mod", modulus, "--a", "0", "--b", "0") == 2
    powmod = ("powmod", "--engine", "bit_serial", "--bits", "32", "--exp", "3", "--mod")
    assert run_cli(monkeypatch, *powmod, modulus, "--base", "0") == 2
    assert run_cli(monkeypatch, *powmod, "7", "--base", "7") == 2
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("exponent", ["0", "1"])
def test_exponents_zero_and_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], exponent: str
) -> None:
    for sequencer in ("ladder", "l2r"):
        words = (*POWMOD, "--mod", "65", "--base", "5", "--exp", exponent, "--seq", sequencer)
        record = run_json(monkeypatch, capsys, *words)
        assert int(str(record["result"]), 16) == 5 ** int(exponent)
