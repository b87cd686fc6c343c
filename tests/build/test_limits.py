# SPDX-License-Identifier: Apache-2.0
"""Values that a core may have: the last one that is taken, and the first one that is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from modfab.build.core import MAX_EXP_BITS, modexp_core
from modfab.build.farm import FarmCore
from modfab.build.named import named_core
from modfab.build.rsa import rsa_core
from modfab.catalog import ENGINES, Engine, get_engine
from modfab.catalog.mul_redundant_mul import LONGEST_PIPE_BITS
from modfab.errors import UsageError
from modfab.models.rsa.program import RsaShape, program
from modfab.paths import rtl_dir

QP = get_engine("qp_systolic")
FOLDED = {"NumElements": 3, "Contexts": 1}
PUBLIC = {
    "public_only": True,
    "message_blinding": False,
    "exponent_words": 0,
    "hardened": False,
}
FARM = FarmCore(rsa_core("bit_serial", 64), 2)

PARAMS: list[tuple[dict[str, int], dict[str, int], str]] = [
    ({"NumElements": 6}, {"NumElements": 7}, "at most the number of digits, 6 for 64 bits"),
    ({"MinModBits": 63}, {"MinModBits": 64}, "MinModBits must be below NumBits, 64, but 64"),
    ({"MulStages": 3}, {"MulStages": 4}, r"at most 2 \* QuotientDelay \+ 1, 3, but 4"),
    (
        {"Contexts": 1, "TwoInTurn": 1},
        {"Contexts": 2, "TwoInTurn": 1},
        "TwoInTurn must be 0 with 2 contexts",
    ),
    (
        {**FOLDED, "QuotientDelay": 2, "MulStages": 4},
        {**FOLDED, "QuotientDelay": 2, "MulStages": 5},
        r"at most QuotientDelay \+ 2, 4, in a folded array, but 5",
    ),
    (
        {**FOLDED, "QuotientDelay": 2, "NumElements": 2},
        {**FOLDED, "QuotientDelay": 2, "NumElements": 1},
        "at least QuotientDelay, 2, but 1",
    ),
    (FOLDED, {**FOLDED, "FactorSlots": 8}, "FactorSlots must be 0 in a folded array"),
    (FOLDED, {**FOLDED, "LoadSum": 1}, "LoadSum must be 0 in a folded array"),
    (FOLDED, {**FOLDED, "TwoInTurn": 1}, "TwoInTurn must be 0 in a folded array"),
    (FOLDED, {**FOLDED, "QuotientTables": 1}, "QuotientTables must be 0 in a folded array"),
]


@pytest.mark.parametrize(("taken", "refused", "text"), PARAMS, ids=[row[2] for row in PARAMS])
def test_parameters_of_qp_systolic(
    taken: dict[str, int], refused: dict[str, int], text: str
) -> None:
    params = QP.resolve(64, taken)
    assert {name: params[name] for name in taken} == taken
    with pytest.raises(UsageError, match=text):
        QP.resolve(64, refused)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=list(ENGINES))
def test_ranges_are_those_that_the_rtl_checks(engine: Engine) -> None:
    checked = {
        name: (int(least), int(most))
        for file in engine.files
        for name, least, most in re.findall(
            r"\b(\w+) < (\d+) \|\| \1 > (\d+)\)", (rtl_dir() / file).read_text()
        )
        if Path(file).stem == engine.top or "common" in file
    }
    legal = {found.name: (found.legal[0], found.legal[-1]) for found in engine.parameters}
    assert {"NumBits", "NumSlots"} <= checked.keys() <= legal.keys()
    assert {name: legal[name] for name in checked} == checked


def test_pipelines_of_redundant_mul() -> None:
    engine, pipeline = get_engine("redundant_mul"), {"PipelineStages": 3}
    engine.resolve(64, {**pipeline, "DigitBits": LONGEST_PIPE_BITS})
    engine.resolve(64, {"DigitBits": LONGEST_PIPE_BITS + 1, "Redundant": 0})
    for other in ({"DigitBits": LONGEST_PIPE_BITS + 1}, {"Redundant": 0}):
        with pytest.raises(UsageError, match="PipelineStages needs Redundant 1 and DigitBits up"):
            engine.resolve(64, {**pipeline, **other})


def test_digits_of_redundant_lut() -> None:
    """One table takes up to 10 bits; longer digits are two halves of one."""
    (digits,) = (p for p in get_engine("redundant_lut").parameters if p.name == "DigitBits")
    assert [*digits.legal] == [5, 6, 7, 8, 9, 10, 12, 14, 16, 18]


SHAPES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"half_bits": 34}, {"half_bits": 33}, "Expected primes of 34 to 2064 bits, but got 33"),
    ({"half_bits": 2064}, {"half_bits": 2065}, "Expected primes of 34 to 2064 bits, but got 2065"),
    ({"exponent_words": 0}, {"exponent_words": -1}, "Expected 0, 1 or 2 words of exponent"),
    ({"exponent_words": 2}, {"exponent_words": 3}, "Expected 0, 1 or 2 words of exponent"),
    ({"engines": 2}, {"engines": 3}, "Expected 1 or 2 engines, but got 3"),
    ({"engines": 1}, {"engines": 0}, "Expected 1 or 2 engines, but got 0"),
    ({"pair": True, "engines": 2}, {"pair": True}, "Expected 2 engines where they are a pair"),
    ({"keys": 4}, {"keys": 5}, "keeps 1 to 4 keys, but 5"),
    ({"keys": 1}, {"keys": 0}, "keeps 1 to 4 keys, but 0"),
    (
        {"address_blinding": True},
        {"address_blinding": True, "hardened": False},
        "Address blinding belongs to the build hardened",
    ),
    ({"keygen": True}, {"keygen": True, "half_bits": 32 + 64 + 1}, "a multiple of 32 bits"),
    ({"keygen": True}, {"keygen": True, "half_bits": 34}, "a multiple of 32 bits, at least 64"),
    (PUBLIC, {**PUBLIC, "half_bits": 33}, "Expected a modulus of 34 to 4128 bits, but got 33"),
    (
        {**PUBLIC, "half_bits": 4128},
        {**PUBLIC, "half_bits": 4129},
        "Expected a modulus of 34 to 4128 bits, but got 4129",
    ),
    *(
        (PUBLIC, {**PUBLIC, **private}, "has one engine and no secret to blind")
        for private in (
            {"message_blinding": True},
            {"exponent_words": 1},
            {"hardened": True},
            {"address_blinding": True},
            {"pair": True},
            {"keygen": True},
            {"engines": 2},
            {"keys": 2},
        )
    ),
]


@pytest.mark.parametrize(("taken", "refused", "text"), SHAPES, ids=[str(row[1]) for row in SHAPES])
def test_shapes(taken: dict[str, Any], refused: dict[str, Any], text: str) -> None:
    usual = {"half_bits": 64}
    RsaShape(**usual | taken)
    with pytest.raises(UsageError, match=text):
        RsaShape(**usual | refused)


FARMS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"cores": 1}, {"cores": 0}, "Expected 1 to 32 cores, but got 0"),
    ({"cores": 32}, {"cores": 33}, "Expected 1 to 32 cores, but got 33"),
    ({"id_bits": 1}, {"id_bits": 0}, "Expected 1 to 16 bits of a job's id, but got 0"),
    ({"id_bits": 16}, {"id_bits": 17}, "Expected 1 to 16 bits of a job's id, but got 17"),
    (
        {"small": FARM.rsa, "small_cores": 1},
        {"small": FARM.rsa, "small_cores": 2},
        "Of 2 cores 0 to 1 can be small ones, but 2",
    ),
    ({}, {"small_cores": 1}, "and small_elements with it"),
    ({}, {"small": FARM.rsa}, "and small_elements with it"),
    ({}, {"rsa": rsa_core("bit_serial", 64, keygen=True)}, "share one key that the host gives"),
]


@pytest.mark.parametrize(("taken", "refused", "text"), FARMS, ids=[row[2] for row in FARMS])
def test_farms(taken: dict[str, Any], refused: dict[str, Any], text: str) -> None:
    replace(FARM, **taken)
    with pytest.raises(UsageError, match=text):
        replace(FARM, **refused)


def test_exponent_windows() -> None:
    for window in (1, MAX_EXP_BITS):
        assert modexp_core("sos", 64, exp_bits=window).exp_bits == window
    for window in (0, MAX_EXP_BITS + 1):
        with pytest.raises(UsageError, match=f"1 to {MAX_EXP_BITS} bits, but got {window}"):
            modexp_core("sos", 64, exp_bits=window)


def test_slots_that_can_be_second_operands() -> None:
    """As many as the sequencer needs: `window` keeps its table in them."""
    for sequencer, taken, refused in (("window", 32, 16), ("window5", 16, 8), ("ladder", 8, 0)):
        built = modexp_core("qp_systolic", 64, {"FactorSlots": taken}, sequencer)
        needed = built.sequencer.num_factors
        assert refused < needed <= taken
        if refused:
            text = f"at least {needed} with {sequencer}, but {refused} was given"
            with pytest.raises(UsageError, match=text):
                modexp_core("qp_systolic", 64, {"FactorSlots": refused}, sequencer)


def test_options_of_another_kind() -> None:
    with pytest.raises(UsageError, match="--rsa belongs to the kinds rsa, farm, but the core is"):
        named_core("modexp", "sos", 64, {}, "ladder", None, {"keys": 2})
    with pytest.raises(UsageError, match="--exp-bits belongs to the kind modexp"):
        named_core("rsa", "sos", 128, {}, "ladder", 64, {})


def test_programs_that_do_not_fit() -> None:
    """The longest primes with one key fit; with four keys their words do not."""
    program(RsaShape(2064))
    with pytest.raises(UsageError, match="choose shorter primes or fewer keys"):
        program(RsaShape(2064, keys=4))


@pytest.mark.parametrize(
    ("engine", "keyed", "taken", "refused", "text"),
    [
        ("sos", {}, {"NumSlots": 14}, {"NumSlots": 13}, "NumSlots must be at least 14 with an RSA"),
        ("sos36", {}, {"LongR": 0}, {"LongR": 1}, "LongR is 0 in this core, but 1 was given"),
        ("qp_systolic", {}, {"MinModBits": 224}, {"MinModBits": 64}, "MinModBits is 224 in this"),
        ("qp_systolic", {"keys": 2}, {"Resume": 1}, {"Resume": 0}, "Resume is 1 in this core"),
    ],
)
def test_what_a_core_sets_is_not_overridden_in_silence(
    engine: str, keyed: dict[str, int], taken: dict[str, int], refused: dict[str, int], text: str
) -> None:
    shape: dict[str, Any] = {"engines": 2, **keyed}
    params = rsa_core(engine, 256, overrides=taken, **shape).unit.params
    assert {name: params[name] for name in taken} == taken
    with pytest.raises(UsageError, match=text):
        rsa_core(engine, 256, overrides=refused, **shape)


def test_slots_of_a_sequencer() -> None:
    assert modexp_core("sos", 256, {"NumSlots": 22}, "window").params["NumSlots"] == 22
    with pytest.raises(UsageError, match="NumSlots must be at least 22 with window, but 21"):
        modexp_core("sos", 256, {"NumSlots": 21}, "window")
