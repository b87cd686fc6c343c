# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the bit-serial engine."""

from __future__ import annotations

from modfab.catalog.descriptor import Cycles, Engine, Parameter, Params
from modfab.filelists import listed_files
from modfab.models.mul_bit_serial import FLAT, PLAIN, BitSerialModel
from modfab.numbers import words_of


def r_bits(params: Params) -> int:
    """Bits of the modulus, rounded up to whole cycles."""
    return -(-params["NumBits"] // params["BitsPerClock"]) * params["BitsPerClock"]


def _mul(params: Params) -> int:
    cycles_per_group = 2 if params["Variant"] == PLAIN else 1
    return cycles_per_group * (r_bits(params) // params["BitsPerClock"]) + 2


def _transfer(params: Params) -> int:
    return words_of(params["NumBits"]) + 1


def _model(params: Params) -> BitSerialModel:
    return BitSerialModel(
        params["NumBits"], params["NumSlots"], params["Variant"], params["BitsPerClock"]
    )


ENGINE = Engine(
    name="bit_serial",
    engine_id=1,
    title="one to eight bits of a factor per cycle, wide adders",
    paper="liao-chen",
    take_when="you read a first engine, or moduli are short",
    parameters=(
        Parameter("NumBits", "bits", range(16, 4097), 2048, "bits of the modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter("Variant", "choice", (0, 1, 2), FLAT, "0 plain, 1 m + d1 + d2, 2 flattened"),
        Parameter("BitsPerClock", "bits", (1, 2, 4, 8), 1, "unrolled loop steps"),
    ),
    top="mf_mul_bit_serial",
    files=listed_files("mul/bit_serial/files.f"),
    r_bits=r_bits,
    cycles=Cycles(
        mul=_mul,
        setup=lambda params: 2 * r_bits(params) + 2,
        load=_transfer,
        load_modulus=_transfer,
        store=_transfer,
        store_latency=lambda params: 2,
        wipe=lambda params: params["NumSlots"],
        text="c * ceil(NumBits / BitsPerClock) + 2, c = 2 for Variant 0, else 1",
    ),
    model=_model,
)
