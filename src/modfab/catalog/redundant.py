# SPDX-License-Identifier: Apache-2.0
"""What the catalogue entries of the two redundant engines share."""

from __future__ import annotations

from modfab.catalog.descriptor import Cycles, Formula, Parameter, Params
from modfab.models.redundant import RedundantConfig
from modfab.numbers import words_of


def config(params: Params) -> RedundantConfig:
    """Shape of a parameter set."""
    return RedundantConfig(params["NumBits"], params["DigitBits"], bool(params["Redundant"]))


def parameters(legal_digit_bits: range | tuple[int, ...]) -> tuple[Parameter, ...]:
    """The parameters, for the digits that an engine can have."""
    return (
        Parameter("NumBits", "bits", range(16, 4097), 1024, "bits of the modulus"),
        Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots"),
        Parameter("DigitBits", "bits", legal_digit_bits, 16, "bits of a digit"),
        Parameter(
            "Redundant", "choice", (0, 1), 1, "1 redundant digits, 0 carries through the number"
        ),
    )


def r_bits(params: Params) -> int:
    """As many bits as the digits of the modulus have."""
    return config(params).r_bits


def cycles(table_cycles: Formula, wipe: Formula) -> Cycles:
    """All formulas, from the cycles that table or inverse and wipe take."""

    def setup(params: Params) -> int:
        return table_cycles(params) + 4 * r_bits(params) + config(params).digits + 6

    def words(params: Params) -> int:
        return words_of(params["NumBits"])

    return Cycles(
        mul=lambda params: config(params).mul_cycles,
        setup=setup,
        load=lambda params: words(params) + 1,
        load_modulus=lambda params: words(params) + 1,
        store=lambda params: 2 * config(params).norm_cycles + words(params),
        store_latency=lambda params: 2 * config(params).norm_cycles + 1,
        wipe=wipe,
        text="ceil(NumBits / DigitBits) + 1, at least 3",
    )
