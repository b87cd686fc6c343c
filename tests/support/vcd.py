# SPDX-License-Identifier: Apache-2.0
"""The state at the end of a waveform."""

from __future__ import annotations

from pathlib import Path


def last_values(path: Path) -> dict[str, int]:
    """Every signal of a VCD file with its value at the end; unknown bits cannot be."""
    codes: dict[str, str] = {}
    scopes: list[str] = []
    values: dict[str, str] = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scopes.append(words[2])
        elif words[0] == "$upscope":
            scopes.pop()
        elif words[0] == "$var":
            codes[".".join([*scopes, words[4]])] = words[3]
        elif line[0] in "01":
            values[line[1:]] = line[0]
        elif line[0] == "b":
            values[words[1]] = words[0][1:]
    return {name: int(values[code], 2) for name, code in codes.items()}
