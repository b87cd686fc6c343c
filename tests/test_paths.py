# SPDX-License-Identifier: Apache-2.0
"""The user's folders as the environment chooses them, and the error of a user without a home."""

from __future__ import annotations

import json
import pwd
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from modfab.errors import MachineError
from modfab.flow.wheels import CACHE_VARIABLE, wheel_cache_dir
from modfab.paths import cache_dir, data_dir
from tests.support.cli import run_cli

FOLDERS = [
    (cache_dir, "MODFAB_CACHE", "XDG_CACHE_HOME", ".cache"),
    (data_dir, "MODFAB_DATA", "XDG_DATA_HOME", ".local/share"),
]
POWMOD = "powmod --engine bit_serial --bits 16 --mod c5 --base 12 --exp 3".split()


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user whose environment names no folder, in a folder of its own."""
    for _, own, base, _ in FOLDERS:
        monkeypatch.delenv(own, raising=False)
        monkeypatch.delenv(base, raising=False)
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("HOME", "/users/somebody")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def homeless(bare: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without HOME, whom no account names, as in a container with `--user 1234`."""

    def unknown(number: int) -> NoReturn:
        raise KeyError(number)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", unknown)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(("find", "own", "base", "usual"), FOLDERS)
def test_folders_of_the_user(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    find: Callable[[], Path],
    own: str,
    base: str,
    usual: str,
) -> None:
    """Tools run in other folders, so no path is relative."""
    at_home = Path("/users/somebody") / usual / "modfab"
    assert find() == at_home
    monkeypatch.setenv(base, "relative")
    assert find() == at_home, "the XDG specification calls it invalid"
    monkeypatch.setenv(base, "/base")
    assert find() == Path("/base/modfab")
    monkeypatch.setenv(own, "relc")
    assert find() == tmp_path / "relc"
    monkeypatch.setenv(own, "/own")
    assert find() == Path("/own")
    monkeypatch.delenv(own)
    monkeypatch.delenv(base)
    monkeypatch.setenv("HOME", "rel")
    assert find() == tmp_path / "rel" / usual / "modfab"


@pytest.mark.usefixtures("homeless")
@pytest.mark.parametrize("find", [cache_dir, data_dir, wheel_cache_dir])
def test_a_user_without_home(find: Callable[[], Path]) -> None:
    with pytest.raises(MachineError, match=r"MODFAB_DATA and, .* YOWASP_CACHE_DIR name"):
        find()


@pytest.mark.usefixtures("homeless")
def test_commands_without_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, *POWMOD) == 3
    assert capsys.readouterr().err.startswith("modfab: This user has no home folder for the cache")
    assert run_cli(monkeypatch, "doctor", "--json") == 3
    lacking = {
        entry["name"]: entry["needed"]
        for entry in json.loads(capsys.readouterr().out)
        if "This user has no home folder" in entry["text"]
    }
    assert lacking == {"cache": True, "room": True, "measurements": False}
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    run_cli(monkeypatch, "doctor", "--json")
    assert "no home folder" not in capsys.readouterr().out
