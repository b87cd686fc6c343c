# SPDX-License-Identifier: Apache-2.0
"""The table of devices: what fills each with RSA-2048 signatures, and others beside them."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.flow.record import Record
from modfab.pages.table import missing, table
from modfab.report.bench import Operation
from modfab.report.choosing import ADDRESS_BLINDING, Choice
from modfab.report.circuit import seeds_text
from modfab.report.devices import DEVICES, Device, Filling, best_filling, fillings
from modfab.report.others import OPENSSL_SOURCE, Other, published_others, stored_openssl

OPERATION = Operation(2048, "sign")
_LARGEST = next(device for device in DEVICES if device.target == "ecp5-85k")
_FARM_COMMAND = (
    "modfab synth --engine qp_systolic --bits 2048 --target ecp5-85k --level farm_axil --sequencer "
    "window5 --rsa engines=2 --rsa pair=1 --rsa cores=2 --param Contexts=1 "
    "--param QuotientTables=1 --param LoadSum=1 --param FactorSlots=16 "
    "--param MinModBits=992 --param NumSlots=48 --route --wire-delay 800 "
    "--timing-weight 60 --freq 200"
)
_HEAD = ("device", "core", "cores", "LUT", "multipliers", "RAMs", "MHz (seeds)")


def _row(device: Device, best: Filling | None) -> tuple[str, ...]:
    if best is None:
        return (device.name, "not measured", *"--------")
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


def _other_row(other: Other) -> tuple[str, ...]:
    """OpenSSL or somebody else's hardware: its source instead of areas."""
    measured = other.source == OPENSSL_SOURCE
    link = f"`{other.source}`" if measured else f"[source]({other.source})"
    latency, cycles = other.latency_ms, other.cycles
    return (
        *(f"{other.name}, {other.what}", f"{other.form} ({link})", *"----"),
        f"{other.mhz:.1f}" if other.mhz else "-",
        f"{cycles:,}" if cycles else "-",
        other.rate_text,
        f"{latency:,.2f}" if latency else "-",
    )


def _others() -> list[Other]:
    """OpenSSL as measured, then what others published."""
    measured = stored_openssl(OPERATION)
    return [*([measured] if measured else []), *published_others(OPERATION)]


def devices_block(records: Sequence[Record]) -> str:
    """What of the measured cores fills each device best, and others beside it."""
    rows = [_row(device, best_filling(records, OPERATION, device)) for device in DEVICES]
    rows += [_other_row(other) for other in _others()]
    return table((*_HEAD, "cycles", "per second", "ms"), rows)


def whole_device_block(records: Sequence[Record]) -> str:
    """The farm that was routed whole on the largest device, beside what its cores do in a cycle.

    And the one with address blinding, where it is another.
    """
    found = [
        one.choice
        for one in fillings(records, OPERATION, _LARGEST)
        if one.choice.cores > 1 and one.choice.per_second
    ]
    if not found:
        return missing(_FARM_COMMAND)
    best = found[0]
    text = (
        f"Measured: {best.cores} cores on the {_LARGEST.name}, placed and routed whole with bus "
        f"and stream ports ({best.engine}, {best.form}), {_rate(best)}.\n"
    )
    blinded = next((choice for choice in found if ADDRESS_BLINDING in choice.form), best)
    if blinded is not best:
        text += f"\nWith address blinding ({blinded.engine}), {_rate(blinded)}.\n"
    return text


def _rate(choice: Choice) -> str:
    """Of a farm that was routed: its frequency, and what it does in a second."""
    rate, mhz = choice.per_second or 0.0, choice.mhz or 1.0
    seeds = seeds_text(choice.seeds)
    text = f"{mhz:.1f} MHz ({seeds}): {rate:,.0f} signatures a second"
    if choice.seeds > 1 and choice.best_mhz and choice.best_per_second:
        text += f"; the best seed {choice.best_mhz:.1f} MHz: {choice.best_per_second:,.0f} a second"
    return f"{text}. At another frequency: {rate / mhz:.2f} for each MHz"


BLOCKS = {"devices": devices_block, "whole_device": whole_device_block}
