# SPDX-License-Identifier: Apache-2.0
"""Outputs that cannot be written are refused before the work, and long names are taken."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from modfab.cli.files import check_output, write_output
from modfab.errors import UsageError

LONGEST = 255


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["old", "link", "new"])
def test_a_folder_that_cannot_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A file is replaced by a new one beside it, so that writing to it alone is not enough."""
    closed = folder / "closed"
    closed.mkdir()
    (closed / "old").write_bytes(b"precious")
    Path("link").symlink_to(closed / "old")
    real = os.access

    def access(path: Path, mode: int) -> bool:  # root may write everywhere
        return real(path, mode) and (mode != os.W_OK or not path.samefile(closed))

    monkeypatch.setattr(os, "access", access)
    output = Path("link") if name == "link" else Path("closed", name)
    with pytest.raises(UsageError, match=f"The output {output} cannot be written; check the perm"):
        check_output(output, {})


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("n" * (LONGEST + 1), "File name too long"),
        ("loop", "Too many levels of symbolic links"),
        ("sub/" * 2000 + "new", "File name too long"),
    ],
)
def test_names_that_cannot_be(name: str, reason: str) -> None:
    Path("loop").symlink_to("loop")
    with pytest.raises(UsageError, match=rf"cannot be written \({reason}\); choose another"):
        check_output(Path(name), {})


def test_a_link_to_a_missing_folder() -> None:
    Path("link").symlink_to("none/new")
    with pytest.raises(UsageError, match="The folder of the output link does not exist"):
        check_output(Path("link"), {})


@pytest.mark.parametrize("name", ["n" * LONGEST, "ä" * (LONGEST // 2)])
def test_long_names(folder: Path, name: str) -> None:
    for data in (b"first", b"second"):
        check_output(Path(name), {})
        write_output(Path(name), data, secret=False)
        assert Path(name).read_bytes() == data
    assert [path.name for path in folder.iterdir()] == [name]


def test_pipes_and_devices_need_no_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are written directly."""
    os.mkfifo("pipe")
    monkeypatch.setattr(os, "access", lambda path, mode: path == Path("pipe"))
    check_output(Path("pipe"), {})
