# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the redundant engine with multipliers."""

from __future__ import annotations

from modfab.catalog.descriptor import Engine, Params
from modfab.catalog.redundant import SHARED_FILES, config, cycles, parameters, r_bits
from modfab.models.mul_redundant_mul import RedundantMulModel


def _model(params: Params) -> RedundantMulModel:
    return RedundantMulModel(config(params), params["NumSlots"])


ENGINE = Engine(
    name="redundant_mul",
    engine_id=5,
    title="redundant radix-2^16 digits, one per clock, 2d + 1 multipliers",
    paper="nakano",
    parameters=parameters(range(5, 19)),
    top="mf_mul_redundant_mul",
    files=(
        *SHARED_FILES,
        "prim/mf_prim_red_mul.sv",
        "mul/redundant_mul/mf_mul_redundant_mul_quotient.sv",
        "mul/redundant_mul/mf_mul_redundant_mul.sv",
    ),
    r_bits=r_bits,
    cycles=cycles(lambda params: params["DigitBits"], lambda params: params["NumSlots"]),
    model=_model,
)
