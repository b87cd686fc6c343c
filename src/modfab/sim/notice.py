# SPDX-License-Identifier: Apache-2.0
"""What a program is told before and while a simulator is compiled, which can take a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from modfab.sim.cxx import check_cxx

Tell = Callable[[str], None]
"""Told what happens now."""

Notice = Callable[[str], AbstractContextManager[Tell]]
"""Opened with one sentence: what is compiled and why; closed when it is done."""


@contextmanager
def log_notice(sentence: str) -> Iterator[Tell]:
    """The notice of programs that chose no other: Python's logging, logger `modfab.sim`."""
    log, start = logging.getLogger("modfab.sim"), time.monotonic()
    log.warning("%s", sentence)
    yield lambda text: log.info("%s", text)
    log.info("compiled in %.0f s", time.monotonic() - start)


_chosen: list[Notice] = [log_notice]


def choose_notice(notice: Notice) -> None:
    """Let this process show its compilations this way."""
    _chosen[:] = [notice]


def notice(sentence: str) -> AbstractContextManager[Tell]:
    """Begin to show a compilation.

    Raises:
        ToolError: $CXX names no compiler that can be used.
    """
    check_cxx()
    return _chosen[0](sentence)
