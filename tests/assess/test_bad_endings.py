# SPDX-License-Identifier: Apache-2.0
"""Runs that end badly are called so."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest

from modfab.assess import farm, outcome
from modfab.assess.farm import FarmBench
from modfab.assess.leakage import _run_part
from modfab.assess.live import HungError
from modfab.assess.shell import ShellBench
from modfab.errors import DeviceError
from modfab.host.generated import mf_rsa_farm_regs, mf_rsa_regs


@pytest.mark.parametrize(
    ("counts", "all_ok", "told"),
    [
        ({"ok": 3}, True, ("harmless",)),
        ({"ok": 2}, False, ("detected",)),
        ({"ok": 2, "wrong": 1}, False, ("wrong",)),
        ({"ok": 3, "doubled": 1}, True, ("detected", "doubled")),
        ({"wrong": 1, "factoring": 1, "lost": 1}, False, ("wrong", "lost", "factoring")),
    ],
)
def test_a_farms_run_is_called_by_its_worst_answer(
    counts: dict[str, int], all_ok: bool, told: tuple[str, ...]
) -> None:
    assert farm._outcome(Counter(counts), all_ok) == told


def test_a_core_that_is_not_done_in_time_hangs() -> None:
    stage = cast(Any, SimpleNamespace(rtl=None))
    assert outcome._judge(stage, cast(Any, None), False, {1}) == outcome.Outcome("hung")


def silent(*_: object) -> NoReturn:
    raise DeviceError("No answer.")


@pytest.mark.parametrize(
    ("bench", "regs", "link"),
    [(ShellBench, mf_rsa_regs, "_rtl"), (FarmBench, mf_rsa_farm_regs, "open")],
)
def test_a_bus_that_does_not_answer_and_a_core_that_stays_busy_hang(
    bench: Any, regs: Any, link: str
) -> None:
    dead = cast(Any, SimpleNamespace(**{link: SimpleNamespace(read=silent, write=silent)}))
    with pytest.raises(HungError):
        bench.read(dead, 0)
    with pytest.raises(HungError):
        bench.write(dead, 0, 0)
    busy = SimpleNamespace(limit=3000, status=lambda: regs.STATUS_BUSY_MASK)
    busy.read = lambda address: regs.STATUS_BUSY_MASK
    setattr(busy, link, SimpleNamespace(run=lambda cycles: None))
    with pytest.raises(HungError):
        bench.wait_idle(cast(Any, busy))


class Noted:
    """A part of six traces in blocks of two, which notes when its sums are taken."""

    name, runs, block_size = "noted", 6, 2

    def __init__(self) -> None:
        self.traces, self.done = 0, list[str]()

    def watch(self, rtl: object) -> None:
        self.done.append("watch")

    def run(self, rtl: object, block: int) -> int:
        return self.block_size

    def add(self, traces: int) -> None:
        self.traces += traces

    def take(self, rtl: object) -> None:
        self.done.append("take")


def test_sums_begin_anew_after_each_save() -> None:
    part, saved = Noted(), list[int]()
    kept = SimpleNamespace(load=lambda part: None, due=True)
    kept.save = lambda part: saved.append(part.traces)
    _run_part(cast(Any, part), cast(Any, [None]), cast(Any, kept), lambda: False, lambda *_: None)
    assert part.done == ["watch", *["take", "watch"] * 4]
    assert saved == [2, 4, 6, 6]
