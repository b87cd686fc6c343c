# SPDX-License-Identifier: Apache-2.0
"""Which signals of a waveform change, and when."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

CLOCK = 10
"""Time steps of a clock in the waveforms of `RtlEngine`."""


def changes(wave: Path) -> dict[str, list[int]]:
    """The clocks in which each signal changes after time 0, by its path of instances.

    Args:
        wave: A VCD file as `RtlEngine` writes it.
    """
    names: dict[str, list[str]] = defaultdict(list)
    found: dict[str, list[int]] = {}
    scope: list[str] = []
    time = 0
    for line in wave.read_text().splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scope.append(words[2])
        elif words[0] == "$upscope":
            scope.pop()
        elif words[0] == "$var":
            path = ".".join([*scope, words[4]])
            names[words[3]].append(path)
            found[path] = []
        elif line[0] == "#":
            time = int(line[1:])
        elif line[0] in "01b" and time > 0:
            for path in names[words[1] if line[0] == "b" else line[1:]]:
                found[path].append(time // CLOCK)
    return found
