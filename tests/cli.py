# SPDX-License-Identifier: Apache-2.0
"""Running the `modfab` command inside a test, on a device of the test's choice."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import pytest

from modfab.cli.main import app_entry
from modfab.host.rsa import CycleProgress, PowerDevice

OpenDevice = Callable[[str, str, int, str], AbstractContextManager[PowerDevice]]


@dataclass(frozen=True)
class PythonPower:
    """One power by Python's pow, with cycle counts that a test can recognize."""

    value: int
    setup_cycles: int = 7
    exp_cycles: int = 100
    total_cycles: int = 107


@dataclass
class PythonDevice:
    """A device whose powers are Python's; it notes with what it was opened."""

    opened: list[tuple[str, str, int, str]] = field(default_factory=list)

    def powmod(
        self,
        base: int,
        exp: int,
        modulus: int,
        exp_bits: int | None = None,
        progress: CycleProgress | None = None,
    ) -> PythonPower:
        assert exp_bits is not None
        assert exp >> exp_bits == 0
        if progress is not None:
            progress(107, 107)
        return PythonPower(pow(base, exp, modulus))

    @contextmanager
    def open(self, spec: str, engine: str, num_bits: int, sequencer: str) -> Iterator[PowerDevice]:
        """Stand in for `modfab.host.open.open_device`."""
        self.opened.append((spec, engine, num_bits, sequencer))
        yield self


def run_cli(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """Run one command line in this process.

    Args:
        monkeypatch: Sets sys.argv.
        words: Command and options, without the program's name.

    Returns:
        The exit code.
    """
    monkeypatch.setattr(sys, "argv", ["modfab", *map(str, words)])
    with pytest.raises(SystemExit) as caught:
        app_entry()
    code = caught.value.code
    assert isinstance(code, int)
    return code
