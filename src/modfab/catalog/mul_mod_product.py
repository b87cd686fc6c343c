# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the modulo-of-products engine."""

from __future__ import annotations

from modfab.catalog.descriptor import Engine, Parameter, Params
from modfab.catalog.plain import (
    NUM_BITS,
    NUM_LANES,
    NUM_SLOTS,
    num_lanes,
    plain_cycles,
    r_bits,
)
from modfab.filelists import listed_files
from modfab.models.mul_mod_product import ModProductModel


def _lane(params: Params) -> int:
    return params["ClocksPerStep"] * -(-params["NumBits"] // params["BitsPerStep"])


def _model(params: Params) -> ModProductModel:
    return ModProductModel(
        params["NumBits"],
        params["NumSlots"],
        params["BitsPerStep"],
        params["ClocksPerStep"],
        params["NumLanes"],
    )


ENGINE = Engine(
    name="mod_product",
    engine_id=2,
    title="repeated addition with conditional subtraction, no Montgomery form",
    paper="liao-chen",
    take_when="operands must stay out of Montgomery form",
    parameters=(
        NUM_BITS,
        NUM_SLOTS,
        Parameter("BitsPerStep", "bits", (1, 2, 4, 8), 1, "unrolled loop steps"),
        Parameter("ClocksPerStep", "cycles", (1, 2), 1, "cycles for BitsPerStep bits"),
        NUM_LANES,
    ),
    top="mf_mul_mod_product",
    files=listed_files("mul/mod_product/files.f"),
    r_bits=r_bits,
    cycles=plain_cycles(_lane, "ClocksPerStep * ceil(NumBits / BitsPerStep) + 2"),
    model=_model,
    num_lanes=num_lanes,
)
