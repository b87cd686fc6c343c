# SPDX-License-Identifier: Apache-2.0
"""The RSA core over every engine: values, and cycles as the formulas say."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest

from modfab.build.rsa import rsa_core
from modfab.catalog import ENGINES, Params
from modfab.errors import UsageError
from modfab.models.generated.status import RsaStatus
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.models.rsa.timeline import OFFER_EXP
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_core import load, load_anew, make_key, make_model, ok, operate, pair

# On the simulated core by default: two lanes; block RAM; the others with --full.
QUICK = {"qp_systolic", "sos"}


@pytest.mark.parametrize("sequencer", ["ladder", "window", "window5", "r2l"])
@pytest.mark.parametrize("engine", ENGINES)
def test_model_on_every_engine(engine: str, sequencer: str, rng: random.Random) -> None:
    config = rsa_core(engine, 64, sequencer=sequencer)
    model = make_model(config, lambda: rng.getrandbits(32))
    cycles = set()
    for _ in range(3):
        key = make_key(rng, 64, 64)
        assert ok(load_anew(model, key)) == config.programs().program(RsaEntry.KEY, USUAL_E)
        message = rng.randrange(key.n)
        cycles.add(ok(operate(model, key, message)))
        assert model.get("M") == pow(message, key.d, key.n)
    assert cycles == {config.programs().program(RsaEntry.PRIVATE, USUAL_E)}


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
        assert ok(runs[0]) == config.programs().program(entry, USUAL_E)
        assert rtl.get("M") == model.get("M") == pow(message, exponent, key.n)
    rtl.close()


def test_the_watchdog_waits_for_the_longest_e(rng: random.Random) -> None:
    """The longest e takes single products, an exponentiation with masks pairs of them."""
    config = rsa_core("qp_systolic", 128, address_blinding=True)
    unit, shape = config.unit, config.shape
    e = (1 << 2 * shape.half_bits) - 1
    pairs = unit.sequencer.exp_cycles(unit.engine, unit.params, 0, shape.exp_bits)
    assert 2 * (e.bit_length() - 1) * unit.engine.cycles.mul(unit.params) > 2.5 * pairs
    rtl, _ = pair(config, rng)
    key = make_key(rng, shape.half_bits, shape.half_bits, e)
    assert ok(load(rtl, key)) == config.programs().program(RsaEntry.KEY, e)
    rtl.close()


@pytest.mark.parametrize(
    ("half_bits", "sequencer"),
    [(64, "window"), pytest.param(90, "ladder", marks=pytest.mark.full)],
)
@pytest.mark.parametrize(
    "own",
    [
        *({"QuotientTables": tables, "LoadSum": sums} for tables in (0, 1) for sums in (0, 1)),
        {"QuotientTables": 1, "LoadSum": 1, "FactorSlots": 16},
    ],
    ids=lambda own: "-".join(name for name, value in own.items() if value) or "plain",
)
def test_two_contexts_of_one_engine(
    half_bits: int, sequencer: str, own: dict[str, int], rng: random.Random
) -> None:
    """Both halves on one array: words and cycles as with two engines of one lane each."""
    if "FactorSlots" in own:
        sequencer = "window5"
    sums = own["LoadSum"]
    shared = rsa_core("qp_systolic", half_bits, own, engines=2, pair=True, sequencer=sequencer)
    alone = {"Contexts": 1, "LoadSum": sums}
    two = rsa_core("qp_systolic", half_bits, alone, sequencer, engines=2)
    rtl, model = pair(shared, rng)
    for _ in range(2):  # the second key meets what the first one left
        key = make_key(rng, half_bits, half_bits)
        assert ok(load_anew(rtl, key)) == ok(load_anew(model, key))
        for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC, RsaEntry.PRIVATE):
            message = rng.randrange(key.n)
            runs = [operate(core, key, message, entry) for core in (rtl, model)]
            assert runs[0] == runs[1]
            exponent = key.e if entry is RsaEntry.PUBLIC else key.d
            assert ok(runs[0]) == two.programs().program(entry, key.e)
            assert rtl.get("M") == model.get("M") == pow(message, exponent, key.n)
    rtl.close()


SUMS: dict[str, dict[str, Any]] = {
    "one engine": {"engines": 1},
    "one engine, basic": {"engines": 1, "hardened": False, "exponent_words": 1},
    "two engines": {"engines": 2, "sequencer": "window"},
    "pair, basic": {"engines": 2, "pair": True, "hardened": False, "exponent_words": 1},
    "not blinded": {"engines": 2, "pair": True, "message_blinding": False, "exponent_words": 0},
    "masked": {"engines": 2, "pair": True, "address_blinding": True},
}


@pytest.mark.parametrize("half_bits", [64, 128, 192])
@pytest.mark.parametrize("options", SUMS.values(), ids=list(SUMS))
def test_model_of_a_core_whose_loads_add(
    options: dict[str, Any], half_bits: int, rng: random.Random
) -> None:
    """Every digit has another remainder of the power of two by which a load divides."""
    for digit in rng.sample(range(8, 19), 3):
        params = {"LoadSum": 1, "DigitBits": digit}
        config = rsa_core("qp_systolic", half_bits, params, **options)
        model = make_model(config, lambda: rng.getrandbits(32))
        key = make_key(rng, half_bits, half_bits)
        assert ok(load_anew(model, key)) == config.programs().program(RsaEntry.KEY, USUAL_E)
        for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC, RsaEntry.PRIVATE):
            message = rng.randrange(key.n)
            assert ok(operate(model, key, message, entry)) == config.programs().program(
                entry, key.e
            )
            exponent = key.e if entry is RsaEntry.PUBLIC else key.d
            assert model.get("M") == pow(message, exponent, key.n)


@pytest.mark.parametrize("half_bits", [64, 128, 192, 320, 1024])
@pytest.mark.parametrize("digit", [8, 13, 18])
@pytest.mark.parametrize("options", [{}, {"hardened": False, "exponent_words": 1}], ids=str)
def test_no_load_runs_on_into_an_exponentiation(
    half_bits: int, digit: int, options: dict[str, Any]
) -> None:
    """A message's words have left both engines when the first product is offered."""
    params = {"LoadSum": 1, "DigitBits": digit}
    config = rsa_core("qp_systolic", half_bits, params, "window5", engines=2, pair=True, **options)
    waits = config.programs().waits(RsaEntry.PRIVATE, USUAL_E)
    assert len(waits) == 2
    assert max(waits) <= OFFER_EXP, waits


AHEAD: list[tuple[dict[str, int], dict[str, Any]]] = [
    ({"FactorSlots": 16}, {"sequencer": "window5"}),
    ({"TwoInTurn": 1}, {"address_blinding": True}),
]


@pytest.mark.parametrize("keys", [1, 2])
@pytest.mark.parametrize(("own", "options"), AHEAD, ids=["window5", "masked"])
def test_what_was_made_ahead_is_not_used_up(
    own: dict[str, int], options: dict[str, Any], keys: int, rng: random.Random
) -> None:
    """Behind a refused message or a public operation the next one is right."""
    own = {"QuotientTables": 1, "LoadSum": 1} | own
    config = rsa_core("qp_systolic", 64, own, engines=2, pair=True, keys=keys, **options)
    rtl, model = pair(config, rng)
    key = make_key(rng, 64, 64)
    assert ok(load(rtl, key)) == ok(load(model, key))
    for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC, RsaEntry.PRIVATE):
        for core in (rtl, model):
            assert operate(core, key, key.n, entry).status is RsaStatus.OPERAND
        message = rng.randrange(key.n)
        runs = [operate(core, key, message, entry) for core in (rtl, model)]
        assert ok(runs[0]) == ok(runs[1]) == config.programs().program(entry, key.e)
        exponent = key.e if entry is RsaEntry.PUBLIC else key.d
        assert rtl.get("M") == model.get("M") == pow(message, exponent, key.n)
    rtl.close()


def test_loads_that_add_save_stores() -> None:
    """Of RSA-2048, in both builds; the key's set-up may take a little more."""
    for options in ({}, {"hardened": False, "exponent_words": 1}):
        shared: dict[str, Any] = {"sequencer": "window", "engines": 2, "pair": True, **options}
        cores = [rsa_core("qp_systolic", 1024, {"LoadSum": sums}, **shared) for sums in (0, 1)]
        apart, added = (core.cycles() for core in cores)
        assert apart["private"] - added["private"] > (5_000 if not options else 2_500)
        assert added["key"] - apart["key"] < 1_000


@pytest.mark.full
@pytest.mark.parametrize(
    ("half", "own", "is_pair"),
    [
        (1024, {"QuotientTables": 1, "LoadSum": 1, "FactorSlots": 16}, True),
        (1536, {"QuotientTables": 1}, True),
        (2048, {"QuotientTables": 1}, True),
        (2048, {"Contexts": 1, "NumElements": 16}, False),
    ],
    ids=[
        "2048 with tables, sums, few factors",
        "3072 with tables",
        "4096 with tables",
        "4096 folded",
    ],
)
def test_a_long_rsa_as_it_is_routed(
    half: int, own: dict[str, int], is_pair: bool, rng: random.Random
) -> None:
    params = own | {"MinModBits": half - 32}
    sequencer = "window5" if "FactorSlots" in own else "window"
    config = rsa_core("qp_systolic", half, params, sequencer, engines=2, pair=is_pair)
    rtl = RtlRsa(config)
    rtl.entropy([rng.getrandbits(32) for _ in range(1 << 12)])
    key = make_key(rng, half, half)
    assert ok(load(rtl, key)) == config.programs().program(RsaEntry.KEY, USUAL_E)
    message = rng.randrange(key.n)
    assert ok(operate(rtl, key, message)) == config.programs().program(RsaEntry.PRIVATE, USUAL_E)
    assert rtl.get("M") == pow(message, key.d, key.n)
    rtl.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagship:
    """A core for RSA-2048 and its goals.

    Attributes:
        params: Of the engine.
        pair: One array for both halves.
        multipliers: Of the arrays, at most.
        private, key: Cycles of an operation and of a key's set-up, at most.
        basic: Cycles of an operation of the build `basic`, at most.
    """

    params: Params
    pair: bool
    multipliers: int
    private: int
    key: int
    basic: int


FLAGSHIPS = {
    "one array, a context a half": Flagship(
        params={}, pair=True, multipliers=128, private=190_000, key=190_000, basic=182_000
    ),
    "two folded arrays": Flagship(
        params={"Contexts": 1, "NumElements": 4},
        pair=False,
        multipliers=16,
        private=1_440_000,
        key=1_300_000,
        basic=1_400_000,
    ),
}


@pytest.mark.parametrize("goal", FLAGSHIPS.values(), ids=list(FLAGSHIPS))
def test_rsa_2048_within_its_cycles(goal: Flagship) -> None:
    shared = ("qp_systolic", 1024, goal.params, "window")
    config = rsa_core(*shared, engines=2, pair=goal.pair)
    basic = rsa_core(*shared, engines=2, pair=goal.pair, exponent_words=1, hardened=False)
    digits = Shape(1024, config.unit.params["DigitBits"]).mod_digits
    arrays = 1 if goal.pair else 2
    assert arrays * 2 * (config.unit.params["NumElements"] or digits + 1) <= goal.multipliers
    assert config.programs().program(RsaEntry.PRIVATE, USUAL_E) <= goal.private
    assert config.programs().program(RsaEntry.KEY, USUAL_E) <= goal.key
    assert basic.programs().program(RsaEntry.PRIVATE, USUAL_E) <= goal.basic


def test_a_pair_of_an_engine_that_has_none() -> None:
    with pytest.raises(UsageError, match=r"bit_serial cannot be shared .* from qp_systolic"):
        rsa_core("bit_serial", 64, engines=2, pair=True)
    with pytest.raises(UsageError, match="Expected 2 engines where they are a pair, but got 1"):
        rsa_core("qp_systolic", 64, pair=True)
    with pytest.raises(UsageError, match="qp_systolic engine with NumElements = 0 only, but 4"):
        rsa_core("qp_systolic", 64, {"NumElements": 4}, engines=2, pair=True)
