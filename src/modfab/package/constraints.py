# SPDX-License-Identifier: Apache-2.0
"""Timing constraints of a package, in the three formats that vendors read."""

from __future__ import annotations

from modfab.flow.stored import Measurement, current
from modfab.package.ip import IpPackage
from modfab.package.kind import CLOCK
from modfab.report.circuit import seeds_text

UNMEASURED_MHZ = 100.0
"""Clock of the constraints while this very core was not routed: a request, not a result."""


def routed_core(package: IpPackage) -> Measurement | None:
    """The routing of this very core that its clock is taken from.

    On the package's device: without one it has generic primitives, which nothing was routed with.
    With its bus where that was routed. Its engine alone does not count, nor one core for a farm of
    them.
    """
    known = _routed(package)
    for level in package.kind.levels:
        for found in known:
            request = found.synthesis.request
            if package.target and (request.level, request.target) == (level, package.target.name):
                return found
    return None


def was_routed(package: IpPackage) -> bool:
    """Whether this very core was routed on some device, with the primitives of that."""
    return any(found.synthesis.request.level in package.kind.levels for found in _routed(package))


def _routed(package: IpPackage) -> list[Measurement]:
    return [found for found in current(package.records) if found.mhz is not None]


def clock_mhz(package: IpPackage) -> float:
    """The clock to constrain: as routed for this very core, else 100 MHz."""
    found = routed_core(package)
    return UNMEASURED_MHZ if found is None or found.mhz is None else round(found.mhz, 1)


def clock_source(package: IpPackage) -> str:
    """Where that clock is from, for people."""
    found = routed_core(package)
    if found is None and package.target is None and was_routed(package):
        return "a request: this core was routed with the primitives of a device only"
    if found is None:
        return "a request: this core was not routed"
    request = found.synthesis.request
    return f"level {request.level}, {seeds_text(len(found.routings))}, {request.target}"


def constraint_files(package: IpPackage) -> dict[str, str]:
    """SDC, XDC and LPF with the clock of the datasheet; nothing else needs a constraint."""
    mhz = clock_mhz(package)
    period_ns = 1000 / mhz
    first = f"# SPDX-License-Identifier: Apache-2.0\n# {package.name}: one clock of {mhz:g} MHz "
    first += f"({clock_source(package)}).\n"
    sdc = f"{first}create_clock -name clk -period {period_ns:.3f} [get_ports {CLOCK}]\n"
    folder = f"constraints/{package.name}"
    return {
        f"{folder}.sdc": sdc,
        f"{folder}.xdc": sdc,
        f"{folder}.lpf": f'{first}FREQUENCY PORT "{CLOCK}" {mhz:g} MHZ;\n',
    }
