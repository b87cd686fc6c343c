# SPDX-License-Identifier: Apache-2.0
"""Timing constraints of a package, in the three formats that vendors read."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from modfab.flow.record import Record
from modfab.ip.kind import CLOCK, RESET

if TYPE_CHECKING:
    from modfab.ip.package import IpPackage

UNMEASURED_MHZ = 100.0
"""Clock of the constraints while nothing was measured."""


def routed_mhz(records: Sequence[Record], level: str) -> float | None:
    """Median frequency of one level's routed measurements."""
    values = [r.mhz for r in records if r.mhz is not None and r.request.level == level]
    return statistics.median(values) if values else None


def clock_mhz(package: IpPackage) -> float:
    """The clock to constrain: measured at the bus level, else of the engine, else 100 MHz."""
    for level in package.kind.levels:
        mhz = routed_mhz(package.records, level)
        if mhz is not None:
            return round(mhz, 1)
    return UNMEASURED_MHZ


def constraint_files(package: IpPackage) -> dict[str, str]:
    """SDC, XDC and LPF with the clock of the datasheet."""
    mhz = clock_mhz(package)
    period_ns = 1000 / mhz
    first = f"# SPDX-License-Identifier: Apache-2.0\n# {package.name}: one clock of {mhz:g} MHz.\n"
    sdc = f"{first}create_clock -name clk -period {period_ns:.3f} [get_ports {CLOCK}]\n"
    folder = f"constraints/{package.name}"
    return {
        f"{folder}.sdc": sdc,
        f"{folder}.xdc": f"{sdc}set_false_path -from [get_ports {RESET}]\n",
        f"{folder}.lpf": f'{first}FREQUENCY PORT "{CLOCK}" {mhz:g} MHZ;\n',
    }
