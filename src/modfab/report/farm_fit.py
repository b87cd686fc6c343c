# SPDX-License-Identifier: Apache-2.0
"""How many RSA cores fill a device, from measured areas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from modfab.flow.stored import Measurement
from modfab.flow.targets import get_target
from modfab.report.circuit import time_us
from modfab.report.fitting import fitting

LEVELS = ("farm_axil", "rsa_axil")
"""Levels whose area is that of whole RSA cores."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One measured design, repeated until a resource of its device is used up.

    Attributes:
        measurement: Of `measured_cores` cores, by whose number its area is divided.
        cores: How many fit.
        limit: The resource that ends first.
        per_s: Private operations a second of the `measured_cores` cores together; None when they
            were not routed. A filled device has no rate before it is routed itself.
    """

    measurement: Measurement
    measured_cores: int
    cores: int
    limit: str
    per_s: float | None


def fit_of(found: Measurement) -> Fit | None:
    """The fit of one measurement; None for other levels and where the device is not known."""
    record, request = found.synthesis, found.synthesis.request
    capacity = get_target(request.target).capacity
    if request.level not in LEVELS or request.rsa is None or not capacity:
        return None
    measured = request.rsa.get("cores", 1)
    cores, limit = fitting(record.area, {name: measured * n for name, n in capacity.items()})
    one_us = time_us(found, "private")
    per_s = None if one_us is None else measured * 1e6 / one_us
    return Fit(found, measured, cores, limit, per_s)


def fits(measurements: Iterable[Measurement]) -> list[Fit]:
    """The fits of all that were measured, widest keys first, then by engine."""
    found = [fit for measurement in measurements if (fit := fit_of(measurement))]
    return sorted(found, key=_order)


def _order(fit: Fit) -> tuple[int, str, int]:
    request = fit.measurement.synthesis.request
    return -request.num_bits, request.engine, -fit.measured_cores
