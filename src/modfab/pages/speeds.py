# SPDX-License-Identifier: Apache-2.0
"""The table of RSA cores beside their engines alone: frequencies and longest paths."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.build.core import Core
from modfab.build.rsa import RsaCore
from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.pages.cells import rsa_cells
from modfab.pages.table import missing, table
from modfab.report.circuit import core_of_today, engine_measurement, mhz_text

PAGES = ("rtl/rsa/README.md",)
_COMMAND = "modfab synth --engine sos --bits 2048 --target ecp5-85k --level rsa --route"
_HEAD = (
    *("engine", "core", "level", "target", "RSA", "engine alone, MHz (seeds)", "slots"),
    *("its longest path", "core, MHz (seeds)", "of the engine's", "its longest path"),
)


def path_text(found: Measurement) -> str:
    """Ends and delay of the longest path of the routing whose frequency is nearest the median."""
    routing = min(found.routings, key=lambda one: abs((one.mhz or 0.0) - (found.mhz or 0.0)))
    path = routing.path
    delay = float(path["logic_ns"]) + float(path["routing_ns"])
    return f"{_place(path['start'])} to {_place(path['end'])}, {delay:.2f} ns"


def _place(name: str) -> str:
    """The last two parts of a register's name."""
    return f"`{'.'.join(name.split('.')[-2:])}`" if name else "a cell without a name"


def _row(found: Measurement, alone: Measurement | None) -> tuple[str, ...]:
    engine, share = ("-", "-", "-"), "-"
    if alone is not None and alone.mhz and found.mhz:
        slots = alone.synthesis.request.params["NumSlots"]
        engine = mhz_text(alone), str(slots), path_text(alone)
        share = f"{found.mhz / alone.mhz:.2f}"
    core = mhz_text(found), share, path_text(found)
    return (*rsa_cells(found.synthesis.request), *engine, *core)


def rsa_speed_block(records: Sequence[Record]) -> str:
    """Every RSA core of today that was routed, and its engine alone where that was routed too."""
    cores: list[tuple[Measurement, Core]] = [
        (found, core)
        for found in current(records)
        if found.routings and isinstance(core := core_of_today(found), RsaCore)
    ]
    rows = [
        _row(found, engine_measurement(records, core, found.synthesis.request.target))
        for found, core in cores
    ]
    return table(_HEAD, sorted(rows)) if rows else missing(_COMMAND)


BLOCKS = {"rsa_speed": rsa_speed_block}
