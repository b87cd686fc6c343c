# SPDX-License-Identifier: Apache-2.0
"""Cells of the tables that say which circuit was measured."""

from __future__ import annotations

from modfab.catalog import ENGINES
from modfab.flow.record import Request
from modfab.report.choosing import form_text, is_blinded


def level_text(request: Request) -> str:
    """Level and sequencer, of a farm its cores too."""
    if request.level == "engine":
        return request.level
    if request.public_only:
        return f"{request.level}, public only"
    cores = (request.rsa or {}).get("cores")
    return f"{request.level}, {request.sequencer}" + (f", {cores} cores" if cores else "")


def circuit_text(request: Request) -> str:
    """Level and sequencer; of an RSA core its form too, without which two are alike."""
    level = level_text(request)
    return (
        level if request.rsa is None or request.public_only else f"{level}, {shape_text(request)}"
    )


def rsa_cells(request: Request) -> tuple[str, ...]:
    """Engine, form, level, target and bits of an RSA core."""
    params = dict(request.params)
    for name in {"NumSlots", "Resume"} & params.keys():
        params[name] = ENGINES[request.engine].parameter(name).default
    others = ENGINES[request.engine].non_defaults(params)
    title = f"`{request.engine}`" + (f" ({others})" if others else "")
    place = level_text(request), request.target, str(request.modulus_bits)
    return (title, shape_text(request), *place)


def shape_text(request: Request) -> str:
    """Engines and blinding."""
    shape = request.rsa or {}
    if request.public_only:
        return "public operations only"
    return f"{form_text(shape)}, {'blinded' if is_blinded(request) else 'not blinded'}"
