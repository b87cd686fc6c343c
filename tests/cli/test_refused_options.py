# SPDX-License-Identifier: Apache-2.0
"""Options that would mean nothing, and values that cannot be, are refused in one line."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
)

from modfab.cli import simlib_cmd, synth_cmd
from modfab.flow.design import Design
from modfab.flow.measure import Options, request_of
from modfab.flow.record import Request
from modfab.flow.stored import Measurement
from modfab.flow.sweep.point import SweepPoint
from modfab.flow.targets import get_target
from modfab.sim import verilate
from tests.flow.test_store import record
from tests.support.cli import run_cli
from tests.support.rsa_keys import shared_key

DIGITS = "1" * 5000
BUILD = "build --engine bit_serial --bits 64 -o new"
RSA = f"{BUILD} --core rsa"
SYNTH = "synth --engine bit_serial --bits 64 --target xc7"
SIMLIB = "simlib --engine bit_serial --bits 128"
POWMOD = "powmod --engine bit_serial --bits 64 --mod 197 --base 12 --exp 5 --device model"
SERVE = "serve --socket none/socket"  # ends at once without the check, too
LOADED = "--device uio:/dev/uio99 --loaded"
VERIFY = "bench --op rsa512-verify --engine bit_serial --device model --no-openssl"

REFUSED = {
    f"{BUILD} -P NumBits=128": "The width is 64 bits here, but NumBits=128",
    f"{BUILD} -P Variant={DIGITS}": "Expected -P NAME=VALUE with a whole number",
    f"{BUILD} -P Variant=0 -P Variant=1": "Variant was given twice, as 0 and as 1; leave one",
    f"{RSA} --rsa keys=2 --rsa keys=2": "keys was given twice, as 2 and as 2",
    f"{BUILD} --mhz 100": "--mhz belongs to bitstreams, but without --board",
    f"{BUILD} --seeds 1": "--seeds belongs to bitstreams",
    f"{BUILD} --first-seed 1": "--first-seed belongs to bitstreams",
    f"{BUILD} --router router1": "--router belongs to bitstreams",
    f"{BUILD} --limit 5": "--limit belongs to bitstreams",
    f"{BUILD} --exp-bits 0": "Expected an exponent window of 1 to 32768 bits, but got 0",
    f"{BUILD} --exp-bits 32769": "Expected an exponent window of 1 to 32768 bits",
    f"{RSA} --exp-bits 100": "--exp-bits belongs to the kind modexp, but the core is",
    f"{RSA} --rsa hardened=5": "Expected hardened=0 or hardened=1, but got 5",
    f"{RSA} --rsa hardened=-1": "Expected hardened=0 or hardened=1, but got -1",
    f"{RSA} --rsa message_blinding=9": "Expected message_blinding=0 or message_blinding=1",
    f"{RSA} --rsa keygen=3": "Expected keygen=0 or keygen=1",
    f"{RSA} --public-only --seq window": "only walks e by itself, from the left, but --sequencer",
    f"{RSA} --public-only --seq no": "only walks e by itself, from the left, but --sequencer no ",
    f"{BUILD} --seq=": "There is no sequencer ''",
    f"{BUILD} --name=": "a letter, then letters, digits and _, but ''",
    f"{BUILD} --board=": "There is no board ''",
    f"{BUILD} --target=": "There is no target ''",
    f"{RSA} --public-only --rsa public_only=0": "--public-only and --rsa public_only=0 contradict",
    f"{BUILD} --core modexp --public-only": "--public-only belongs to the kind rsa, but",
    f"{BUILD} --core farm --public-only": "A farm shares one private key",
    f"{SYNTH} --seq ladder": "An engine alone has no sequencer, but --sequencer ladder",
    f"{SYNTH} --level rsa --rsa public_only=1 --seq r2l": "only walks e by itself",
    f"{SYNTH} --level modexp --seq=": "There is no sequencer ''",
    f"{SYNTH} --exp-bits 9": "--exp-bits belongs to the kind modexp",
    f"{SYNTH} --level modexp --exp-bits -5": "Expected an exponent window of 1 to 32768 bits",
    f"{SYNTH} --seeds 3": "--seeds belongs to place and route, but --route was not given",
    f"{SYNTH} --freq 200 --router router1": "--freq, --router belong to place and route",
    f"{SYNTH} --timing-weight 10": "--timing-weight belongs to place and route",
    f"{SYNTH} --lock": "--lock belongs to place and route",
    f"{SYNTH} --no-lock": "--no-lock belongs to place and route",
    f"{SIMLIB} -o .": "Expected a file after --out, but . is a folder",
    f"{SIMLIB} -o pipe": "Expected a file after --out, but pipe is none",
    f"{SIMLIB} -o new --rsa public_only=1 --seq r2l": "only walks e by itself",
    f"{SIMLIB} -o -": "Expected a file after --out, but - is none",
    f"{SIMLIB} -o file/core.so": "The folder of the output file/core.so does not exist",
    f"{SIMLIB} --core modexp --exp-bits 40000 -o core.so": "Expected an exponent window of",
    f"{POWMOD} --exp-bits 40000": "Expected an exponent window of 1 to 32768 bits",
    f"{VERIFY} --core rsa --engines 2": "verify runs on the exponentiator, but options",
    f"{VERIFY} --seq r2l": "verify runs on the exponentiator, but options",
    f"{VERIFY} --core modexp --check again": "verify runs on the exponentiator, but options",
    "keygen --device model --bits 0": "Expected primes of 34 to 2064 bits, but got 0",
    "selftest --device model --bits 0": "Expected primes of 34 to 2064 bits, but got 0",
    f"sign --key file {LOADED} --derive": "--derive is about a key that is loaded now",
    "demo --handshakes 2": "--handshakes belongs to demo tls",
    "demo tls --message a": "--message belongs to demo rsa, but tls was given",
    f"{SERVE} --device nope": "Expected --device sim, model, uio:/dev/uioN, devmem:0xADDR",
    f"{SERVE} --device model --also serial:": "Expected --device sim, model, uio:/dev/uioN, devm",
    f"{SERVE} --device uio:/dev/uio9 --also uio:/dev/uio9": "but uio:/dev/uio9 was named twice",
    f"sign --key file --salt {DIGITS}": "Expected --salt digest, max, auto or a number of bytes",
    "sign --key file --seq=": "There is no sequencer ''",
    "sign --key locked --passin file:/dev/zero": "Expected at most 65536 bytes in the first line",
    "assess faults -o file": "Expected a folder for the report, but file is a file",
    "assess timing --noise 1": "--noise belongs to leakage, but timing was given",
    "assess faults --points 256 --cpa-runs 50": "--points, --cpa-runs belong to leakage",
    "assess timing --from 5": "--from belongs to campaigns of faults, but timing was given",
    "assess leakage --from 5": "--from belongs to campaigns of faults, but leakage was given",
    "assess shell --build basic --rsa hardened=1": "--build basic and --rsa hardened=1 contradict",
    "assess shell --build hardened --rsa hardened=0": "--build hardened and --rsa hardened=0",
    "assess shell --address-blinding --rsa address_blinding=0": "--address-blinding and --rsa",
    "assess faults -o file/deep": "Expected a folder for the report, but",
    "sweep file --scheduler tcp://a:1 --workers 2 --memory 3": "--workers, --memory belong to",
    "sweep file --workers 2 --memory 3": "--memory belongs to a number of processes to find, but",
    "farm --engine bit_serial --bits 129": "even number of bits of n, but 129 were given",
    "rank --bits 7": "No engine is built for 7 bits",
    "rank --plot x.png": "The plot is SVG, but x.png does not end in .svg",
    "rank --bits 16": "synth --engine bit_serial --bits 16",
    "choose --op rsa2048-sign --min-rate inf": "Expected a --min-rate that is a finite number",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a file and a locked key, and a store without records."""
    form = Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"open it")
    (tmp_path / "locked").write_bytes(shared_key().private_bytes(*form))
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path / "none")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: line[:60])
def test_refused(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    line: str,
) -> None:
    def compiled(*words: object) -> None:
        pytest.fail("something was compiled")

    for module in (verilate, simlib_cmd):
        monkeypatch.setattr(module, "build", compiled)
    before = sorted(folder.rglob("*"))
    assert run_cli(monkeypatch, *line.split()) == 2
    captured = capsys.readouterr()
    assert REFUSED[line] in captured.err
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert len(captured.err) < 400
    assert [path for path in sorted(folder.rglob("*")) if "data" not in path.parts] == before


OF_A_KEY = {"--derive", "--loaded", "--context"}
OF_MODEXP = {"--core", "--check"}


@pytest.mark.parametrize(
    ("command", "absent"),
    [
        *((name, OF_A_KEY | OF_MODEXP) for name in ("keygen", "selftest", "serve")),
        *((name, OF_A_KEY - {"--derive"}) for name in ("bench --op rsa512-sign", "demo")),
        ("sign", set()),
    ],
)
def test_a_command_offers_what_it_takes(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    absent: set[str],
) -> None:
    """A core that begins without a key has no option of one, nor any of the exponentiator."""
    before = sorted(folder.rglob("*"))
    assert run_cli(monkeypatch, *command.split(), "--help") == 0
    shown = set(re.findall(r"│ +(--[a-z-]+)", capsys.readouterr().out))
    assert shown & (OF_A_KEY | OF_MODEXP) == (OF_A_KEY | OF_MODEXP) - absent
    for option in absent:
        assert run_cli(monkeypatch, *command.split(), option) == 2
        assert f"No such option: {option}" in capsys.readouterr().err
    assert sorted(folder.rglob("*")) == before


def test_a_campaign_needs_a_folder_that_it_may_write(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder without write permission is refused before the campaign; `os.access` is patched."""
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert run_cli(monkeypatch, "assess", "timing", "-o", "new/deep") == 2
    assert "cannot be written into new/deep; check the permissions" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ladder", "window", "window5", "r2l", "l2r"])
def test_powmod_hides_the_exponents_length_where_it_can(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    cycles = []
    for exponent in (5, 0xFFFF):
        line = POWMOD.replace("--exp 5", f"--exp {exponent}")
        assert run_cli(monkeypatch, *line.split(), "--seq", name, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert found["result"] == hex(pow(12, exponent, 197))
        cycles.append(found["cycles"])
    assert (cycles[0] == cycles[1]) == (name != "l2r")


def test_synth_passes_on_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Options] = []

    def measured(design: Design, target: str, options: Options, **_: object) -> Measurement:
        asked.append(options)
        return Measurement(record(), ())

    monkeypatch.setattr(synth_cmd, "measure", measured)
    placing = "--seeds 2 --freq 150 --router router2 --timing-weight 60 --no-lock"
    for words in ("", "--route", f"--route {placing}", "--force --parts --limit 2"):
        assert run_cli(monkeypatch, *SYNTH.split(), *words.split()) == 0
    usual = Options(seeds=(1,))
    other = Options((1, 2), freq_mhz=150.0, router="router2", timing_weight=60, lock=False)
    assert asked == [Options(), usual, other, Options(force=True, parts=True, limit_s=120.0)]


@pytest.mark.parametrize("level", ["engine", "modexp_axil", "rsa"])
@pytest.mark.parametrize("target", ["xc7", "ecp5-85k"])
@pytest.mark.parametrize("params", [{}, {"DigitBits": 16}])
def test_synth_and_sweep_measure_the_same(
    monkeypatch: pytest.MonkeyPatch, level: str, target: str, params: dict[str, int]
) -> None:
    asked: list[Request] = []

    def measured(design: Design, name: str, options: Options, **_: object) -> Measurement:
        asked.append(request_of(design, get_target(name), options))
        return Measurement(record(), ())

    monkeypatch.setattr(synth_cmd, "measure", measured)
    words = f"synth --engine qp_systolic --bits 256 --target {target} --level {level}"
    given = [word for name, value in params.items() for word in ("-P", f"{name}={value}")]
    assert run_cli(monkeypatch, *words.split(), *given) == 0
    assert asked == [SweepPoint("qp_systolic", 256, target, level, params=params).request()]
    usual = 18 if target == "ecp5-85k" else 17
    assert asked[0].params["DigitBits"] == params.get("DigitBits", usual)


def test_synth_prints_one_list(capsys: pytest.CaptureFixture[str]) -> None:
    routings = record(seed=1, mhz=50.0), record(seed=2, mhz=60.0)
    synth_cmd.print_json(Measurement(record(), routings))
    seeds = [one["request"]["seed"] for one in json.loads(capsys.readouterr().out)]
    assert seeds == [None, 1, 2]


@pytest.mark.parametrize("words", [["test"], ["results"]])
def test_every_help_has_an_example(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert run_cli(monkeypatch, *words, "--help") == 0
    assert f"Example: modfab {words[0]} " in capsys.readouterr().out
