# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the multiply-then-divide engine."""

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
from modfab.errors import UsageError
from modfab.filelists import listed_files
from modfab.models.mul_mul_mod import PIPE_STAGES, MulModModel, low_bits

_DIGITS = {0: (1, 2, 4, 8, 16), 1: (16, 17, 18)}
"""Legal DigitBits for each value of UseDsp."""


def _check(params: Params) -> None:
    legal = _DIGITS[params["UseDsp"]]
    if params["DigitBits"] not in legal:
        raise UsageError(
            f"DigitBits must be one of {', '.join(map(str, legal))} when UseDsp is "
            f"{params['UseDsp']}, but {params['DigitBits']} was given; change one of the two."
        )


def _lane(params: Params) -> int:
    digit, per_clock = params["DigitBits"], params["DivBitsPerClock"]
    bits = low_bits(params["NumBits"], digit, per_clock)
    return bits // digit + PIPE_STAGES * params["UseDsp"] + bits // per_clock


def _model(params: Params) -> MulModModel:
    return MulModModel(
        params["NumBits"],
        params["NumSlots"],
        params["UseDsp"],
        params["DigitBits"],
        params["DivBitsPerClock"],
        params["NumLanes"],
    )


ENGINE = Engine(
    name="mul_mod",
    engine_id=3,
    title="full product, then restoring division: the baseline",
    paper="liao-chen",
    take_when="you need a baseline to compare with",
    parameters=(
        NUM_BITS,
        NUM_SLOTS,
        Parameter("UseDsp", "choice", (0, 1), 1, "0 adders, 1 hard multipliers"),
        Parameter("DigitBits", "bits", (1, 2, 4, 8, 16, 17, 18), 16, "factor bits per cycle"),
        Parameter("DivBitsPerClock", "bits", (1, 2, 4), 1, "quotient bits per cycle"),
        NUM_LANES,
    ),
    top="mf_mul_mul_mod",
    files=listed_files("mul/mul_mod/files.f"),
    r_bits=r_bits,
    cycles=plain_cycles(
        _lane,
        "L / DigitBits + 3 * UseDsp + L / DivBitsPerClock + 2, "
        "L = NumBits rounded up to a multiple of DigitBits, or of DigitBits * DivBitsPerClock "
        "where a digit is no whole number of the division's cycles",
    ),
    model=_model,
    num_lanes=num_lanes,
    check=_check,
)
