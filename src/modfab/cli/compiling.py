# SPDX-License-Identifier: Apache-2.0
"""What people see on standard error while a simulator is compiled."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from modfab.sim.notice import Tell


@contextmanager
def compile_notice(sentence: str) -> Iterator[Tell]:
    """Print what is compiled and why, then each step: a line that moves on a terminal."""
    start = time.monotonic()
    _say(sentence)
    if sys.stderr.isatty():
        text = TextColumn("{task.description}", markup=False)  # it names $CXX
        columns = SpinnerColumn(), text, TimeElapsedColumn()
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None)
            yield lambda text: bar.update(task, description=text)
    else:
        yield _say
    _say(f"compiled, after {time.monotonic() - start:.0f} s")


def _say(text: str) -> None:
    print(f"modfab: {text}", file=sys.stderr, flush=True)
