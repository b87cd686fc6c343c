# SPDX-License-Identifier: Apache-2.0
"""What a fault changes, and what its outcome is called; on registers that are written by hand."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from modfab.assess import outcome
from modfab.assess.models import Change, Kind, Plan
from modfab.assess.outcome import Outcome
from modfab.assess.stage import AssessKey
from modfab.sim.registers import Register

KEY = AssessKey(61, 53, 17)
MESSAGE = 65
RIGHT = pow(MESSAGE, KEY.d, KEY.n)


class Rtl:
    """Registers by their names."""

    def __init__(self, **values: int) -> None:
        self.values, self.stuck = values, list[tuple[object, ...]]()
        self.key_valid, self.alarm, self.limit = False, False, 10

    def value(self, register: Register, element: int = 0) -> int:
        assert element == 0
        return self.values[register.name]

    def flip(self, register: Register, element: int, bit: int) -> None:
        assert element == 0
        self.values[register.name] ^= 1 << bit

    def stick(self, *how: object) -> None:
        self.stuck.append(how)

    def step(self, cycles: int) -> None:
        """Nothing moves."""

    def idle(self) -> int:
        return 0


def stage(rtl: Rtl) -> Any:
    registers = [Register(at, name, 1, 8) for at, name in enumerate(rtl.values)]
    words = {"key": KEY, "message": MESSAGE, "result": RIGHT, "cleared": ()}
    return cast(Any, SimpleNamespace(rtl=rtl, registers=registers, **words))


@pytest.mark.parametrize(("kind", "counter"), [("skip", 0x00), ("repeat", 0xFE)])
def test_both_copies_of_the_program_counter_move(kind: Kind, counter: int) -> None:
    rtl = Rtl(**{"u_fetch.pc_q": 0xFF, "u_fetch.pc_inv_q": 0x00})
    outcome._apply(stage(rtl), Plan("private", 0, kind=kind), random.Random(1))
    assert list(rtl.values.values()) == [counter, 0xFF ^ counter]


@pytest.mark.parametrize("before", [0b0000, 0b0100])
@pytest.mark.parametrize(("value", "after"), [(None, None), (0, 0b0000), (1, 0b0100)])
def test_a_held_bit_has_its_value_at_once(
    before: int, value: int | None, after: int | None
) -> None:
    rtl = Rtl(a=before)
    (register,) = stage(rtl).registers
    change = Change(register, 0, 2, value, 7)
    outcome._apply(stage(rtl), Plan("private", 0, (change,)), random.Random(1))
    assert rtl.values["a"] == (before ^ 0b0100 if after is None else after)
    assert rtl.stuck == ([] if value is None else [(register, 0, 2, value, 7)])


def half_of_another() -> int:
    """Right for the message MESSAGE + 1 modulo p only."""
    return (pow(MESSAGE + 1, KEY.d, KEY.n) + KEY.p) % KEY.n


@pytest.mark.parametrize(
    ("result", "host", "expected"),
    [
        (RIGHT, True, Outcome("harmless")),
        (RIGHT ^ 1, True, Outcome("detected", by_host=True)),
        (RIGHT ^ 1, False, Outcome("wrong")),
        ((RIGHT + KEY.p) % KEY.n, True, Outcome("detected", factoring=True, by_host=True)),
        (half_of_another(), False, Outcome("wrong", factoring=True)),  # the core's message tells
        (RIGHT + KEY.n, True, Outcome("wrong")),  # as right for e, but it is another number
        ((RIGHT + KEY.p) % KEY.n, False, Outcome("wrong", factoring=True)),
        (pow(MESSAGE + 1, KEY.d, KEY.n), False, Outcome("harmless", other_message=True)),
    ],
)
def test_a_result_that_is_released_is_judged(result: int, host: bool, expected: Outcome) -> None:
    messages = {MESSAGE, MESSAGE + 1}
    assert outcome._released(stage(Rtl()), result, messages, host) == expected


@pytest.mark.parametrize(
    ("phase", "key_valid", "alarm", "name"),
    [
        ("wipe", True, False, "hung"),  # the key outlives its wipe
        ("wipe", False, False, "harmless"),
        ("wipe", False, True, "detected"),
        ("after", True, True, "harmless"),
        ("after", False, True, "harmless"),
    ],
)
def test_a_wipe_that_is_over_leaves_no_valid_key(
    phase: Any, key_valid: bool, alarm: bool, name: str
) -> None:
    rtl = Rtl()
    rtl.key_valid, rtl.alarm = key_valid, alarm
    found = outcome._settle(stage(rtl), Plan(phase, 0), Outcome("harmless"))
    assert found == Outcome(name)
