# SPDX-License-Identifier: Apache-2.0
"""The C++ compiler that the user chose with $CXX."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from modfab.errors import ToolError


def check_cxx() -> None:
    """Refuse a $CXX that would be passed over; unset or empty it leaves the choice to modfab.

    Raises:
        ToolError: It is no program here, it has options, or its path is relative.
    """
    chosen = os.environ.get("CXX", "")
    if not chosen:
        return
    advice = "let CXX name a C++ compiler by its name or its whole path, or unset it"
    if shutil.which(chosen) is None:
        words = chosen.split()
        more = len(words) > 1 and shutil.which(words[0])
        why = "more words than a program's name" if more else "no program on this machine"
        raise ToolError(f"Expected a compiler in CXX, but {chosen!r} is {why}; {advice}.")
    if os.sep in chosen and not Path(chosen).is_absolute():
        raise ToolError(
            f"Expected a compiler in CXX, but {chosen!r} is a relative path, and it is run in "
            f"another folder; {advice}."
        )
