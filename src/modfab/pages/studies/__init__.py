# SPDX-License-Identifier: Apache-2.0
"""Generated blocks of docs/engine-studies.md: what was measured of one engine each.

A module of an engine's name holds its `BLOCKS`, block name -> maker, and may hold `DRAWINGS`, path
below the checkout -> maker. It is found by its name.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence

from modfab.flow.record import Record

Block = Callable[[Sequence[Record]], str]
"""Makes a text from the stored measurements."""

PAGES = ("docs/engine-studies.md",)
STUDIES = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))
"""Engines that have a study."""


def _found(attribute: str) -> dict[str, Block]:
    modules = [importlib.import_module(f"{__name__}.{name}") for name in STUDIES]
    return {key: make for m in modules for key, make in getattr(m, attribute, {}).items()}


BLOCKS = _found("BLOCKS")
DRAWINGS = _found("DRAWINGS")
