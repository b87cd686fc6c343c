# SPDX-License-Identifier: Apache-2.0
"""The table of devices: what fills each with RSA-2048 signatures."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.flow.record import Record
from modfab.pages.table import table
from modfab.report.bench import Operation
from modfab.report.devices import DEVICES, Device, Filling, best_filling

OPERATION = Operation(2048, "sign")
_HEAD = ("device", "core", "cores", "LUT", "multipliers", "RAMs", "MHz (seeds)")


def _row(device: Device, best: Filling | None) -> tuple[str, ...]:
    if best is None:
        return (device.name, "not measured", *"-------")
    choice = best.choice
    mhz, rate, latency = "synthesis only", "-", "-"
    if choice.mhz and choice.per_second and choice.latency_ms:
        mhz = f"{choice.mhz:.1f} ({choice.seeds})"
        rate, latency = f"{choice.per_second:,.0f}", f"{choice.latency_ms:,.2f}"
    room = device.room
    names = ("lut", "multipliers", "block_rams")
    used = [(getattr(choice, name), getattr(room, name)) for name in names]
    times = best.cores // choice.cores
    return (
        *(device.name, f"{choice.engine}, {choice.form}", str(best.cores)),
        *(f"{times * number:,} of {there:,}" for number, there in used),
        *(mhz, f"{choice.cycles:,}", rate, latency),
    )


def devices_block(records: Sequence[Record]) -> str:
    """What of the measured cores fills each device best."""
    rows = [_row(device, best_filling(records, OPERATION, device)) for device in DEVICES]
    return table((*_HEAD, "cycles", "per second", "ms"), rows)


BLOCKS = {"devices": devices_block}
