# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the separated-operand-scanning engine."""

from __future__ import annotations

from modfab.catalog.descriptor import Cycles, Engine, Parameter, Params
from modfab.errors import UsageError
from modfab.filelists import listed_files
from modfab.models.mul_sos import SosModel, SosTiming
from modfab.numbers import words_of


def timing(params: Params) -> SosTiming:
    """Cycles at the width of `params`; for an active width put 32 times its words as NumBits."""
    return SosTiming(
        words_of(params["NumBits"]),
        params["WordBits"],
        params["MulStages"],
        bool(params["Overlap"]),
    )


def _check(params: Params) -> None:
    if params["DspAdd"] and params["WordBits"] != 32:
        raise UsageError(
            "Parameter DspAdd = 1 needs WordBits 32, since a DSP block adds 48 bits, but "
            f"WordBits = {params['WordBits']} was given; leave one of them out."
        )


def _wipe(params: Params) -> int:
    positions = max(8, timing(params).num_words)
    return params["NumSlots"] << (positions - 1).bit_length()


def _model(params: Params) -> SosModel:
    return SosModel(
        params["NumBits"],
        params["NumSlots"],
        params["WordBits"],
        params["MulStages"],
        bool(params["Overlap"]),
    )


ENGINE = Engine(
    name="sos",
    engine_id=7,
    title="one word product per cycle, operands in block RAM",
    paper="qureshi",
    take_when="LUTs alone count, or you compare with [QURESHI08]; else `sos36`",
    parameters=(
        Parameter("NumBits", "bits", range(32, 4097), 2048, "bits of the widest modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter("WordBits", "bits", (32, 64), 32, "bits of a word"),
        Parameter("MulStages", "cycles", (1, 2, 3, 4), 2, "registers of a 16 x 16 multiplier"),
        Parameter("Overlap", "choice", (0, 1), 1, "1 starts a product while the last one drains"),
        Parameter("DspAdd", "choice", (0, 1), 0, "1 adds in DSP blocks (xc5v, xc7; WordBits 32)"),
    ),
    top="mf_mul_sos",
    files=listed_files("mul/sos/files.f"),
    r_bits=lambda params: params["WordBits"] * timing(params).num_words,
    cycles=Cycles(
        mul=lambda params: timing(params).product,
        setup=lambda params: timing(params).setup,
        load=lambda params: timing(params).load,
        load_modulus=lambda params: timing(params).load,
        store=lambda params: timing(params).store,
        store_latency=lambda params: timing(params).store_latency,
        wipe=_wipe,
        text="2 * B^2 for B >= D, B = ceil(NumBits / WordBits) + 1, D = 2 * MulStages + 3g + 6, "
        "g = log2(WordBits / 16); MulStages + 2g + 6 more with Overlap 0",
    ),
    model=_model,
    check=_check,
    runtime_words=True,
    feed=lambda params: timing(params).load - 1,
    store_tail=1,
)
