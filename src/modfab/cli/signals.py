# SPDX-License-Identifier: Apache-2.0
"""The signals that end a command from outside."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType


def handle_ends(handler: Callable[[int, FrameType | None], object], *more: signal.Signals) -> None:
    """Set a handler for SIGTERM, for SIGHUP unless it is ignored (`nohup`), and for `more`."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    for number in (signal.SIGTERM, *more, *([] if ignored else [signal.SIGHUP])):
        signal.signal(number, handler)
