# SPDX-License-Identifier: Apache-2.0
"""PeakRDL as a program of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def run_peakrdl(*words: str) -> subprocess.CompletedProcess[str]:
    """Run PeakRDL in a folder of its own, with the settings that it comes with.

    It would take a `peakrdl.toml` of the current folder, or else one of the user, and import
    modules that lie in the current folder.

    Args:
        words: Its arguments; every path is absolute.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "peakrdl.toml").touch()
        command = [sys.executable, "-m", "peakrdl", *words]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
