# SPDX-License-Identifier: Apache-2.0
"""Where tables go: as wide as the terminal, and wide enough for every column elsewhere."""

from __future__ import annotations

from rich.console import Console

FILE_COLUMNS = 200
"""Columns of a table that goes into a file or a pipe."""


def table_console() -> Console:
    """A console for tables on standard output."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(width=FILE_COLUMNS, highlight=False)
