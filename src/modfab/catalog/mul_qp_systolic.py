# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the quotient-pipelined systolic engine."""

from __future__ import annotations

from modfab.catalog.descriptor import Chain, Cycles, Engine, Pair, Parameter, Params
from modfab.errors import UsageError
from modfab.filelists import listed_files
from modfab.models.mul_qp_systolic import QpSystolicModel
from modfab.models.mul_qp_systolic_fold import FoldedShape
from modfab.models.mul_qp_systolic_shape import Shape


def _full(params: Params) -> Shape:
    return Shape(
        params["NumBits"],
        params["DigitBits"],
        delay=params["QuotientDelay"],
        mul_stages=params["MulStages"],
        min_mod_bits=params["MinModBits"],
        tables=params["QuotientTables"],
        resume=params["Resume"],
        load_sum=params["LoadSum"],
        in_turn=params["TwoInTurn"],
    )


def _is_full(params: Params) -> bool:
    return params["NumElements"] in (0, _full(params).num_digits)


def _factor_slots(params: Params) -> int:
    return min(params["FactorSlots"] or params["NumSlots"], params["NumSlots"])


def _model(params: Params) -> QpSystolicModel:
    sizes = params["NumSlots"], params["Contexts"], _factor_slots(params)
    return QpSystolicModel(_shape(params), *sizes)


def _shape(params: Params) -> Shape:
    full = _full(params)
    if _is_full(params):
        return full
    return FoldedShape(
        full.num_bits,
        full.digit_bits,
        params["NumElements"],
        delay=full.delay,
        mul_stages=full.mul_stages,
        min_mod_bits=full.min_mod_bits,
        resume=full.resume,
    )


def _check(params: Params) -> None:
    digits = _full(params).num_digits
    if params["NumElements"] > digits:
        raise UsageError(
            f"Parameter NumElements must be at most the number of digits, {digits} for "
            f"{params['NumBits']} bits in digits of {params['DigitBits']}, but "
            f"{params['NumElements']} was given; choose fewer, or 0 for one a digit."
        )
    if params["MinModBits"] >= params["NumBits"]:
        raise UsageError(
            f"Parameter MinModBits must be below NumBits, {params['NumBits']}, but "
            f"{params['MinModBits']} was given: no modulus would be left; choose a smaller one."
        )
    delay, stages = params["QuotientDelay"], params["MulStages"]
    if stages > 2 * delay + 1:
        raise UsageError(
            f"Parameter MulStages must be at most 2 * QuotientDelay + 1, {2 * delay + 1}, but "
            f"{stages} was given: a quotient digit would come too late."
        )
    if params["TwoInTurn"] and params["Contexts"] != 1:
        raise UsageError(
            f"Parameter TwoInTurn must be 0 with {params['Contexts']} contexts, which make both "
            f"products at once, but 1 was given; leave it out, or give Contexts=1."
        )
    if params["QuotientTables"]:
        _check_tables(params)
    if _is_full(params):
        return
    _check_folded(params)
    if stages > delay + 2:
        raise UsageError(
            f"Parameter MulStages must be at most QuotientDelay + 2, {delay + 2}, in a folded "
            f"array, but {stages} was given; choose fewer, or leave NumElements at 0."
        )
    if params["NumElements"] < delay:
        raise UsageError(
            f"Parameter NumElements must be at least QuotientDelay, {delay}, but "
            f"{params['NumElements']} was given; choose more elements."
        )


def _check_folded(params: Params) -> None:
    """What only a full array has."""
    if params["FactorSlots"]:
        raise UsageError(
            f"Parameter FactorSlots must be 0 in a folded array, whose slots are in block RAM, but "
            f"{params['FactorSlots']} was given; leave it out, or NumElements at 0."
        )
    if params["LoadSum"]:
        raise UsageError(
            "Parameter LoadSum must be 0 in a folded array, but 1 was given: its elements take a "
            "digit of y from one slot in all steps; leave it out, or NumElements at 0."
        )
    if params["TwoInTurn"]:
        raise UsageError(
            "Parameter TwoInTurn must be 0 in a folded array, but 1 was given: its products follow "
            "each other by passes; leave it out, or NumElements at 0."
        )


def _check_tables(params: Params) -> None:
    if not _is_full(params):
        raise UsageError(
            f"Parameter QuotientTables must be 0 in a folded array, but "
            f"{params['QuotientTables']} was given: an element would need every digit's table; "
            f"leave NumElements at 0."
        )
    if not _full(params).hides_fill:
        raise UsageError(
            f"Parameter QuotientTables must be 0 with a MinModBits of {params['MinModBits']} at "
            f"{params['NumBits']} bits in digits of {params['DigitBits']}, but "
            f"{params['QuotientTables']} was given: set-up would end before the tables are full; "
            f"choose a smaller MinModBits."
        )


ENGINE = Engine(
    name="qp_systolic",
    engine_id=9,
    title="systolic array of hard multipliers with quotient pipelining, two lanes",
    paper="modfab",
    take_when="throughput counts most; what `demo` and `sign` simulate",
    parameters=(
        Parameter("NumBits", "bits", range(64, 8193), 1024, "bits of the modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter("Contexts", "lanes", (1, 2), 2, "products interleaved in the array"),
        Parameter("DigitBits", "bits", range(8, 19), 18, "bits of a digit, one multiplier input"),
        Parameter(
            "NumElements", "elements", range(1028), 0, "fewer than digits: folded; 0: one a digit"
        ),
        Parameter("QuotientDelay", "steps", (1, 2), 1, "from a quotient digit to its product"),
        Parameter("MulStages", "registers", range(3, 6), 3, "of a product of two digits"),
        Parameter(
            "MinModBits",
            "bits",
            range(8192),
            0,
            "a modulus is at least 2^MinModBits: shorter set-up",
        ),
        Parameter(
            "QuotientTables", "choice", (0, 1), 0, "1: half of the products from block RAM tables"
        ),
        Parameter("Resume", "choice", (0, 1), 0, "1: a short set-up for a modulus used before"),
        Parameter("LoadSum", "choice", (0, 1), 0, "1: a load can add a slot; not when folded"),
        Parameter(
            "FactorSlots", "slots", (0, 8, 16, 32, 64), 0, "slots that can be operand b; 0: all"
        ),
        Parameter(
            "TwoInTurn", "choice", (0, 1), 0, "1: pairs with one context, one after the other"
        ),
    ),
    top="mf_mul_qp_systolic",
    files=listed_files("mul/qp_systolic/files.f"),
    r_bits=lambda params: _shape(params).r_bits,
    cycles=Cycles(
        mul=lambda params: _shape(params).period,
        mul2=lambda params: _shape(params).pair_period,
        setup=lambda params: _shape(params).setup_cycles,
        resume=lambda params: _shape(params).resume_cycles,
        load=lambda params: _shape(params).load_cycles,
        load_modulus=lambda params: _shape(params).load_modulus_cycles,
        store=lambda params: _shape(params).store_cycles,
        store_latency=lambda params: _shape(params).store_latency,
        wipe=lambda params: _shape(params).wipe_cycles(params["NumSlots"]),
        text="P = 2 * ceil((NumBits + (QuotientDelay + 1) * DigitBits + 2) / DigitBits) "
        "+ 2 * QuotientDelay + MulStages + 3 for one product or two, 2P - MulStages - 1 for two "
        "with TwoInTurn; with NumElements 0",
    ),
    num_lanes=lambda params: params["Contexts"] + params["TwoInTurn"],
    wide_load=True,
    load_factor=True,
    sum_bits=lambda params: _shape(params).sum_bits if params["LoadSum"] else 0,
    resume_bits=lambda params: _shape(params).resume_bits if params["Resume"] else 0,
    feed=lambda params: _shape(params).feed_cycles,
    word_cycles=lambda params: _shape(params).word_cycles,
    store_tail=2,
    rest=3,
    min_mod_bits=lambda params: params["MinModBits"],
    no_enables=True,
    digit="DigitBits",
    # The operands that folded elements hold have more clock enables than a block of ecp5 takes.
    chain=Chain(
        r"gen_element\[(\d+)\]",
        beside=r"gen_port\[|u_core\.",
        cells="*gen_element*",
        lockable=_is_full,
    ),
    check=_check,
    factor_slots=_factor_slots,
    model=_model,
    pair=Pair(
        top="mf_mul_qp_systolic_pair",
        file="mul/qp_systolic/mf_mul_qp_systolic_pair.sv",
        names=(
            *("NumBits", "NumSlots", "DigitBits", "MinModBits", "QuotientTables", "Resume"),
            *("LoadSum", "FactorSlots", "TwoInTurn"),
        ),
        fixed={"Contexts": 1, "NumElements": 0, "QuotientDelay": 1, "MulStages": 3},
    ),
)
