# SPDX-License-Identifier: Apache-2.0
"""Codes of an enumeration in a SystemVerilog package, to compare with those of Python."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path


def rtl_codes(path: Path, prefix: str) -> dict[str, int]:
    """Name without its prefix, in lower case -> value, of all names that have this prefix."""
    found = re.findall(rf"\b{prefix}(\w+)\s*=\s*\d+'d(\d+)", path.read_text())
    return {name.lower(): int(value) for name, value in found}


def python_codes(members: Iterable[IntEnum]) -> dict[str, int]:
    """The same of an enumeration's members."""
    return {member.name.lower().replace("_", ""): member.value for member in members}
