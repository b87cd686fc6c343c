# SPDX-License-Identifier: Apache-2.0
"""The program `derive` of the RSA core: dP, dQ and qInv of any p, q, d, in constant cycles."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from modfab.build.rsa import RsaCore, rsa_core
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from tests.support.rsa_core import Core, Key, make_key, make_model, ok, pair

GOAL_CYCLES = 300_000
HALVES = [34, 63, 64, 65, 66, 97, 128]
"""With 1, 2 and more words below every prime, and every number of bits above these from 2 to 33."""


def derive(core: Core, p: int, q: int, d: int) -> int:
    """Cycles of the program with these numbers, in a core that has no key."""
    core.wipe()
    for name, value in {"P": p, "Q": q, "D": d}.items():
        core.put(name, value)
    return ok(core.run(RsaEntry.DERIVE, 0))


def lengths(config: RsaCore, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Bits of p and of q: as long as can be, as different as can be, any."""
    longest, shortest = config.shape.half_bits, 32 * config.shape.chunk_words + 1
    yield from ((longest, longest), (longest, shortest), (shortest, longest), (shortest, shortest))
    yield rng.randint(shortest, longest), rng.randint(shortest, longest)


def extremes(p: int, q: int, rng: random.Random) -> list[int]:
    """Exponents below p q at the ends of a quotient or of a remainder, and a random one."""
    n = p * q
    near = [p - 2, p - 1, p, q - 1, (p - 1) * (q - 1), p * (p - 1), p * (p - 1) - 1, p * p - 1]
    return [0, 1, n - 1, *(d for d in near if d < n), rng.randrange(n)]


@pytest.mark.parametrize("engines", [1, 2])
@pytest.mark.parametrize("half", HALVES)
def test_every_exponent_of_primes_of_any_lengths(
    half: int, engines: int, rng: random.Random
) -> None:
    config = rsa_core("bit_serial", half, engines=engines)
    model = make_model(config, lambda: rng.getrandbits(32))
    cycles = set()
    for p_bits, q_bits in lengths(config, rng):
        key = make_key(rng, p_bits, q_bits)
        for d in rng.sample(extremes(key.p, key.q, rng), 4):
            cycles.add(derive(model, key.p, key.q, d))
            parts = [model.get(name) for name in ("DP", "DQ", "QI")]
            assert parts == [d % (key.p - 1), d % (key.q - 1), pow(key.q, -1, key.p)]
    assert cycles == {config.programs().program(RsaEntry.DERIVE, USUAL_E)}


@pytest.mark.parametrize("half", [34, 65, 96])
@pytest.mark.parametrize("top", [False, True], ids=["lowest", "highest"])
def test_odd_numbers_at_the_ends_of_the_range(half: int, top: bool, rng: random.Random) -> None:
    """The reduction takes any odd number for a prime: the smallest and the largest ones."""
    config = rsa_core("bit_serial", half)
    model = make_model(config, lambda: rng.getrandbits(32))
    lowest, highest = (1 << 32 * config.shape.chunk_words) + 1, (1 << half) - 1
    for p, q in ((lowest, highest), (highest, lowest)) if top else ((lowest, lowest + 2),):
        for d in extremes(p, q, rng):
            derive(model, p, q, d)
            assert [model.get("DP"), model.get("DQ")] == [d % (p - 1), d % (q - 1)]


@pytest.mark.parametrize(
    ("engine", "half", "engines", "shared"),
    [("bit_serial", 65, 1, False), ("qp_systolic", 64, 2, True)],
)
def test_the_rtl_has_the_words_and_cycles_of_the_model(
    engine: str, half: int, engines: int, shared: bool, rng: random.Random
) -> None:
    config = rsa_core(engine, half, engines=engines, pair=shared)
    rtl, model = pair(config, rng)
    for p_bits, q_bits in ((half, half), (33, half), (half, 33)):
        key = make_key(rng, p_bits, q_bits)
        d = rng.choice(extremes(key.p, key.q, rng))
        assert derive(rtl, key.p, key.q, d) == derive(model, key.p, key.q, d)
        for variable in model.image.variables:
            assert rtl.peek(variable) == model.get(variable), variable
        assert model.get("DQ") == d % (key.q - 1)
    rtl.close()


@pytest.mark.parametrize("part", ["P", "Q"])
@pytest.mark.parametrize("change", ["even", "short", "one"])
def test_a_number_that_is_no_prime_of_the_core_is_refused(
    part: str, change: str, rng: random.Random
) -> None:
    config = rsa_core("bit_serial", 64, engines=2)
    key = make_key(rng, 64, 64)
    numbers = {"P": key.p, "Q": key.q}
    numbers[part] = {"even": numbers[part] - 1, "short": 65537, "one": 1}[change]
    for core in pair(config, rng):
        for name, value in numbers.items():
            core.put(name, value)
        assert core.run(RsaEntry.DERIVE, 0).status is RsaStatus.KEY


def test_a_derived_exponent_that_does_not_fit_e_is_refused(rng: random.Random) -> None:
    """`derive` reduces what it is given; `key` compares it with e."""
    model = make_model(rsa_core("bit_serial", 64), lambda: rng.getrandbits(32))
    key = make_key(rng, 64, 64)
    assert _key_after(model, key, key.d + 2 * rng.randrange(1, 1 << 32)) is RsaStatus.KEY
    assert _key_after(model, key, key.d) is RsaStatus.OK


def _key_after(core: Core, key: Key, d: int) -> RsaStatus:
    derive(core, key.p, key.q, d)
    core.put("E", key.e)
    return core.run(RsaEntry.KEY, key.e.bit_length()).status


@pytest.mark.parametrize("hardened", [True, False])
def test_rsa_2048_on_the_dual_port_engine_is_within_its_goal(hardened: bool) -> None:
    shared = ("qp_systolic", 1024, None, "window")
    config = rsa_core(*shared, engines=2, pair=True, hardened=hardened)
    assert config.programs().program(RsaEntry.DERIVE, USUAL_E) <= GOAL_CYCLES
