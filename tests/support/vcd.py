# SPDX-License-Identifier: Apache-2.0
"""What a waveform says of registers: their last values, and when signals change."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from modfab.sim.vcd import read_wave

CYCLE = 10
"""Time steps of a cycle in the waveforms of `RtlEngine`."""


def last_registers(path: Path) -> dict[str, int]:
    """Registers, words of memories and outputs (`_q`, `_o`) with their values at the end."""
    wave = read_wave(path)
    values = {code: value for _, code, value in wave.changes}
    return {
        name: int(values[code], 2)
        for name, code in wave.codes.items()
        if name.rpartition(".")[2].split("[")[0].endswith(("_q", "_o"))
    }


def change_cycles(path: Path) -> dict[str, list[int]]:
    """The cycles in which each signal changes after time 0, by its hierarchical name."""
    wave = read_wave(path)
    cycles: dict[str, list[int]] = defaultdict(list)
    for time, code, _ in wave.changes:
        if time > 0:
            cycles[code].append(time // CYCLE)
    return {name: cycles[code] for name, code in wave.codes.items()}
