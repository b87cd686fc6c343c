# SPDX-License-Identifier: Apache-2.0
"""What fills a device best, for a list of devices as they are sold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from modfab.flow.record import Record
from modfab.flow.targets import get_target
from modfab.report.bench import Operation
from modfab.report.choosing import Choice, candidates
from modfab.report.fitting import Room, ecp5_room, fitting


@dataclass(frozen=True, slots=True)
class Device:
    """One device.

    Attributes:
        name: As it is sold.
        target: Whose measurements hold for it.
        room: What it has.
        source: Where that is from.
    """

    name: str
    target: str
    room: Room
    source: str


_LATTICE = "Lattice FPGA-DS-02012, Table 1.1"

# Block RAMs of 36 kbit count as two.
DEVICES: tuple[Device, ...] = (
    Device("LFE5U-25F", "ecp5-25k", ecp5_room("ecp5-25k"), _LATTICE),
    Device("LFE5U-45F", "ecp5-45k", ecp5_room("ecp5-45k"), _LATTICE),
    Device("LFE5U-85F", "ecp5-85k", ecp5_room("ecp5-85k"), _LATTICE),
    Device("XC7Z020", "xc7", Room(53_200, 106_400, 220, 280, "LUT"), "Xilinx DS190, Table 1"),
    Device("XC7A100T", "xc7", Room(63_400, 126_800, 240, 270, "LUT"), "Xilinx DS180, Table 4"),
    Device("XCKU5P", "xcup", Room(216_960, 433_920, 1_824, 960, "LUT"), "Xilinx DS922, Table 1"),
)


@dataclass(frozen=True, slots=True)
class Filling:
    """What fills a device.

    Attributes:
        device: Which.
        choice: The measured core or farm.
        cores: How many RSA cores that makes: those of a farm that was routed as a whole; else of
            single cores as many as the device holds by area.
    """

    device: Device
    choice: Choice
    cores: int


def fillings(records: Iterable[Record], operation: Operation, device: Device) -> list[Filling]:
    """What was measured for an operation and fits a device, the best first.

    Routed ones come first, by their own rate; then the others by what the device does in a cycle.
    """
    known = candidates(records, operation, get_target(device.target))
    return sorted((one for choice in known if (one := _filled(device, choice))), key=_order)


def _filled(device: Device, choice: Choice) -> Filling | None:
    names = ("lut", "ff", "multipliers", "block_rams")
    copies, _ = fitting({name: getattr(choice, name) for name in names}, device.room)
    if not copies:
        return None
    return Filling(device, choice, choice.cores if choice.mhz else copies * choice.cores)


def _order(one: Filling) -> tuple[float, float, int]:
    choice = one.choice
    return -(choice.per_second or 0), -one.cores / choice.cycles, choice.lut


def best_filling(records: Sequence[Record], operation: Operation, device: Device) -> Filling | None:
    """The first of `fillings`; None where nothing was measured that fits."""
    return next(iter(fillings(records, operation, device)), None)
