# SPDX-License-Identifier: Apache-2.0
"""The RSA core over every engine: values, and cycles as the formulas say."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from modfab.build.rsa import rsa_core
from modfab.catalog import ENGINES, Params
from modfab.errors import UsageError
from modfab.models.mul_qp_systolic import Shape
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from tests.support.rsa_core import load, make_key, make_model, ok, operate, pair

# On the simulated core by default: two lanes; block RAM; the others with --full.
QUICK = {"qp_systolic", "sos"}


@pytest.mark.parametrize("sequencer", ["ladder", "window", "r2l"])
@pytest.mark.parametrize("engine", ENGINES)
def test_model_on_every_engine(engine: str, sequencer: str, rng: random.Random) -> None:
    config = rsa_core(engine, 64, sequencer=sequencer)
    model = make_model(config, lambda: rng.getrandbits(32))
    cycles = set()
    for _ in range(3):
        key = make_key(rng, 64, 64)
        assert ok(load(model, key)) == config.programs().program(RsaEntry.KEY, 17)
        message = rng.randrange(key.n)
        cycles.add(ok(operate(model, key, message)))
        assert model.get("M") == pow(message, key.d, key.n)
    assert cycles == {config.programs().program(RsaEntry.PRIVATE, 17)}


@pytest.mark.parametrize(
    "engine",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in ENGINES],
)
def test_rtl_is_the_model(engine: str, rng: random.Random) -> None:
    config = rsa_core(engine, 64, engines=2)
    rtl, model = pair(config, rng)
    key = make_key(rng, 64, 64)
    assert ok(load(rtl, key)) == ok(load(model, key))
    for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC):
        message = rng.randrange(key.n)
        runs = [operate(core, key, message, entry) for core in (rtl, model)]
        assert runs[0] == runs[1]
        exponent = key.d if entry is RsaEntry.PRIVATE else key.e
        assert ok(runs[0]) == config.programs().program(entry, 17)
        assert rtl.get("M") == model.get("M") == pow(message, exponent, key.n)
    rtl.close()


@pytest.mark.parametrize(
    ("half_bits", "sequencer"),
    [(64, "window"), pytest.param(90, "ladder", marks=pytest.mark.full)],
)
def test_two_contexts_of_one_engine(half_bits: int, sequencer: str, rng: random.Random) -> None:
    """Both halves on one array: words and clocks as with two engines of one lane each."""
    shared = rsa_core("qp_systolic", half_bits, engines=2, pair=True, sequencer=sequencer)
    two = rsa_core("qp_systolic", half_bits, {"Contexts": 1}, sequencer, engines=2)
    rtl, model = pair(shared, rng)
    for _ in range(2):  # the second key meets what the first one left
        key = make_key(rng, half_bits, half_bits)
        assert ok(load(rtl, key)) == ok(load(model, key))
        for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC, RsaEntry.PRIVATE):
            message = rng.randrange(key.n)
            runs = [operate(core, key, message, entry) for core in (rtl, model)]
            assert runs[0] == runs[1]
            exponent = key.e if entry is RsaEntry.PUBLIC else key.d
            assert ok(runs[0]) == two.programs().program(entry, key.e.bit_length())
            assert rtl.get("M") == model.get("M") == pow(message, exponent, key.n)
    rtl.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagship:
    """A core for RSA-2048 and its goals.

    Attributes:
        params: Of the engine.
        pair: One array for both halves.
        multipliers: Of the arrays, at most.
        cycles: Of a private operation, at most.
    """

    params: Params
    pair: bool
    multipliers: int
    cycles: int


FLAGSHIPS = {
    "one array, a context a half": Flagship(params={}, pair=True, multipliers=128, cycles=190_000),
    "two folded arrays": Flagship(
        params={"Contexts": 1, "NumElements": 4}, pair=False, multipliers=16, cycles=1_400_000
    ),
}


@pytest.mark.parametrize("goal", FLAGSHIPS.values(), ids=list(FLAGSHIPS))
def test_rsa_2048_within_its_clocks(goal: Flagship) -> None:
    config = rsa_core(
        "qp_systolic", 1024, goal.params, sequencer="window", engines=2, pair=goal.pair
    )
    digits = Shape(1024, config.unit.params["DigitBits"]).mod_digits
    arrays = 1 if goal.pair else 2
    assert arrays * 2 * (config.unit.params["NumElements"] or digits + 1) <= goal.multipliers
    assert config.programs().program(RsaEntry.PRIVATE, USUAL_E.bit_length()) <= goal.cycles


def test_a_pair_of_an_engine_that_has_none() -> None:
    with pytest.raises(UsageError, match=r"bit_serial cannot be shared .* from qp_systolic"):
        rsa_core("bit_serial", 64, engines=2, pair=True)
    with pytest.raises(UsageError, match="Expected 2 engines where they are a pair, but got 1"):
        rsa_core("qp_systolic", 64, pair=True)
    with pytest.raises(UsageError, match="qp_systolic engine with NumElements = 0 only, but 4"):
        rsa_core("qp_systolic", 64, {"NumElements": 4}, engines=2, pair=True)
