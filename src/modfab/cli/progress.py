# SPDX-License-Identifier: Apache-2.0
"""What a command does now: lines of a tool's stages, a bar of a core's cycles."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

from modfab.host.core_device import CycleProgress


def tell(line: str) -> None:
    """Print what happens now, on standard error."""
    print(line, file=sys.stderr, flush=True)


class CycleSpeedColumn(ProgressColumn):
    """Clock cycles per second of wall time."""

    def render(self, task: Task) -> Text:
        """Text of one bar."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f} cycles/s" if speed else "- cycles/s")


@contextmanager
def cycle_bar(title: str) -> Iterator[CycleProgress | None]:
    """Show a bar on standard error while a core works, when that is a terminal.

    Args:
        title: What the core does.

    Yields:
        The function to tell, or None when nobody would see it.
    """
    if not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        CycleSpeedColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=None)

        def advance(cycles_done: int, cycles_total: int | None) -> None:
            bar.update(task, completed=cycles_done, total=cycles_total)

        yield advance
