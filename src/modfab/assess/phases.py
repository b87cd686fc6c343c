# SPDX-License-Identifier: Apache-2.0
"""The parts of a private operation, cycle by cycle, and which cycles are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modfab.errors import DeviceError
from modfab.models.rsa.assembler import Image
from modfab.models.rsa.instructions import RsaOp
from modfab.models.rsa.program import walk
from modfab.sim.toggles import ToggleRsa, Window

EXPONENTIATION = "exponentiation"
PHASES = (
    *("input", EXPONENTIATION, "between", "recombination"),
    *("check", "check exponentiation", "release"),
)
"""In order. `between` is the end of one half and the beginning of the other on one engine."""

_EXPONENTIATIONS = (RsaOp.EXP, RsaOp.EXP2)

WINDOW = 256
"""Cycles in one sampled window of a long operation."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Cycles `start` up to `end` after the start of the operation."""

    name: str
    start: int
    end: int


def phase_names(image: Image) -> list[str]:
    """The phase of each instruction of the program `private`, in the order of execution."""
    code = [image.code[address] for address in walk(image, "private")]
    ops = [instruction.op for instruction in code]
    found = [index for index, op in enumerate(ops) if op in _EXPONENTIATIONS]
    first, last = found[0], found[-1]
    check = next(index for index in range(last, len(ops)) if ops[index] is RsaOp.EQ)
    release = max(index for index, op in enumerate(ops) if op is RsaOp.SET)

    def name(index: int) -> str:
        if index in found:
            return EXPONENTIATION
        if ops[index] is RsaOp.EXPE:
            return "check exponentiation"
        bounds = ((first, "input"), (last, "between"), (check, "recombination"), (release, "check"))
        return next((text for end, text in bounds if index < end), "release")

    return [name(index) for index in range(len(code))]


def find_phases(rtl: ToggleRsa, cycles: int) -> list[Phase]:
    """Run what was started, and see which instruction is executed in which cycle.

    Args:
        rtl: A private operation has just begun.
        cycles: What it takes.

    Raises:
        DeviceError: The core executes other instructions than the program has.
    """
    image = rtl.image
    (register,) = (r for r in rtl.registers() if r.name.endswith("u_core.instr_q"))
    values = rtl.record([register], cycles)[:, 0].tolist()
    encoded = [image.code[address].encode() for address in walk(image, "private")]
    names = phase_names(image)
    clock, starts = 0, list[int]()
    for index, value in enumerate(encoded):
        while clock < cycles and values[clock] != value:
            clock += 1
        starts.append(clock)
        follows = index + 1 < len(encoded) and encoded[index + 1] == value
        while clock < cycles and values[clock] == value and not follows:
            clock += 1
    if starts[-1] >= cycles:
        raise DeviceError(
            "The simulated core did not execute the instructions of its program private; this is "
            "a bug in it."
        )
    changes = [0, *(i for i in range(1, len(names)) if names[i] != names[i - 1])]
    marks = [0, *(starts[i] for i in changes[1:]), cycles]
    return [Phase(names[i], marks[k], marks[k + 1]) for k, i in enumerate(changes)]


def windows_of(phases: Sequence[Phase], limit: int) -> list[Phase]:
    """Windows in each phase, at most about `limit` cycles in all; whole phases if they fit.

    >>> [(w.start, w.end) for w in windows_of([Phase("a", 0, 100), Phase("b", 100, 9100)], 1024)]
    [(0, 100), (100, 356), (4600, 4856)]
    >>> windows_of([Phase("a", 0, 100)], 100)
    [Phase(name='a', start=0, end=100)]
    """
    whole = sum(phase.end - phase.start for phase in phases)
    if whole <= limit:
        return list(phases)
    found = []
    for phase in phases:
        length = phase.end - phase.start
        size = min(WINDOW, length)
        count = max(1, length * limit // whole * 3 // 4 // size)
        for number in range(count):
            start = phase.start + number * length // count
            found.append(Phase(phase.name, start, start + size))
    return found


def as_windows(phases: Sequence[Phase]) -> list[Window]:
    """Their cycles."""
    return [Window(phase.start, phase.end) for phase in phases]
