# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the redundant engine with a table."""

from __future__ import annotations

from modfab.catalog.descriptor import Engine, Params
from modfab.catalog.redundant import config, cycles, parameters, r_bits
from modfab.filelists import listed_files
from modfab.models.mul_redundant_lut import LONGEST_SINGLE_BITS, RedundantLutModel, index_bits


def table_words(params: Params) -> int:
    """Words of the table, and cycles to fill or to clear it."""
    return 1 << index_bits(params["DigitBits"])


def _wipe(params: Params) -> int:
    """A word or a slot a cycle; where an entry takes two reads, until both have given zeros."""
    reads = 2 if params["DigitBits"] > LONGEST_SINGLE_BITS else 0
    return max(params["NumSlots"], table_words(params)) + reads


def _model(params: Params) -> RedundantLutModel:
    return RedundantLutModel(config(params), params["NumSlots"])


ENGINE = Engine(
    name="redundant_lut",
    engine_id=6,
    title="redundant radix-2^16 digits, one per cycle, k * M from block RAM",
    paper="nakano",
    take_when="as `redundant_mul`, with block RAMs to spare",
    parameters=parameters((*range(5, LONGEST_SINGLE_BITS + 1), 12, 14, 16, 18)),
    top="mf_mul_redundant_lut",
    files=listed_files("mul/redundant_lut/files.f"),
    r_bits=r_bits,
    cycles=cycles(table_words, _wipe),
    model=_model,
)
