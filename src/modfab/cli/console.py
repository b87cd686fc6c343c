# SPDX-License-Identifier: Apache-2.0
"""Where tables go: as wide as the terminal, and wide enough for every column elsewhere."""

from __future__ import annotations

import functools

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table

FILE_COLUMNS = 200
"""Columns of a table that goes into a file or a pipe."""
MIN_TEXT = 5
"""Columns that headings and columns of text keep in a narrow terminal; longer words fold."""


def table_console() -> Console:
    """A console for tables on standard output; texts are printed as they are.

    A path may look like markup (`[/x]`, `a[red]b`) or like an emoji (`:x:`).
    """
    make = functools.partial(Console, highlight=False, markup=False, emoji=False)
    console = make()
    return console if console.is_terminal else make(width=FILE_COLUMNS)


def print_table(console: Console, table: Table) -> None:
    """Print a table without cutting a figure or a name.

    A column on the right keeps its longest word, one with `no_wrap` all of its cells.
    A terminal that is too narrow folds the other columns and the headings, and leaves the lines
    between the columns out. One that cannot hold the figures either breaks the lines itself.
    """
    for column in table.columns:
        column.overflow = "fold"
    if console.measure(table, options=console.options.update(width=10**4)).maximum > console.width:
        table.box, table.pad_edge, table.collapse_padding = None, False, True
        table.padding = (0, 1)
        needed = _narrow(table.columns, console.width)
        console.width = max(console.width, needed)
    console.print(table)


def _narrow(columns: list[Column], width: int) -> int:
    """Set the columns' widths, and give the width of all, with one gap each.

    A column that only its heading makes wide is reduced first, then the widest.
    """
    texts = [[str(column.header), *map(str, column.cells)] for column in columns]
    widths = [max(map(cell_len, text)) for text in texts]
    cells = [max(map(cell_len, text[1:]), default=0) for text in texts]
    least = [_least(column, text) for column, text in zip(columns, texts, strict=True)]
    while sum(widths) + len(widths) - 1 > width:
        able = [i for i, now in enumerate(widths) if now > least[i]]
        if not able:
            break
        index = max(able, key=lambda i: (widths[i] > cells[i], widths[i]))
        widths[index] -= 1
    for column, chosen in zip(columns, widths, strict=True):
        column.width = chosen
    return sum(widths) + len(widths) - 1


def _least(column: Column, texts: list[str]) -> int:
    """The least width of a column; its heading is the first of the texts."""
    words = [[cell_len(word) for word in text.split()] for text in texts]
    if column.no_wrap:
        return max(map(cell_len, texts))
    if column.justify == "right":
        return max(min(MIN_TEXT, max(words[0], default=0)), *(max(w, default=0) for w in words[1:]))
    return min(MIN_TEXT, max(max(w, default=0) for w in words))
