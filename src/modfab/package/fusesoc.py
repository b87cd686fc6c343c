# SPDX-License-Identifier: Apache-2.0
"""The FuseSoC core file of a package."""

from __future__ import annotations

from collections.abc import Sequence

from modfab import __version__
from modfab.build.fusesoc import unrolling
from modfab.package.templates import fill


def _listed(names: Sequence[str]) -> str:
    kind = {".sv": "systemVerilogSource", ".v": "verilogSource"}
    return "\n".join(
        f"      - {name}: {{file_type: {kind['.' + name.rsplit('.', 1)[1]]}}}" for name in names
    )


def core_file(
    name: str, title: str, sources: Sequence[str], simulated: Sequence[str], flat: str, bench: str
) -> str:
    """Text of the `.core` file.

    Args:
        name: Name of the core and its top.
        title: What it is.
        sources: Files for synthesis, packages first.
        simulated: The same with models of vendor cells in front.
        flat: The core as plain Verilog.
        bench: The testbench.
    """
    return fill(
        "fusesoc.core",
        {
            "name": name,
            "title": title,
            "version": __version__,
            "sources": _listed(sources),
            "simulated": _listed(simulated),
            "flat": _listed([flat]),
            "bench": _listed([bench]),
            "unroll": unrolling(simulated),
        },
    )
