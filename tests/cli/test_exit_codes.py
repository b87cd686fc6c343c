# SPDX-License-Identifier: Apache-2.0
"""One exit code for each kind of failure, and no traceback for what can be foreseen."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from modfab import errors
from tests.support.cli import run_cli

ROOT = Path(__file__).resolve().parent.parent.parent

CODES = {
    errors.NotValidError: 1,
    errors.UsageError: 2,
    errors.OperandError: 2,
    errors.CryptoError: 2,
    errors.PassphraseError: 2,
    errors.ClosedError: 2,
    errors.MachineError: 3,
    errors.ToolError: 3,
    errors.CacheError: 3,
    errors.NoDeviceError: 3,
    errors.DeviceError: 4,
    errors.SelfTestError: 4,
    errors.NotWipedError: 4,
}


def raising(error: BaseException) -> Callable[..., NoReturn]:
    def in_its_place(*words: object) -> NoReturn:
        raise error

    return in_its_place


@pytest.mark.parametrize("kind", CODES)
def test_errors(
    kind: type[errors.ModfabError],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = kind() if kind is errors.ClosedError else kind("What, and what to do.")
    monkeypatch.setattr("modfab.cli.main.app_of", raising(error))
    assert run_cli(monkeypatch) == CODES[kind]
    assert capsys.readouterr().err == f"modfab: {error}\n"


def test_every_error_has_a_row() -> None:
    types = {kind for kind in vars(errors).values() if isinstance(kind, type)}
    kinds = {kind for kind in types if issubclass(kind, Exception)}
    assert kinds - {errors.ModfabError} == set(CODES)


def test_what_the_system_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/some/file")
    monkeypatch.setattr("modfab.cli.main.app_of", raising(full))
    assert run_cli(monkeypatch) == 3
    text = "modfab: The system refused a file or a process at /some/file (No space left on device)"
    captured = capsys.readouterr()
    assert captured.err.startswith(text)
    assert captured.err.count("\n") == 1


def test_a_disk_that_is_full(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A library that cannot be written is the machine's fault, and no part of it stays."""
    made, target = tmp_path / "made.so", tmp_path / "core.so"
    made.write_bytes(b"library")
    monkeypatch.setattr("modfab.cli.simlib_cmd.build", lambda design: made)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    words = ("simlib", "--engine", "bit_serial", "--bits", "128", "-o", target)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        assert run_cli(monkeypatch, *words) == 3
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert f"could not be written to {target} (File too large)" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [made]
    assert run_cli(monkeypatch, *words) == 0
    assert target.read_bytes() == b"library"
    monkeypatch.setattr("secrets.token_hex", lambda num_bytes: "name")
    (tmp_path / ".core.so.name.tmp").symlink_to(target)  # what lies there is not written to
    made.write_bytes(b"another")
    assert run_cli(monkeypatch, *words) == 3
    assert target.read_bytes() == b"library"


def test_a_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rng: random.Random
) -> None:
    """The traceback shows no variable: one may hold a key."""
    secret = rng.randbytes(8).hex()

    def app_of(names: object) -> NoReturn:
        held = secret
        raise ZeroDivisionError("of our own" + held[:0])

    monkeypatch.setattr("modfab.cli.main.app_of", app_of)
    assert run_cli(monkeypatch) == 70
    captured = capsys.readouterr()
    assert "ZeroDivisionError: of our own" in captured.err
    assert captured.err.endswith("please report the lines above and the command.\n")
    assert secret not in captured.err


def test_a_reader_that_leaves() -> None:
    command = f"{sys.executable} -m modfab engines --json; echo $? >&2"
    done = subprocess.run(
        ["bash", "-c", f"({command}) | head -c 1"], capture_output=True, text=True, check=False
    )
    assert done.stdout == "["
    assert done.stderr.splitlines() in (["0"], [str(128 + signal.SIGPIPE)])


def test_control_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modfab.cli.doctor_cmd.examine", raising(KeyboardInterrupt()))
    assert run_cli(monkeypatch, "doctor") == 128 + signal.SIGINT
    monkeypatch.setattr("modfab.cli.main.app_of", raising(KeyboardInterrupt()))
    assert run_cli(monkeypatch, "doctor") == 128 + signal.SIGINT  # while the commands are loaded


def test_the_table_of_the_page() -> None:
    page = (ROOT / "docs/commands.md").read_text()
    for code in (0, 1, 2, 3, 4, 70):
        assert f"\n| {code} | " in page
