# SPDX-License-Identifier: Apache-2.0
"""[LIAO24] Algorithms 5 and 6: values, bounds, and cycles beside Tables 7 and 8."""

from __future__ import annotations

import math
import random
import re

import pytest

from modfab.build.core import modexp_core
from modfab.errors import OperandError
from modfab.models.modexp import ModexpModel
from modfab.models.paper_crt import (
    Counted,
    ModExp,
    PaperKey,
    decrypt,
    decrypt_cycles,
    inverse,
    inverse_bound,
)
from modfab.report.published import Row, read_published
from tests.support.rsa_core import make_key

HALF_BITS = 128
ENGINES = {"7": "mod_product", "8": "bit_serial"}
ROWS = [
    row for row in read_published("liao-chen").rows if row.table in ENGINES and row.ours is None
]


def plain(base: int, exponent: int, modulus: int) -> Counted:
    return Counted(pow(base, exponent, modulus), 0)


def engine_modexp(engine: str, bits: int) -> ModExp:
    """An exponentiation on an engine's model."""
    core = modexp_core(engine, bits, {}, "r2l", bits)

    def modexp(base: int, exponent: int, modulus: int) -> Counted:
        model = ModexpModel(core.engine.model(core.params), core.sequencer.commands, bits)
        result = model.powmod(base, exponent, modulus)
        return Counted(result.value, result.exp_cycles)

    return modexp


def total_cycles(engine: str, bits: int) -> int:
    core = modexp_core(engine, bits, {}, "r2l", bits)
    exp = core.sequencer.exp_cycles(core.engine, core.params, (1 << bits) - 1, bits)
    return decrypt_cycles(bits, core.engine.cycles.setup(core.params), exp)


def test_inverse_of_every_pair(rng: random.Random) -> None:
    for p in range(2, 60):
        for q in range(1, 120):
            if math.gcd(p, q) == 1:
                assert inverse(q, p).value % p == pow(q, -1, p)
    for _ in range(200):
        p, q = (rng.getrandbits(HALF_BITS) | 1 | 1 << (HALF_BITS - 1) for _ in "pq")
        if math.gcd(p, q) == 1:
            found = inverse(q, p)
            assert found.value == pow(q, -1, p)
            assert found.cycles <= inverse_bound(HALF_BITS)


def test_inverse_of_neighbours_in_fibonaccis_sequence_is_within_its_bound() -> None:
    """The most divisions for numbers of their length."""
    low, high = 1, 2
    while high.bit_length() < HALF_BITS + 1:
        assert inverse(low, high).cycles <= inverse_bound(high.bit_length())
        assert inverse(low, high).value == pow(low, -1, high)
        low, high = high, low + high


def test_no_inverse() -> None:
    with pytest.raises(OperandError, match="Expected q prime to p"):
        inverse(6, 9)


@pytest.mark.parametrize("bits", [16, 40, HALF_BITS])
def test_decryption(bits: int, rng: random.Random) -> None:
    key = make_key(rng, bits, bits)
    given = PaperKey(key.p, key.q, key.d)
    edges = [0, 1, key.p, key.q, key.n - 1, rng.randrange(key.p) % key.q, rng.randrange(key.n)]
    for message in edges:
        assert decrypt(given, message, plain).value == pow(message, key.d, key.n)


def test_congruent_halves_stay_below_the_modulus(rng: random.Random) -> None:
    """As printed, Algorithm 5 gives h = p here, and a result that is too large by N."""
    key = make_key(rng, 40, 40)
    assert decrypt(PaperKey(key.p, key.q, key.d), 1, plain).value == 1


def test_bad_operands(rng: random.Random) -> None:
    key = make_key(rng, 40, 40)
    given = PaperKey(key.p, key.q, key.d)
    with pytest.raises(OperandError, match="a message below their product"):
        decrypt(given, key.n, plain)
    with pytest.raises(OperandError, match="Expected q of 40 bits"):
        decrypt(PaperKey(key.p, 7, key.d), 1, plain)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"table{row.table}")
def test_cycles_are_at_most_the_papers(row: Row, rng: random.Random) -> None:
    """One decryption on the engine's model; the row's reason states this very count."""
    engine = ENGINES[row.table]
    key = make_key(rng, HALF_BITS, HALF_BITS)
    message = rng.randrange(key.n)
    modexp = engine_modexp(engine, HALF_BITS)
    core = modexp_core(engine, HALF_BITS, {}, "r2l", HALF_BITS)
    setup_cycles = core.engine.cycles.setup(core.params)
    found = decrypt(PaperKey(key.p, key.q, key.d), message, modexp, setup_cycles)
    assert found.value == pow(message, key.d, key.n)
    assert found.cycles == total_cycles(engine, HALF_BITS) <= row.figures["cycles"]
    assert re.findall(r"takes ([0-9,]+) cycles", row.why) == [f"{found.cycles:,}"]
    assert f"`{engine}`" in row.why


def test_the_inverse_ends_before_the_halves() -> None:
    """The paper: a third of the exponentiation. So it never decides the time."""
    for engine in ENGINES.values():
        assert inverse_bound(HALF_BITS) < total_cycles(engine, HALF_BITS) / 4
    assert [row.table for row in ROWS] == list(ENGINES)
