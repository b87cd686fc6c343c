# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the radix-16 Booth engine."""

from __future__ import annotations

from modfab.catalog.descriptor import Cycles, Engine, Parameter, Params
from modfab.filelists import listed_files
from modfab.models.mul_booth16 import BOOTH16, Booth16Config, Booth16Model
from modfab.numbers import words_of


def config(params: Params) -> Booth16Config:
    """Width and recoding of a parameter set."""
    return Booth16Config(params["NumBits"], params["Recoding"])


def r_bits(params: Params) -> int:
    """Two bits more than the modulus, rounded up to whole digits."""
    return config(params).r_bits


def _mul(params: Params) -> int:
    return config(params).num_digits + 5


def _setup(params: Params) -> int:
    bits = r_bits(params)
    doublings = bits + bits.bit_count()
    return 3 + 6 * doublings + (bits.bit_length() - 1) * _mul(params)


def _model(params: Params) -> Booth16Model:
    return Booth16Model(params["NumBits"], params["NumSlots"], params["Recoding"])


ENGINE = Engine(
    name="booth16",
    engine_id=8,
    title="radix 16 by Booth digits, carry-save",
    paper="nguyen-pham",
    take_when="multipliers are scarce, the clock is slow",
    parameters=(
        Parameter("NumBits", "bits", range(16, 4097), 2048, "bits of the modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter(
            "Recoding", "choice", (0, 1, 2, 3), BOOTH16, "0 booth16, 1 radix16, 2 booth4, 3 radix2"
        ),
    ),
    top="mf_mul_booth16",
    files=listed_files("mul/booth16/files.f"),
    r_bits=r_bits,
    cycles=Cycles(
        mul=_mul,
        setup=_setup,
        load=lambda params: words_of(params["NumBits"]) + 1,
        load_modulus=lambda params: words_of(params["NumBits"]) + 1,
        store=lambda params: 3 * words_of(params["NumBits"]),
        store_latency=lambda params: 3,
        wipe=lambda params: params["NumSlots"] + 1,
        text="ceil((NumBits + 2) / DigitBits) + 5, DigitBits = 4, 4, 2, 1 for Recoding 0..3",
    ),
    model=_model,
)
