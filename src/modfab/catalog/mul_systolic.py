# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the high-radix systolic engine."""

from __future__ import annotations

from modfab.catalog.descriptor import Cycles, Engine, Parameter, Params
from modfab.errors import UsageError
from modfab.filelists import listed_files
from modfab.models.mul_systolic import Shape, SystolicModel


def shape_of(params: Params) -> Shape:
    """Sizes of the array; its properties are the cycle formulas."""
    return Shape(params["NumBits"], params["RadixBits"], params["ElementBits"])


def _model(params: Params) -> SystolicModel:
    sizes = params["NumBits"], params["NumSlots"]
    return SystolicModel(*sizes, params["RadixBits"], params["ElementBits"])


def _check(params: Params) -> None:
    if params["ElementBits"] > 1 < params["RadixBits"]:
        raise UsageError(
            f"Parameter ElementBits must be 1 unless RadixBits is 1, but ElementBits = "
            f"{params['ElementBits']} and RadixBits = {params['RadixBits']} were given; leave one "
            "of them out."
        )


def _product(params: Params) -> int:
    return shape_of(params).product_cycles


ENGINE = Engine(
    name="systolic",
    engine_id=4,
    title="systolic array in radix 2 to 64, two products side by side",
    paper="blum-paar",
    take_when="multipliers are scarce, throughput counts",
    parameters=(
        Parameter("NumBits", "bits", range(16, 4097), 2048, "bits of the modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter("RadixBits", "bits", range(1, 7), 4, "bits of a digit"),
        Parameter("ElementBits", "bits", (1, 4, 8, 16), 1, "RadixBits 1: bits of an element"),
    ),
    top="mf_mul_systolic",
    files=listed_files("mul/systolic/files.f"),
    r_bits=lambda params: 0,
    cycles=Cycles(
        mul=_product,
        mul2=_product,
        setup=lambda params: shape_of(params).setup_cycles,
        load=lambda params: shape_of(params).load_cycles + _product(params),
        load_modulus=lambda params: shape_of(params).load_cycles,
        store=lambda params: shape_of(params).store_cycles,
        store_latency=lambda params: shape_of(params).first_word_cycles,
        wipe=lambda params: shape_of(params).wipe_cycles(params["NumSlots"]),
        text="2m + 4 + 2^RadixBits (2m + 8 for RadixBits 1), m = ceil(NumBits / RadixBits)",
    ),
    model=_model,
    check=_check,
    num_lanes=lambda params: 2,
    feed=lambda params: shape_of(params).feed_cycles,
    word_cycles=lambda params: 1 + 32 // params["RadixBits"],
)
