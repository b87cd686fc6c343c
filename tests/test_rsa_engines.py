# SPDX-License-Identifier: Apache-2.0
"""The RSA core over every engine, and its cycles beside the paper's CRT rows."""

from __future__ import annotations

import random

import pytest

from modfab.catalog import ENGINES
from modfab.gen.rsa import rsa_config
from modfab.models.rsa_status import RsaEntry
from tests.rsa_core import load, make_key, make_model, ok, operate, pair

# On the simulated core by default: two lanes; block RAM; the others with --full.
QUICK = {"qp_systolic", "sos"}


@pytest.mark.parametrize("sequencer", ["ladder", "window"])
@pytest.mark.parametrize("engine", ENGINES)
def test_model_on_every_engine(engine: str, sequencer: str, rng: random.Random) -> None:
    config = rsa_config(engine, 64, sequencer=sequencer)
    model = make_model(config, lambda: rng.getrandbits(32))
    cycles = set()
    for _ in range(3):
        key = make_key(rng, 64, 64)
        ok(load(model, key))
        message = rng.randrange(key.n)
        cycles.add(ok(operate(model, key, message)))
        assert model.get("M") == pow(message, key.d, key.n)
    assert len(cycles) == 1


@pytest.mark.parametrize(
    "engine",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.full) for name in ENGINES],
)
def test_rtl_is_the_model(engine: str, rng: random.Random) -> None:
    rtl, model = pair(rsa_config(engine, 64, engines=2), rng)
    key = make_key(rng, 64, 64)
    assert ok(load(rtl, key)) == ok(load(model, key))
    for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC):
        message = rng.randrange(key.n)
        runs = [operate(core, key, message, entry) for core in (rtl, model)]
        assert runs[0] == runs[1]
        exponent = key.d if entry is RsaEntry.PRIVATE else key.e
        assert ok(runs[0]) >= 0
        assert rtl.get("M") == model.get("M") == pow(message, exponent, key.n)
    rtl.close()


@pytest.mark.parametrize(("engine", "published"), [("bit_serial", 35729), ("mod_product", 66965)])
def test_crt_takes_at_most_the_papers_cycles(
    engine: str, published: int, rng: random.Random
) -> None:
    """RSA-256, halves at the same time, as the paper: not blinded; the check is in our count."""
    config = rsa_config(
        *(engine, 128), sequencer="window", message_blinding=False, exponent_words=0, engines=2
    )
    model = make_model(config, lambda: rng.getrandbits(32))
    key = make_key(rng, 128, 128)
    ok(load(model, key))
    message = rng.randrange(key.n)
    assert ok(operate(model, key, message)) <= published
    assert model.get("M") == pow(message, key.d, key.n)
