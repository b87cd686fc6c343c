# SPDX-License-Identifier: Apache-2.0
"""Where the project's files are, in a checkout and when installed as a package."""

from __future__ import annotations

import os
from pathlib import Path

from modfab.errors import MachineError

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

    It never holds operands or keys. `modfab.sim.cache.private_dir` makes it. The path is absolute:
    tools run in folders of their own. A relative `MODFAB_CACHE` is one from the current folder, a
    relative `XDG_CACHE_HOME` is ignored, as the XDG Base Directory Specification says.

    Raises:
        MachineError: It would be in the home folder, and this user has none.
    """
    return _of_user("MODFAB_CACHE", "XDG_CACHE_HOME", ".cache")


def data_dir() -> Path:
    """Folder for what the user measured; `MODFAB_DATA` moves it. Paths as of `cache_dir`.

    Raises:
        MachineError: It would be in the home folder, and this user has none.
    """
    return _of_user("MODFAB_DATA", "XDG_DATA_HOME", ".local/share")


def home_dir() -> Path:
    """The user's home folder, as an absolute path.

    Raises:
        MachineError: The user has none.
    """
    try:
        return Path.home().absolute()
    except RuntimeError:
        raise MachineError(
            "This user has no home folder for the cache and the measurements (HOME is not set, and "
            "there is no account); let MODFAB_CACHE, MODFAB_DATA and, for tools of the flow, "
            "YOWASP_CACHE_DIR name folders, or set HOME."
        ) from None


def _of_user(variable: str, base_variable: str, usual: str) -> Path:
    """The folder that a variable names, or `modfab` in the user's base folder."""
    chosen = os.environ.get(variable)
    if chosen:
        return Path(chosen).absolute()
    base = Path(os.environ.get(base_variable, ""))
    return (base if base.is_absolute() else home_dir() / usual) / "modfab"
