# SPDX-License-Identifier: Apache-2.0
"""Running the `modfab` command inside a test, on a device of the test's choice."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

import pytest

from modfab.build.rsa import RsaCore
from modfab.catalog import Params
from modfab.cli.main import app_entry
from modfab.host.core_device import CycleProgress
from modfab.host.keys import RsaPrivate
from modfab.host.rsa import ModExpDevice
from modfab.host.rsa_result import RsaResult


@dataclass(frozen=True)
class PythonPower:
    """One power by Python's pow, with cycle counts that a test can recognize."""

    value: int
    setup_cycles: int = 7
    exp_cycles: int = 100
    total_cycles: int = 107


@dataclass
class PythonDevice:
    """A device whose powers are Python's; it notes with what it was opened. It says it is `sos`."""

    opened: list[tuple[str, str, int, str]] = field(default_factory=list)
    key: RsaPrivate | None = None
    config: RsaCore | None = None
    derived: bool = False
    keep: bool = False
    engine: str = "sos"
    sequencer: str = "r2l"

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

    def load_key(
        self, key: RsaPrivate, progress: CycleProgress | None = None, derive: bool = False
    ) -> int:
        self.key, self.derived = key, derive
        return 7

    def private(self, base: int, progress: CycleProgress | None = None) -> RsaResult:
        assert self.key is not None
        if progress is not None:
            progress(107, 107)
        return RsaResult(pow(base, self.key.d, self.key.n), 100, 0)

    @contextmanager
    def open(
        self, spec: str, engine: str, num_bits: int, sequencer: str, params: Params
    ) -> Iterator[ModExpDevice]:
        """Stand in for `modfab.host.open.open_device`."""
        del params
        self.opened.append((spec, engine, num_bits, sequencer))
        yield self

    @contextmanager
    def open_rsa(self, spec: str, config: RsaCore) -> Iterator[PythonDevice]:
        """Stand in for `modfab.host.rsa_open.open_rsa_device`."""
        core = config.unit
        self.opened.append((spec, core.engine.name, core.num_bits, core.sequencer.name))
        self.config = config
        yield self


def no_device(*words: object) -> NoReturn:
    """Stand in for `open_device` where no device may be opened."""
    pytest.fail(f"a device was opened: {words}")


def use_device(monkeypatch: pytest.MonkeyPatch, device: PythonDevice | None) -> None:
    """Let the commands open this device; None: they may open none."""
    for name, method in (("open_device", "open"), ("open_rsa_device", "open_rsa")):
        opener = getattr(device, method) if device else no_device
        monkeypatch.setattr(f"modfab.cli.core_run.{name}", opener)


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
