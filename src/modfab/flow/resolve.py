# SPDX-License-Identifier: Apache-2.0
"""From a stored request back to the design that it names, and to the command that measures it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from modfab.build.core import ModexpCore
from modfab.build.farm import FARM_NAMES
from modfab.build.named import KEYED, kind_of, named_core
from modfab.build.rsa import RSA_NAMES, SET_BY_CORE
from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.flow.design import Design
from modfab.flow.measure import Options, request_of, routed_request
from modfab.flow.record import (
    DEFAULT_PIECE_BITS,
    DEFAULT_ROUTER,
    DEFAULT_TIMING_WEIGHT,
    DEFAULT_WIRE_PS,
    Request,
)
from modfab.flow.route import DEFAULT_FREQ_MHZ
from modfab.flow.stored import Measurement
from modfab.flow.targets import get_target


def design_of_request(request: Request) -> Design:
    """The design that a measurement was made of, as today's catalogue builds it.

    Raises:
        UsageError: There is no such design any more.
    """
    kind = kind_of(request.level)
    params = {name: value for name, value in request.params.items() if name != "NumBits"}
    names = (*RSA_NAMES, *FARM_NAMES)
    choices = {name: value for name, value in (request.rsa or {}).items() if name in names}
    halves = kind in KEYED and not request.public_only
    num_bits = request.num_bits * (2 if halves else 1)
    exp_bits = request.exp_bits if kind == ModexpCore.kind else None
    words = (kind, request.engine, num_bits, params, request.sequencer, exp_bits, choices)
    design = Design(named_core(*words), bus=request.level != kind)
    _check_same(request, request_of(design, get_target(request.target), Options()))
    return design


def _check_same(request: Request, resolved: Request) -> None:
    """The catalogue must not give another design for the same words."""
    asked, given = (
        {"exp_bits": one.exp_bits, **one.params, **(one.rsa or {})} for one in (request, resolved)
    )
    for name, value in asked.items():
        if given.get(name) != value:
            raise UsageError(
                f"The measured design had {name} = {value}, but with its other parameters the "
                f"catalogue builds {name} = {given.get(name)} today; measure that one."
            )


def command_of(request: Request, seeds: int = 0) -> str:
    """The `modfab synth` command that measures a request again, on seeds 1 to `seeds`.

    Raises:
        UsageError: There is no such design any more.
    """
    design, target = design_of_request(request), get_target(request.target)
    core = design.core
    words = ["modfab", "synth", "--engine", request.engine]
    words += ["--bits", str(core.num_bits), "--target", request.target]
    engine = get_engine(request.engine)
    defaults = engine.resolve(request.num_bits, engine.on_target(target.mul_bits, {}))
    words += _each("--param", request.params, defaults)
    if request.sequencer:
        words += ["--level", request.level, "--sequencer", request.sequencer]
    words += _each("--rsa", core.non_defaults(), {})
    if core.kind == ModexpCore.kind and request.exp_bits != request.num_bits:
        words += ["--exp-bits", str(request.exp_bits)]
    options = Options(lut_multipliers=request.lut_multipliers)
    usual = request_of(design, target, options)
    if request.no_enables != usual.no_enables:
        words.append("--no-enables" if request.no_enables else "--enables")
    words += _mapping_words(request)
    if seeds:
        locked = routed_request(design, usual, options, 1).locked
        words += _route_words(request, seeds, locked)
    return shlex.join(words)


def measure_command_of(found: Measurement) -> str:
    """The `modfab synth` command that repeats a measurement, routed as it was, with its seeds.

    Raises:
        UsageError: There is no such design any more.
    """
    requests = [record.request for record in found.routings]
    seeds = [request.seed for request in requests if request.seed is not None]
    return command_of((requests or [found.synthesis.request])[0], max(seeds, default=0))


def build_command_of(request: Request) -> str:
    """The `modfab build` command that writes a measured core as a package.

    Raises:
        UsageError: There is no such core any more, or it is an engine alone.
    """
    core = design_of_request(request).core
    if not core.bus_module:
        raise UsageError(
            f"A package holds a core, but {request.level} is an engine alone; name a modexp, rsa "
            "or farm level."
        )
    words = ["modfab", "build", "--core", core.kind, "--engine", request.engine]
    words += ["--bits", str(core.num_bits), "--sequencer", request.sequencer]
    params = {name: value for name, value in request.params.items() if name not in SET_BY_CORE}
    words += _each("--param", params, get_engine(request.engine).resolve(request.num_bits))
    words += _each("--rsa", core.non_defaults(), {})
    if core.kind == ModexpCore.kind and request.exp_bits != request.num_bits:
        words += ["--exp-bits", str(request.exp_bits)]
    folder = f"modfab_{core.kind}_{request.engine}_{request.design_key[:4]}"  # one for each core
    words += ["--target", request.target, "-o", folder]
    return shlex.join(words)


def _each(option: str, values: Mapping[str, int], defaults: Mapping[str, int]) -> list[str]:
    chosen = [f"{name}={value}" for name, value in values.items() if defaults.get(name) != value]
    return [word for text in chosen for word in (option, text)]


def _mapping_words(request: Request) -> list[str]:
    words = ["--min-set", str(request.min_set)] if request.min_set else []
    words += ["--lut-multipliers"] if request.lut_multipliers else []
    if request.piece_bits != DEFAULT_PIECE_BITS:
        words += ["--piece-bits", str(request.piece_bits)]
    if request.wire_ps != DEFAULT_WIRE_PS:
        words += ["--wire-delay", str(request.wire_ps)]
    return words


def _route_words(request: Request, seeds: int, locked: bool) -> Sequence[str]:
    words = ["--route", "--seeds", str(seeds)]
    if request.freq_mhz not in (None, DEFAULT_FREQ_MHZ):
        words += ["--freq", f"{request.freq_mhz:g}"]
    if request.router != DEFAULT_ROUTER:
        words += ["--router", request.router]
    if request.timing_weight != DEFAULT_TIMING_WEIGHT:
        words += ["--timing-weight", str(request.timing_weight)]
    if request.locked != locked:
        words.append("--lock" if request.locked else "--no-lock")
    return words
