# SPDX-License-Identifier: Apache-2.0
"""Tables in a narrow terminal: figures stay whole, texts fold."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from modfab.catalog import ENGINES
from modfab.cli.compiling import compile_notice
from modfab.cli.console import FILE_COLUMNS, print_table
from tests.support.cli import run_cli

ROOT = Path(__file__).resolve().parent.parent.parent
COLUMNS = 80
FIGURES = ("1,234,567", "154.2 (1)", "2026-11-29")


def _figures_table(count: int) -> Table:
    table = Table(title="title")
    table.add_column("engine")
    for number in range(count):
        table.add_column(f"figures of the heading {number}", justify="right")
    table.add_row("qp_systolic_array (NumBits=128)", *(FIGURES * count)[:count])
    return table


@pytest.mark.parametrize(("width", "count", "expected"), [(80, 6, 80), (40, 6, 59), (200, 3, 134)])
def test_figures_stay_whole(
    capsys: pytest.CaptureFixture[str], width: int, count: int, expected: int
) -> None:
    """Where even the figures do not fit, the lines are longer than the terminal."""
    print_table(Console(width=width), _figures_table(count))
    out = capsys.readouterr().out
    assert "…" not in out
    for figure in FIGURES:
        assert set(figure.split()) <= set(out.split())
    assert max(len(line.rstrip()) for line in out.splitlines()) <= expected


@pytest.mark.parametrize("width", [60, 40])
def test_names_of_parameters_stay_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    monkeypatch.setattr("modfab.cli.catalog_cmd.table_console", lambda: Console(width=width))
    assert run_cli(monkeypatch, "engines") == 0
    names = {p.name for engine in ENGINES.values() for p in engine.parameters}
    assert names <= set(capsys.readouterr().out.split())


@pytest.mark.parametrize("path", ["[/x]", "a[red]b", ":smile:"])
def test_paths_are_printed_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    """Also where they look like markup or like an emoji."""
    monkeypatch.setenv("MODFAB_DATA", path)
    monkeypatch.chdir(tmp_path)
    run_cli(monkeypatch, "doctor")
    assert f"/{path}\n" in re.sub(r" +\n", "\n", capsys.readouterr().out)
    Path(path).mkdir(parents=True)
    plot = f"{path}/{'long/' * 40}../{'../' * 39}plot.svg"
    (tmp_path / path / Path("long/" * 40)).mkdir(parents=True)
    assert run_cli(monkeypatch, "rank", "--plot", plot) == 0
    assert f"Plot: {plot}\n" in capsys.readouterr().out


def test_a_compilers_path_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a step of a compilation, on a terminal."""
    shown = StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", shown)
    with compile_notice("compiling") as tell:
        tell("/opt/[/x]/c++ compiles the result")
    assert "/opt/[/x]/c++ compiles the result" in shown.getvalue()


def test_every_command_prints_its_tables_in_this_way() -> None:
    for path in (ROOT / "src/modfab/cli").glob("*_cmd.py"):
        text = path.read_text()
        if "rich.table" in text:
            assert "print_table(" in text, path.name
            assert not re.search(r"\.print\((?:\w*table|_table)", text), path.name


@pytest.mark.parametrize(
    "line",
    [
        "rank",
        "results list --engine bit_serial",
        "compare --paper liao-chen",
        "choose --op rsa2048-sign --no-openssl",
    ],
)
def test_tables_of_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    """A figure of the wide table is in the narrow one too."""
    wide = Console(width=FILE_COLUMNS, file=StringIO())

    def print_both(_: Console, table: Table) -> None:
        wide.print(table)
        print_table(Console(width=COLUMNS), table)

    command = line.split()[0]
    monkeypatch.setattr(f"modfab.cli.{command}_cmd.print_table", print_both)
    assert run_cli(monkeypatch, *line.split()) == 0
    narrow = capsys.readouterr().out
    assert "…" not in narrow
    assert isinstance(wide.file, StringIO)
    figures = set(re.findall(r"(?<!\S)[0-9][0-9.,]*(?!\S)", wide.file.getvalue()))
    assert figures
    assert figures <= set(narrow.split())
