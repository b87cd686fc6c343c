# SPDX-License-Identifier: Apache-2.0
"""A finished folder takes the place of an older one, or the older one stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.folders import check_replaceable, put_in_place
from tests.support.cli import run_cli


def test_an_older_folder_goes_aside(tmp_path: Path) -> None:
    made, place, aside = (tmp_path / name for name in ("made", "place", "aside"))
    for folder in (made, place):
        folder.mkdir()
        (folder / folder.name).touch()
    put_in_place(made, place, aside)
    assert sorted(tmp_path.rglob("*")) == [aside, aside / "place", place, place / "made"]
    put_in_place(aside, tmp_path / "another", made)
    assert (tmp_path / "another" / "place").is_file()


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_older_folder_is_back_after_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    made, place, aside = (tmp_path / name for name in ("made", "place", "aside"))
    made.mkdir()
    place.mkdir()
    (place / "kept").touch()
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if path == made:
            raise error
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(error):
        put_in_place(made, place, aside)
    assert sorted(tmp_path.rglob("*")) == [made, place, place / "kept"]


@pytest.mark.parametrize("line", ["build --engine bit_serial --bits 64 -o", "report -o"])
def test_the_folder_that_a_command_runs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path)
    (tmp_path / "here" / "rtl").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "here")
    for name, below in ((".", ""), ("../here", ""), ("..", "rtl"), ("../../link", "rtl")):
        monkeypatch.chdir(tmp_path / "here" / below)
        assert run_cli(monkeypatch, *line.split(), name) == 2
        what = "holds" if below else "is"
        error = f"modfab: The folder {name} would be replaced, but it {what} the one that this"
        assert capsys.readouterr().err.startswith(error)


def test_no_folder_holds_one_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    with monkeypatch.context() as patched:
        patched.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()
        check_replaceable(tmp_path)
