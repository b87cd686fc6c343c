# SPDX-License-Identifier: Apache-2.0
"""How simulations end: a core that hangs is an error, and what was opened is closed, once."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import cast

import pytest

from modfab.build.rsa import rsa_core
from modfab.errors import ClosedError, DeviceError
from modfab.models.rsa.entry import RsaEntry
from modfab.sim import board
from modfab.sim.core import RtlCore
from modfab.sim.handle import Simulation
from modfab.sim.rsa import RtlRsa
from modfab.sim.toggles import ToggleRsa


class Dead:
    """A compiled core that answers nothing; it notes what is called."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., int]:
        def call(*_: object) -> int:
            self.called.append(name)
            return -1

        return call


def opened(kind: type[Simulation], library: Dead) -> Simulation:
    """An object of that kind around the library, without a build."""
    made = kind.__new__(kind)
    Simulation.__init__(made, cast(ctypes.CDLL, library), 1)
    return made


def test_a_bus_without_an_answer_is_an_error() -> None:
    core = opened(RtlCore, Dead())
    assert isinstance(core, RtlCore)
    for call in (lambda: core.read(0), lambda: core.write(0, 1)):
        with pytest.raises(DeviceError, match="does not answer on its bus"):
            call()


def test_a_program_without_an_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    core = opened(RtlRsa, Dead())
    assert isinstance(core, RtlRsa)
    core.limit = 7
    monkeypatch.setattr(RtlRsa, "try_run", lambda *_: False)
    monkeypatch.setattr(RtlRsa, "aim", lambda *_: None)
    with pytest.raises(DeviceError, match="did not end its program private in 7 cycles"):
        core.run(RsaEntry.PRIVATE, 17, 0)


def test_a_simulation_is_freed_once() -> None:
    library = Dead()
    core = opened(RtlCore, library)
    core.close()
    core.close()
    assert library.called == ["mf_close"]
    assert isinstance(core, RtlCore)
    with pytest.raises(ClosedError):
        core.read(0)


def test_a_watch_is_freed_before_its_simulation() -> None:
    library = Dead()
    core = opened(ToggleRsa, library)
    assert isinstance(core, ToggleRsa)
    core._watch = ctypes.c_void_p(1)
    core.close()
    core.close()
    assert library.called == ["mf_watch_close", "mf_close"]


def test_a_board_closes_both_ends_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    ends, closed, library = os.openpty(), [], Dead()
    close = os.close

    def noted(descriptor: int) -> None:
        closed.append(descriptor)
        close(descriptor)

    monkeypatch.setattr(board, "RtlBoard", lambda *_, **__: library)
    monkeypatch.setattr(os, "openpty", lambda: ends)
    monkeypatch.setattr(os, "close", noted)
    with board.PtyBoard(rsa_core("bit_serial", 64)) as there:
        assert closed == []
    there.close()
    assert sorted(closed) == sorted(ends)
    assert library.called.count("close") == 1
