# SPDX-License-Identifier: Apache-2.0
"""The register map of a core as IP-XACT, from its SystemRDL."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from modfab.errors import ToolError
from modfab.paths import rtl_dir


def ipxact(core: str) -> str:
    """A register map as an IP-XACT component.

    Args:
        core: Name of a file `rtl/bus/CORE.rdl`.

    Raises:
        ToolError: PeakRDL is not installed, or refuses the map.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{core}.xml"
        names = ["--standard", "2009", "--vendor", "modfab", "--library", "ip"]
        rdl = rtl_dir() / "bus" / f"{core}.rdl"
        command = [sys.executable, "-m", "peakrdl", "ip-xact", str(rdl), "-t", core, *names]
        words = [*command, "-o", str(path)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0 or not path.is_file():
            raise ToolError(
                "PeakRDL makes the register map of a package, and it failed; run the ./modfab "
                f"launcher, or `pip install 'modfab[flow]'`. It said:\n{done.stderr.strip()}"
            )
        return path.read_text()
