# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the redundant engine with multipliers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from modfab.catalog.descriptor import Chain, Cycles, Engine, Formula, Parameter, Params
from modfab.catalog.redundant import config, cycles, parameters, r_bits
from modfab.errors import UsageError
from modfab.filelists import listed_files
from modfab.models.engine import EngineModel
from modfab.models.mul_redundant_mul import RedundantMulModel
from modfab.models.redundant_pipe import WIPE_TAIL, PipeShape, RedundantPipeModel
from modfab.numbers import words_of

LONGEST_PIPE_BITS = 17
"""Longest digit of the pipelined form: factors have one bit more, and hard multipliers 18."""


def shape_of(params: Params) -> PipeShape:
    """Widths of the pipelined form."""
    return PipeShape(params["NumBits"], params["DigitBits"], params["PipelineStages"])


def _words(params: Params) -> int:
    return words_of(params["NumBits"])


def _either(single: Formula, pipe: Formula) -> Formula:
    """The formula that PipelineStages chooses."""
    return lambda params: pipe(params) if params["PipelineStages"] else single(params)


def _cycles() -> Cycles:
    single = cycles(lambda params: params["DigitBits"], lambda params: params["NumSlots"])
    return replace(
        single,
        mul=_either(single.mul, lambda params: shape_of(params).mul_cycles),
        mul2=lambda params: shape_of(params).mul_cycles,
        setup=_either(single.setup, lambda params: shape_of(params).setup_cycles),
        load=_either(single.load, lambda params: _words(params) + 3),
        load_modulus=_either(single.load_modulus, lambda params: _words(params) + 3),
        store=_either(
            single.store, lambda params: shape_of(params).convert_cycles + _words(params)
        ),
        store_latency=_either(
            single.store_latency, lambda params: shape_of(params).convert_cycles + 1
        ),
        wipe=_either(single.wipe, lambda params: params["NumSlots"] + 1 + WIPE_TAIL),
        text=f"{single.text}; with PipelineStages "
        "2 * ceil((NumBits + 2) / DigitBits) + 2 * PipelineStages + 10 for one product or two",
    )


def _check(params: Params) -> None:
    if not params["PipelineStages"]:
        return
    if not params["Redundant"] or params["DigitBits"] > LONGEST_PIPE_BITS:
        raise UsageError(
            f"PipelineStages needs Redundant 1 and DigitBits up to {LONGEST_PIPE_BITS}, but "
            f"Redundant {params['Redundant']} and DigitBits {params['DigitBits']} were given; "
            "change them or take PipelineStages 0."
        )


def _model(params: Params) -> EngineModel[Any]:
    if params["PipelineStages"]:
        return RedundantPipeModel(shape_of(params), params["NumSlots"])
    return RedundantMulModel(config(params), params["NumSlots"])


ENGINE = Engine(
    name="redundant_mul",
    engine_id=5,
    title="redundant radix-2^16 digits, one per cycle, k * M by multipliers",
    paper="nakano",
    take_when="one product needs the fewest cycles",
    parameters=(
        *parameters(range(5, 19)),
        Parameter(
            "PipelineStages",
            "registers",
            (0, 1, 3, 5),
            0,
            "0 the paper's single cycle; else registers in the loop of the quotient, two lanes",
        ),
    ),
    top="mf_mul_redundant_mul",
    files=listed_files("mul/redundant_mul/files.f"),
    r_bits=_either(r_bits, lambda params: shape_of(params).r_bits),
    cycles=_cycles(),
    num_lanes=lambda params: 2 if params["PipelineStages"] else 1,
    chain=Chain(r"gen_(?:products|xy|km)\[(\d+)\]|u_k\.", middle=True),
    check=_check,
    model=_model,
)
