# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the quotient-pipelined systolic engine."""

from __future__ import annotations

from modfab.catalog.descriptor import Cycles, Engine, Pair, Parameter, Params
from modfab.models.mul_qp_systolic import QpSystolicModel, Shape


def _shape(params: Params) -> Shape:
    return Shape(params["NumBits"], params["DigitBits"])


ENGINE = Engine(
    name="qp_systolic",
    engine_id=9,
    title="systolic array of hard multipliers with quotient pipelining, two lanes",
    paper="modfab",
    parameters=(
        Parameter("NumBits", "bits", range(64, 8193), 1024, "bits of the modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter("Contexts", "lanes", (1, 2), 2, "products that take turns in the array"),
        Parameter("DigitBits", "bits", range(8, 19), 18, "bits of a digit, one multiplier input"),
    ),
    top="mf_mul_qp_systolic",
    files=(
        "prim/mf_prim_add_gate.sv",
        "prim/mf_prim_mul.sv",
        "prim/mf_prim_mul_hold.sv",
        "prim/mf_prim_ram_pipe.sv",
        "prim/mf_prim_slots.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_pkg.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_array.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_head.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_gear.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_serial.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_setup.sv",
        "mul/qp_systolic/mf_mul_qp_systolic_port.sv",
        "mul/qp_systolic/mf_mul_qp_systolic.sv",
    ),
    r_bits=lambda params: _shape(params).r_bits,
    cycles=Cycles(
        mul=lambda params: _shape(params).period,
        mul2=lambda params: _shape(params).period,
        setup=lambda params: _shape(params).setup_cycles,
        load=lambda params: _shape(params).load_cycles,
        load_modulus=lambda params: _shape(params).load_modulus_cycles,
        store=lambda params: _shape(params).store_cycles,
        store_latency=lambda params: _shape(params).store_latency,
        wipe=lambda params: _shape(params).wipe_cycles(params["NumSlots"]),
        text="2 * ceil((NumBits + 2 * DigitBits + 2) / DigitBits) + 8, for one product or two",
    ),
    num_lanes=lambda params: params["Contexts"],
    model=lambda params: QpSystolicModel(
        params["NumBits"], params["NumSlots"], params["DigitBits"], params["Contexts"]
    ),
    pair=Pair(
        top="mf_mul_qp_systolic_pair",
        file="mul/qp_systolic/mf_mul_qp_systolic_pair.sv",
        names=("NumBits", "NumSlots", "DigitBits"),
        fixed={"Contexts": 1},
    ),
)
