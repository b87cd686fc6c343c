# SPDX-License-Identifier: Apache-2.0
"""The table of RSA cores beside their engines alone: frequencies and longest paths."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.flow.record import Record, Request
from modfab.flow.stored import Measurement, current
from modfab.pages.table import missing, table
from modfab.report.circuit import core_of_today, mhz_text

PAGES = ("rtl/rsa/README.md",)
_COMMAND = "modfab synth --engine sos --bits 2048 --target ecp5-85k --level rsa --route"
_HEAD = (
    *("core", "RSA", "target", "engine alone, MHz (seeds)", "its longest path"),
    *("core, MHz (seeds)", "of the engine's", "its longest path"),
)


def engine_alone(request: Request) -> tuple[str, str, dict[str, int]]:
    """Engine, target and parameters of the engine alone that an RSA core is compared with.

    A dual-port engine has two contexts of one array, as the engine with two contexts and one port.
    """
    params = dict(request.params)
    if request.rsa and request.rsa["pair"]:
        params["Contexts"] = 2
    return request.engine, request.target, params


def path_text(found: Measurement) -> str:
    """Ends and delay of the longest path of the routing whose frequency is nearest the median."""
    routing = min(found.routings, key=lambda one: abs((one.mhz or 0.0) - (found.mhz or 0.0)))
    path = routing.path
    delay = float(path["logic_ns"]) + float(path["routing_ns"])
    return f"{_place(path['start'])} to {_place(path['end'])}, {delay:.2f} ns"


def _place(name: str) -> str:
    """The last two parts of a register's name."""
    return f"`{'.'.join(name.split('.')[-2:])}`" if name else "a cell without a name"


def _title(request: Request) -> str:
    shape = request.rsa or {}
    if request.public_only:
        form = "public only"
    elif shape["pair"]:
        form = "dual-port"
    else:
        form = "1 engine" if shape["engines"] == 1 else f"{shape['engines']} engines"
    folded = request.params.get("NumElements", 0)
    elements = f" of {folded} elements" if folded else ""
    blinded = shape["message_blinding"] and shape["exponent_words"]
    words = f"`{request.engine}`, {form}{elements}, {request.sequencer}, {request.level}"
    return words if blinded or request.public_only else f"{words}, not blinded"


def _row(found: Measurement, alone: Measurement | None) -> tuple[str, ...]:
    request = found.synthesis.request
    bits = request.num_bits * (1 if request.public_only else 2)
    engine, share = ("-", "-"), "-"
    if alone is not None and alone.mhz and found.mhz:
        engine = mhz_text(alone), path_text(alone)
        share = f"{found.mhz / alone.mhz:.2f}"
    core = (mhz_text(found), share, path_text(found))
    return (_title(request), str(bits), request.target, *engine, *core)


def rsa_speed_block(records: Sequence[Record]) -> str:
    """Every RSA core of today that was routed, and its engine alone where that was routed too."""
    routed = [found for found in current(records) if found.routings]
    alone = {
        (request.engine, request.target, tuple(sorted(request.params.items()))): found
        for found in routed
        if (request := found.synthesis.request).level == "engine"
    }
    cores = [
        found
        for found in routed
        if (shape := found.synthesis.request.rsa) and "cores" not in shape and core_of_today(found)
    ]
    rows = []
    for found in cores:
        engine, target, params = engine_alone(found.synthesis.request)
        rows.append(_row(found, alone.get((engine, target, tuple(sorted(params.items()))))))
    return table(_HEAD, sorted(rows)) if rows else missing(_COMMAND)


BLOCKS = {"rsa_speed": rsa_speed_block}
