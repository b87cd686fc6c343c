# SPDX-License-Identifier: Apache-2.0
"""Where the project's files are, in a checkout and when installed as a package."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def checkout_dir() -> Path | None:
    """Root of the checkout this package runs from, or None when it was installed."""
    root = _PACKAGE.parent.parent
    return root if (root / "rtl" / "mf_pkg.sv").is_file() else None


def rtl_dir() -> Path:
    """Folder that holds the RTL: `rtl/` of the checkout, or the copy inside the package."""
    root = checkout_dir()
    return root / "rtl" if root else _PACKAGE / "rtl"


def sw_dir() -> Path:
    """Folder that holds the drivers in C: `sw/` of the checkout, or the copy in the package."""
    root = checkout_dir()
    return root / "sw" if root else _PACKAGE / "sw"


def results_dir() -> Path:
    """Folder of the committed measurements: `results/` of the checkout, or the package's copy."""
    root = checkout_dir()
    return root / "results" if root else _PACKAGE / "results"


def docs_dir() -> Path:
    """Folder of the pages that commands show: `docs/` of the checkout, or the package's copy."""
    root = checkout_dir()
    return root / "docs" if root else _PACKAGE / "docs"


def cache_dir() -> Path:
    """Folder for compiled simulators and files of the flow; `MODFAB_CACHE` moves it.

    It never holds operands or keys. `modfab.sim.cache.private_dir` makes it.
    """
    chosen = os.environ.get("MODFAB_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "modfab"


def data_dir() -> Path:
    """Folder for what the user measured; `MODFAB_DATA` moves it."""
    chosen = os.environ.get("MODFAB_DATA")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "modfab"
