# SPDX-License-Identifier: Apache-2.0
"""`modfab serve`: what it refuses, and the report of a running daemon."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modfab.errors import MACHINE, OperandError
from modfab.serve.client import default_socket
from modfab.serve.workers import Limits
from tests.support.cli import run_cli
from tests.support.daemon import daemon, key_folder, process_daemon, shared_short_key
from tests.support.rsa_keys import ours


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--cores", "2", "--device", "model"), "--device sim"),
        (("--cores", "2", "--also", "sim"), "leave out --also"),
        (("--device", "nothing"), "Expected --device sim, model"),
        (("--keys", "none"), "check the folder after --keys"),
    ],
)
def test_refusals(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: tuple[str, ...],
    text: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("modfab.cli.serve_cmd.forbid_core_files", lambda: None)  # not in pytest
    keys = key_folder(tmp_path / "keys", web=shared_short_key(128))
    own = () if "--keys" in words else ("--keys", keys)
    assert run_cli(monkeypatch, "serve", "--socket", tmp_path / "s", *own, *words) == 2
    assert text in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_health(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("serve", "--socket", tmp_path / "s", "--health")
    assert run_cli(monkeypatch, *words) == MACHINE
    assert "start one with modfab serve" in capsys.readouterr().err
    with daemon(tmp_path / "s", None) as client:
        client.keys()
        assert run_cli(monkeypatch, *words) == 0
        report = json.loads(capsys.readouterr().out)
    assert (report["requests"], report["keys"], report["devices"][0]["state"]) == (2, 0, "idle")


def test_the_socket_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process of `modfab serve` without keys takes those that clients bring."""
    keys = key_folder(tmp_path / "keys", web=shared_short_key(128))
    monkeypatch.setenv("MODFAB_SOCKET", str(tmp_path / "own"))
    with process_daemon(tmp_path / "own", keys, "--named-only") as client:
        assert client.keys() == ["web"]
        with pytest.raises(OperandError, match="only keys of its own folder"):
            client.private(ours(shared_short_key(128)), 5)
        assert run_cli(monkeypatch, "serve", "--health") == 0


def test_what_is_asked_for_is_what_is_served(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[object] = []

    def serve(*words: object, **named: object) -> None:
        asked.extend([*words, named])

    monkeypatch.setattr("modfab.cli.serve_cmd.forbid_core_files", lambda: None)  # not in pytest
    monkeypatch.setattr("modfab.cli.serve_cmd.serve", serve)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("MODFAB_SOCKET", raising=False)
    words = ("serve", "--device", "model", "--also", "sim", "--tries", "7", "--job-limit", "9")
    assert run_cli(monkeypatch, *words) == 0
    path, keys, openers, limits, named = asked
    assert (path, keys, named) == (tmp_path / "modfab.sock", None, {"named_only": False})
    assert limits == Limits(tries=7, job_s=9.0)
    assert isinstance(openers, list)
    assert [opener.args[0] for opener in openers] == ["model", "sim"]
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert default_socket() == Path("/run/modfab.sock")
