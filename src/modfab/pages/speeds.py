# SPDX-License-Identifier: Apache-2.0
"""The tables of RSA cores: beside their engines alone, and what the default build costs."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.build.core import Core
from modfab.build.rsa import RsaCore
from modfab.flow.record import Record, Request
from modfab.flow.stored import Measurement, current
from modfab.pages.cells import rsa_cells
from modfab.pages.table import missing, table
from modfab.report.choosing import is_basic
from modfab.report.circuit import core_of_today, engine_measurement, mhz_text

PAGES = ("rtl/rsa/README.md",)
_COMMAND = "modfab synth --engine sos --bits 2048 --target ecp5-85k --level rsa_axil --route"
_HEAD = (
    *("engine", "core", "level", "target", "RSA", "engine alone, MHz (seeds)", "slots"),
    *("its longest path", "core, MHz (seeds)", "of the engine's", "its longest path"),
)
_COST_HEAD = (
    *("engine", "core", "level", "target", "RSA"),
    *("LUT4, `basic`", "`hardened`", "more", "flip-flops, `basic`", "`hardened`", "more"),
    *("cycles of a private operation, `basic`", "`hardened`", "more"),
    *("MHz (seeds), `basic`", "`hardened`"),
)


def path_text(found: Measurement) -> str:
    """Ends and delay of the longest path of the routing whose frequency is nearest the median."""
    path = found.typical.path
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


def _without_build(request: Request) -> tuple[object, ...]:
    """What two requests have in common that differ in the build only, and what it needs."""
    choices = {**request.params, **(request.rsa or {})}
    same = choices.keys() - {"hardened", "exponent_words", "NumSlots"}
    what = request.engine, request.level, request.target, request.sequencer
    return (*what, *((name, choices[name]) for name in sorted(same)))


def _more(basic: float, hardened: float) -> str:
    return f"{(hardened / basic - 1) * 100:+.1f} %"


def _cost_row(basic: Measurement, hardened: Measurement) -> tuple[str, ...]:
    plain, safe = basic.synthesis, hardened.synthesis
    pairs = [
        (float(plain.area["lut"]), float(safe.area["lut"])),
        (float(plain.area["ff"]), float(safe.area["ff"])),
        (float(plain.cycles["private"]), float(safe.cycles["private"])),
    ]
    cells = [cell for old, new in pairs for cell in (f"{old:,.0f}", f"{new:,.0f}", _more(old, new))]
    engine, form, level, target, bits = rsa_cells(safe.request)
    return (engine, form, level, target, bits, *cells, mhz_text(basic), mhz_text(hardened))


def rsa_cost_block(records: Sequence[Record]) -> str:
    """Cores of which both builds were measured: LUT4, flip-flops, cycles and frequency of each."""
    cores = [found for found in current(records) if isinstance(core_of_today(found), RsaCore)]
    safe = {
        _without_build(found.synthesis.request): found
        for found in cores
        if not is_basic(found.synthesis.request)
    }
    rows = [
        _cost_row(found, safe[key])
        for found in cores
        if is_basic(found.synthesis.request)
        and (key := _without_build(found.synthesis.request)) in safe
    ]
    return table(_COST_HEAD, sorted(rows)) if rows else missing(f"{_COMMAND} --rsa hardened=0")


BLOCKS = {"rsa_speed": rsa_speed_block, "rsa_cost": rsa_cost_block}
