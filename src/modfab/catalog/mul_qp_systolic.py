# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the quotient-pipelined systolic engine."""

from __future__ import annotations

from modfab.catalog.descriptor import Cycles, Engine, Parameter, Params
from modfab.models.mul_qp_systolic import (
    GUARD,
    PAUSE,
    SERIAL_OVERHEAD,
    QpSystolicModel,
    Shape,
)
from modfab.numbers import words_of


def _shape(params: Params) -> Shape:
    return Shape(params["NumBits"], params["DigitBits"])


def _period(params: Params) -> int:
    return _shape(params).period


def _setup(params: Params) -> int:
    shape = _shape(params)
    bits = f"{shape.r_bits:b}"
    products = len(bits) - 1 + bits.count("1") - 1
    serial = GUARD * shape.digit_bits + shape.doublings + 6
    steps = serial * (shape.num_places + SERIAL_OVERHEAD + PAUSE)
    steps += (products + 3) * (shape.period + PAUSE)
    return 1 + steps + 2 * (shape.drain + PAUSE) + shape.num_digits + PAUSE


def _load_modulus(params: Params) -> int:
    shape = _shape(params)
    return shape.drain + words_of(shape.num_bits) + shape.num_places


def _before_words(params: Params) -> int:
    shape = _shape(params)
    return (
        shape.drain + shape.num_places + 1 + (GUARD + 2) * (shape.num_places + SERIAL_OVERHEAD + 1)
    )


def _store(params: Params) -> int:
    words = words_of(params["NumBits"])
    return _before_words(params) + 2 * -(-32 * words // params["DigitBits"]) + words


def _wipe(params: Params) -> int:
    shape, slots = _shape(params), params["NumSlots"]
    memory = 1 << (slots.bit_length() + (shape.num_digits - 1).bit_length())
    return max(memory, 3 * shape.num_digits + 20 + slots)


ENGINE = Engine(
    name="qp_systolic",
    engine_id=9,
    title="systolic array of hard multipliers with quotient pipelining, two lanes",
    paper="modfab",
    parameters=(
        Parameter("NumBits", "bits", range(64, 8193), 1024, "bits of the modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter("DigitBits", "bits", range(8, 19), 18, "bits of a digit, one multiplier input"),
    ),
    top="mf_mul_qp_systolic",
    files=(
        "prim/mf_prim_mul.sv",
        "prim/mf_prim_ram_1r1w.sv",
        "prim/mf_prim_slots.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_array.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_head.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_serial.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_setup.sv",
        "mul/qp_systolic/mf_mul_qp_systolic.sv",
    ),
    r_bits=lambda params: _shape(params).r_bits,
    cycles=Cycles(
        mul=_period,
        mul2=_period,
        setup=_setup,
        load=lambda params: _load_modulus(params) + _period(params),
        load_modulus=_load_modulus,
        store=_store,
        store_latency=lambda params: _before_words(params) + 2 * -(-32 // params["DigitBits"]) + 1,
        wipe=_wipe,
        text="2 * ceil((NumBits + 2 * DigitBits + 2) / DigitBits) + 8, for one product or two",
    ),
    num_lanes=lambda params: 2,
    model=lambda params: QpSystolicModel(
        params["NumBits"], params["NumSlots"], params["DigitBits"]
    ),
)
