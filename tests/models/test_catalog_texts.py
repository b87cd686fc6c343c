# SPDX-License-Identifier: Apache-2.0
"""The formulas for people, computed by hand, against those of the catalogue at any parameters."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log2

import pytest

from modfab.catalog import ENGINES, Engine, Params, get_engine
from modfab.errors import UsageError


def ceil(number: int, divisor: int) -> int:
    return -(-number // divisor)


def _bit_serial(p: Params) -> int:
    return (1 if p["Variant"] else 2) * ceil(p["NumBits"], p["BitsPerClock"]) + 2


def _mod_product(p: Params) -> int:
    return p["ClocksPerStep"] * ceil(p["NumBits"], p["BitsPerStep"]) + 2


def _mul_mod(p: Params) -> int:
    digit, division = p["DigitBits"], p["DivBitsPerClock"]
    group = digit * division if digit % division else digit
    low = ceil(p["NumBits"], group) * group
    return low // digit + 3 * p["UseDsp"] + low // division + 2


def _systolic(p: Params) -> int:
    m, radix_bits = ceil(p["NumBits"], p["RadixBits"]), p["RadixBits"]
    return 2 * m + 8 if radix_bits == 1 else 2 * m + 4 + 2**radix_bits


def _redundant(p: Params) -> int:
    stages = p.get("PipelineStages", 0)
    if stages:
        return 2 * ceil(p["NumBits"] + 2, p["DigitBits"]) + 2 * stages + 10
    return max(3, ceil(p["NumBits"], p["DigitBits"]) + 1)


def _sos(p: Params) -> int | None:
    b, g = ceil(p["NumBits"], p["WordBits"]) + 1, int(log2(p["WordBits"] / 16))
    drain = 0 if p["Overlap"] else p["MulStages"] + 2 * g + 6
    return 2 * b**2 + drain if b >= 2 * p["MulStages"] + 3 * g + 6 else None


def _booth16(p: Params) -> int:
    return ceil(p["NumBits"] + 2, (4, 4, 2, 1)[p["Recoding"]]) + 5


def _qp_systolic(p: Params) -> int | None:
    if p["NumElements"]:
        return None
    delay, digit = p["QuotientDelay"], p["DigitBits"]
    digits = ceil(p["NumBits"] + (delay + 1) * digit + 2, digit)
    return 2 * digits + 2 * delay + p["MulStages"] + 3


def _qp_pair(p: Params) -> int | None:
    product = _qp_systolic(p)
    if product is None or not p["TwoInTurn"]:
        return product
    return 2 * product - p["MulStages"] - 1


def _sos36_words(p: Params) -> int:
    return 8 * ceil(p["NumBits"], 32) // 9 + 1


def _sos36(p: Params) -> int | None:
    words, stages = _sos36_words(p), p["MulStages"]
    return 2 * words * (words + 1) + stages + 8 if words >= stages + 8 else None


def _sos36_square(p: Params) -> int | None:
    words, stages = _sos36_words(p), p["MulStages"]
    return words * (3 * words + 5) // 2 + stages + 23 if words >= stages + 8 else None


Formula = Callable[[Params], int | None]
"""None where the text says nothing."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text, and what it says of a product, of a pair on two lanes and of a square."""

    text: str
    mul: Formula
    mul2: Formula = lambda params: None
    square: Formula = lambda params: None


SAID = {
    "bit_serial": Said(
        "c * ceil(NumBits / BitsPerClock) + 2, c = 2 for Variant 0, else 1", _bit_serial
    ),
    "mod_product": Said("ClocksPerStep * ceil(NumBits / BitsPerStep) + 2", _mod_product),
    "mul_mod": Said(
        "L / DigitBits + 3 * UseDsp + L / DivBitsPerClock + 2, L = NumBits rounded up to a "
        "multiple of DigitBits, or of DigitBits * DivBitsPerClock where a digit is no whole number "
        "of the division's cycles",
        _mul_mod,
    ),
    "systolic": Said(
        "2m + 4 + 2^RadixBits (2m + 8 for RadixBits 1), m = ceil(NumBits / RadixBits)",
        *(_systolic, _systolic),
    ),
    "redundant_mul": Said(
        "ceil(NumBits / DigitBits) + 1, at least 3; with PipelineStages 2 * ceil((NumBits + 2) / "
        "DigitBits) + 2 * PipelineStages + 10 for one product or two",
        *(_redundant, _redundant),
    ),
    "redundant_lut": Said("ceil(NumBits / DigitBits) + 1, at least 3", _redundant),
    "sos": Said(
        "2 * B^2 for B >= D, B = ceil(NumBits / WordBits) + 1, D = 2 * MulStages + 3g + 6, "
        "g = log2(WordBits / 16); MulStages + 2g + 6 more with Overlap 0",
        _sos,
    ),
    "booth16": Said(
        "ceil((NumBits + 2) / DigitBits) + 5, DigitBits = 4, 4, 2, 1 for Recoding 0..3", _booth16
    ),
    "qp_systolic": Said(
        "P = 2 * ceil((NumBits + (QuotientDelay + 1) * DigitBits + 2) / DigitBits) + 2 * "
        "QuotientDelay + MulStages + 3 for one product or two, 2P - MulStages - 1 for two with "
        "TwoInTurn; with NumElements 0",
        *(_qp_systolic, _qp_pair),
    ),
    "sos36": Said(
        "2 * L * (L + 1) + MulStages + 8, a square L * (3 * L + 5) / 2 + MulStages + 23, for "
        "L >= MulStages + 8, L = floor(8 * ceil(NumBits / 32) / 9) + 1",
        _sos36,
        square=_sos36_square,
    ),
}


def drawn(engine: Engine, rng: random.Random) -> Iterator[Params]:
    """Parameters that the engine takes, most of them at an end of their range."""
    for _ in range(600):
        given = {}
        for parameter in engine.parameters:
            legal = parameter.legal
            near = rng.choice(legal[:300]) if isinstance(legal, range) else rng.choice(legal)
            given[parameter.name] = rng.choice([legal[0], legal[-1], near, parameter.default])
        try:
            yield engine.resolve(given["NumBits"], given)
        except UsageError:
            continue


@pytest.mark.parametrize("name", ENGINES)
def test_a_text_says_what_the_formula_gives(name: str, rng: random.Random) -> None:
    engine, said = get_engine(name), SAID[name]
    assert engine.cycles.text == said.text
    of_product, checked = engine.cycles, 0
    for params in drawn(engine, rng):
        pair = engine.pair_cycles(params)
        pairs = [] if pair is None else [(said.mul2, pair)]
        squares = [(said.square, of_product.square(params))] if of_product.square else []
        for formula, cycles in [(said.mul, of_product.mul(params)), *pairs, *squares]:
            by_hand = formula(params)
            assert by_hand in (None, cycles), params
            checked += by_hand is not None
    assert checked > 50
