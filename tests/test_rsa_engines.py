# SPDX-License-Identifier: Apache-2.0
"""The RSA core over every engine: values, and cycles as the formulas say."""

from __future__ import annotations

import random

import pytest

from modfab.catalog import ENGINES
from modfab.gen.rsa import rsa_config
from modfab.models.rsa_status import RsaEntry
from tests.rsa_core import load, make_key, make_model, ok, operate, pair

# On the simulated core by default: two lanes; block RAM; the others with --full.
QUICK = {"qp_systolic", "sos"}


@pytest.mark.parametrize("sequencer", ["ladder", "window", "r2l"])
@pytest.mark.parametrize("engine", ENGINES)
def test_model_on_every_engine(engine: str, sequencer: str, rng: random.Random) -> None:
    config = rsa_config(engine, 64, sequencer=sequencer)
    model = make_model(config, lambda: rng.getrandbits(32))
    cycles = set()
    for _ in range(3):
        key = make_key(rng, 64, 64)
        assert ok(load(model, key)) == config.cycles().program(RsaEntry.KEY, 17)
        message = rng.randrange(key.n)
        cycles.add(ok(operate(model, key, message)))
        assert model.get("M") == pow(message, key.d, key.n)
    assert cycles == {config.cycles().program(RsaEntry.PRIVATE, 17)}


@pytest.mark.parametrize(
    "engine",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in ENGINES],
)
def test_rtl_is_the_model(engine: str, rng: random.Random) -> None:
    config = rsa_config(engine, 64, engines=2)
    rtl, model = pair(config, rng)
    key = make_key(rng, 64, 64)
    assert ok(load(rtl, key)) == ok(load(model, key))
    for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC):
        message = rng.randrange(key.n)
        runs = [operate(core, key, message, entry) for core in (rtl, model)]
        assert runs[0] == runs[1]
        exponent = key.d if entry is RsaEntry.PRIVATE else key.e
        assert ok(runs[0]) == config.cycles().program(entry, 17)
        assert rtl.get("M") == model.get("M") == pow(message, exponent, key.n)
    rtl.close()
