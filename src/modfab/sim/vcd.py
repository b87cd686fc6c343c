# SPDX-License-Identifier: Apache-2.0
"""The waveforms that a simulator writes: signals and their changes (VCD, IEEE 1364, section 18)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Wave:
    """A waveform.

    Attributes:
        codes: Hierarchical name -> code; signals of the same value can share one.
        changes: Time, code and new value, binary digits, in the order of the file.
    """

    codes: dict[str, str]
    changes: list[tuple[int, str, str]]


def read_wave(path: Path) -> Wave:
    """Read a VCD file as Verilator writes it."""
    wave, scopes, time = Wave({}, []), list[str](), 0
    for line in path.read_text().splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scopes.append(words[2])
        elif words[0] == "$upscope":
            scopes.pop()
        elif words[0] == "$var":
            wave.codes[".".join([*scopes, words[4]])] = words[3]
        elif line[0] == "#":
            time = int(line[1:])
        elif line[0] in "01":
            wave.changes.append((time, line[1:], line[0]))
        elif line[0] == "b":
            wave.changes.append((time, words[1], words[0][1:]))
    return wave
