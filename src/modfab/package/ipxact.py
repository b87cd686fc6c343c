# SPDX-License-Identifier: Apache-2.0
"""The register map of a core as IP-XACT, from its SystemRDL."""

from __future__ import annotations

import tempfile
from pathlib import Path

from modfab.build.peakrdl import run_peakrdl
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
        done = run_peakrdl("ip-xact", str(rdl), "-t", core, *names, "-o", str(path))
        if done.returncode != 0 or not path.is_file():
            raise ToolError(
                "PeakRDL makes the register map of a package, and it failed; run the ./modfab "
                f"launcher, or `pip install 'modfab[flow]'`. It said:\n{done.stderr.strip()}"
            )
        return path.read_text()
