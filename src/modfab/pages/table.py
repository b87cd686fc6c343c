# SPDX-License-Identifier: Apache-2.0
"""Markdown tables of the generated blocks."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""A Markdown table.

    >>> table(("a", "b"), [("1", "2")])
    '| a | b |\n|---|---|\n| 1 | 2 |\n'
    """
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "".join(f"{line}\n" for line in [*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def missing(command: str) -> str:
    """A line instead of a table that nothing was measured for, with the command that does it."""
    return f"Not measured yet: `{command}`.\n"
