# SPDX-License-Identifier: Apache-2.0
"""Texts of packages with `@{name}` where a value goes; `@` is free in Verilog, Tcl and YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path


def fill(template: str, values: Mapping[str, str]) -> str:
    """A template with its values; KeyError when one is missing.

    >>> fill("bench_entropy.v", {"clock": "clk"}).splitlines()[-1]
    '  end'
    """
    text = (Path(__file__).parent / f"{template}.tmpl").read_text()
    return re.sub(r"@\{(\w+)\}", lambda found: values[found[1]], text)
