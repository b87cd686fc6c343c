# SPDX-License-Identifier: Apache-2.0
"""A whole board under Verilator, its serial line on a pseudo terminal, used as a real one."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.build.rsa import RsaCore, public_core, rsa_core
from modfab.cli.demo_cmd import MESSAGE
from modfab.host.device import Device
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_result import RsaResult
from modfab.host.transport_serial import open_serial
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.board import PtyBoard
from tests.support.cli import run_cli
from tests.support.rsa_core import private_key

SMALL = rsa_core("bit_serial", 64, {"BitsPerClock": 8})


@pytest.fixture
def small() -> Iterator[PtyBoard]:
    board = PtyBoard(SMALL)
    yield board
    board.close()


def openssl(*words: object) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


def decrypts(core: RsaCore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line decrypts what OpenSSL encrypted, on a simulated board."""
    pem, secret, plain = (tmp_path / name for name in ("key.pem", "secret", "plain"))
    openssl("genrsa", "-out", pem, core.num_bits)
    (tmp_path / "message").write_text(MESSAGE)
    words = ["-encrypt", "-inkey", pem, "-in", tmp_path / "message", "-out", secret]
    openssl("pkeyutl", *words)
    with PtyBoard(core) as board:
        words = ["--key", pem, "--in", secret, "--out", plain, "--padding", "pkcs1"]
        assert run_cli(monkeypatch, "decrypt", *words, "--device", f"serial:{board.path}") == 0
    assert plain.read_text() == MESSAGE


def test_the_demo_message_is_decrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RSA-512, the shortest key that holds the message; --full has RSA-2048."""
    core = rsa_core("bit_serial", 256, {"BitsPerClock": 8}, "window")
    decrypts(core, tmp_path, monkeypatch)


def test_a_report_names_the_core_on_the_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cycles and engine are what the core says, though another engine is the default."""
    core = rsa_core("bit_serial", 256, {"BitsPerClock": 8}, "window")
    pem, out = tmp_path / "key.pem", tmp_path / "signature"
    openssl("genrsa", "-out", pem, core.num_bits)
    words = ["sign", "--key", pem, "--in", pem, "--out", out, "--padding", "pkcs1"]
    with PtyBoard(core) as board:
        words += ["--device", f"serial:{board.path}"]
        assert run_cli(monkeypatch, *words) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert run_cli(monkeypatch, *words, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    cycles = core.cycles()
    assert f"({cycles['key'] + cycles['private']:,} cycles of bit_serial with window, " in text
    assert (report["engine"], report["sequencer"]) == ("bit_serial", "window")
    assert (report["setup_cycles"], report["exp_cycles"]) == (cycles["key"], cycles["private"])
    assert "params" not in report
    unset = dict.fromkeys(("derive", "loaded", "public_only"), False)
    assert report["rsa"] == {**unset, "context": 0}


@pytest.mark.full
def test_the_demo_message_is_decrypted_with_2048_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = rsa_core("qp_systolic", 1024, {}, "window", engines=2, pair=True)
    decrypts(core, tmp_path, monkeypatch)


@pytest.mark.parametrize("from_board", [False, True], ids=["to_board", "from_board"])
def test_lost_bytes_are_repeated(
    small: PtyBoard, rng: random.Random, monkeypatch: pytest.MonkeyPatch, from_board: bool
) -> None:
    key = private_key(rng, 64, 63)
    small.board.lose(rng.randrange(40, 1200) if not from_board else 40, from_board=from_board)
    monkeypatch.setattr("modfab.host.transport_serial._SIMULATED_S", (5.0, 1.0))
    with small:
        transport = open_serial(small.path)
        with RsaDevice(transport) as core:
            core.load_key(key)
            for message in (2, key.n - 1, rng.randrange(key.n)):
                assert core.private(message).value == pow(message, key.d, key.n)
        assert transport.repeats >= 1


def test_a_board_gives_a_known_answer(
    small: PtyBoard, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What docs/boards.md does after the bitstream is loaded."""
    with small:
        words = ["selftest", "--device", f"serial:{small.path}", "--json"]
        assert run_cli(monkeypatch, *words) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["passed"], report["num_bits"]) == (True, 128)
    assert report["device"] == f"serial:{small.path}"
    assert report["cycles"] > 0


def test_a_board_for_public_operations_gives_known_answers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    core = public_core("bit_serial", 128, {"BitsPerClock": 8})
    programs = core.programs()
    with PtyBoard(core) as board:
        words = ["selftest", "--device", f"serial:{board.path}"]
        assert run_cli(monkeypatch, *words) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert run_cli(monkeypatch, *words, "--json") == 0
        report = json.loads(capsys.readouterr().out)
        public = RsaDevice.public

        def wrong(device: RsaDevice, base: int) -> RsaResult:
            result = public(device, base)
            return replace(result, value=result.value ^ 1)

        monkeypatch.setattr(RsaDevice, "public", wrong)
        assert run_cli(monkeypatch, *words, "--json") == 4
    assert "of 128 bits on device serial:" in text
    assert "With n and e from the host it gave the known answer, too" in text
    assert report["cycles"] == programs.program(RsaEntry.TEST, 0)
    cycles = programs.program(RsaEntry.KEY, 65537) + programs.program(RsaEntry.PUBLIC, 65537)
    assert report["host_cycles"] == cycles
    assert (report["engine"], report["sequencer"], report["num_bits"]) == ("bit_serial", "", 128)
    captured = capsys.readouterr()
    assert json.loads(captured.out)["passed"] is False
    assert "did not give the known answer for n and e" in " ".join(captured.err.split())


def test_an_exponentiator_on_a_board(rng: random.Random) -> None:
    core = modexp_core("bit_serial", 40, exp_bits=36)
    modulus = rng.getrandbits(40) | 1 << 39 | 1
    base, exponent = rng.randrange(modulus), rng.getrandbits(36)
    with PtyBoard(core) as board, Device(open_serial(board.path)) as device:
        assert device.powmod(base, exponent, modulus).value == pow(base, exponent, modulus)
