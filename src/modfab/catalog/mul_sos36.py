# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the quotient-free operand-scanning engine with squares."""

from __future__ import annotations

from modfab.catalog.descriptor import LONG_R, Cycles, Engine, Parameter, Params
from modfab.filelists import listed_files
from modfab.models.mul_sos36 import DIGIT_BITS, Sos36Model, Sos36Timing
from modfab.numbers import words_of


def timing(params: Params) -> Sos36Timing:
    """Cycles at the width of `params`; for an active width put 32 times its words as NumBits."""
    return Sos36Timing(words_of(params["NumBits"]), params["MulStages"])


def _wipe(params: Params) -> int:
    """Every word of every slot, and of the hidden one."""
    bits = max(3, timing(params).num_words.bit_length())
    return (params["NumSlots"] + 1) << bits


def _model(params: Params) -> Sos36Model:
    long_r = bool(params[LONG_R])
    return Sos36Model(params["NumBits"], params["NumSlots"], params["MulStages"], long_r)


ENGINE = Engine(
    name="sos36",
    engine_id=10,
    title="one 36-bit word product per cycle, short squares, quotients without a multiplier",
    paper="modfab",
    take_when="multipliers count most: four of them, and squares in three quarters of a product",
    parameters=(
        Parameter("NumBits", "bits", range(32, 4097), 2048, "bits of the widest modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter("MulStages", "cycles", (2, 3, 4), 3, "registers of an 18 x 18 multiplier"),
        Parameter(LONG_R, "choice", (0, 1), 0, "1: slot 1 squared is a product; cores set it"),
    ),
    top="mf_mul_sos36",
    files=listed_files("mul/sos36/files.f"),
    r_bits=lambda params: DIGIT_BITS * timing(params).num_words,
    cycles=Cycles(
        mul=lambda params: timing(params).product,
        square=lambda params: timing(params).square,
        setup=lambda params: timing(params).setup,
        load=lambda params: timing(params).load,
        load_modulus=lambda params: timing(params).load,
        store=lambda params: timing(params).store,
        store_latency=lambda params: timing(params).store_latency,
        wipe=_wipe,
        text="2 * L * (L + 1) + MulStages + 8, a square L * (3 * L + 5) / 2 + MulStages + 23, for "
        "L >= MulStages + 8, L = floor(8 * ceil(NumBits / 32) / 9) + 1",
    ),
    model=_model,
    runtime_words=True,
    feed=lambda params: timing(params).feed,
    word_cycles=lambda params: 8,
    store_tail=1,
)
