# SPDX-License-Identifier: Apache-2.0
"""Keys that an RSA core makes itself: primes, exponents, n, and nothing that tells more."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from math import gcd, prod

import pytest
from Crypto.Util.number import isPrime

from modfab.build.farm import FarmCore
from modfab.build.rsa import RsaCore, rsa_core
from modfab.errors import UsageError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa import keygen
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.instructions import Instruction, RsaOp
from modfab.models.rsa.machine import RsaModel
from modfab.models.rsa.program import USUAL_E
from modfab.sim.rsa import RtlRsa
from modfab.sim.snapshots import SnapshotRsa
from tests.support.rsa_attack import named
from tests.support.rsa_core import Core, Key, load, make_key, make_model, ok, operate, pair

MAKES = (RsaEntry.DERIVE, RsaEntry.KEY)
E_BITS = USUAL_E.bit_length()
ONE = ("bit_serial", 64, {"BitsPerClock": 8})
SHARED = ("qp_systolic", 64, None, "window")


def made_by(core: Core) -> Key:
    """The key that a core makes, as the model or a test of RTL sees it inside."""
    ok(core.run(RsaEntry.DERIVE, 0))
    key = Key(core.get("P"), core.get("Q"), core.get("E"))
    parts = {name: core.get(name) for name in key.parts()}
    assert parts == key.parts()
    return key


def check_primes(key: Key, half: int) -> None:
    for prime in (key.p, key.q):
        assert prime.bit_length() == half
        assert prime % 4 == 3
        assert isPrime(prime)
        assert 0.83 < prime / 2**half < 0.936
    assert key.n.bit_length() == 2 * half
    assert key.e == USUAL_E


@pytest.mark.parametrize(
    ("half", "engines"),
    [(64, 1), (96, 2), *(pytest.param(*it, marks=pytest.mark.full) for it in ((128, 1), (160, 2)))],
)
def test_a_key_that_works(half: int, engines: int, rng: random.Random) -> None:
    config = rsa_core("bit_serial", half, {"BitsPerClock": 8}, engines=engines, keygen=True)
    model = make_model(config, lambda: rng.getrandbits(32))
    key = made_by(model)
    check_primes(key, half)
    ok(model.run(RsaEntry.KEY, E_BITS))
    assert (model.result_valid, model.get("M")) == (True, key.n)
    message = rng.randrange(key.n)
    ok(operate(model, key, message))
    assert model.get("M") == pow(message, key.d, key.n)


LONG = {
    "masked": rsa_core(*ONE, address_blinding=True, keygen=True),
    "contexts": rsa_core(*SHARED, engines=2, pair=True, keys=2, keygen=True),
}


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(rsa_core(*ONE, keygen=True), id="one"),
        pytest.param(rsa_core(*SHARED, engines=2, pair=True, keygen=True), id="pair"),
        *(pytest.param(core, id=name, marks=pytest.mark.full) for name, core in LONG.items()),
    ],
)
def test_the_rtl_has_the_words_and_cycles_of_the_model(config: RsaCore, rng: random.Random) -> None:
    rtl, model = pair(config, rng, num_random=40_000)
    for entry in (RsaEntry.DERIVE, RsaEntry.KEY):
        cycles = ok(rtl.run(entry, E_BITS))
        assert cycles == ok(model.run(entry, E_BITS)) == config.programs().program(entry, USUAL_E)
        for variable in model.image.variables:
            assert rtl.peek(variable) == model.get(variable), variable
    assert rtl.result_valid
    assert rtl.get("M") == model.get("P") * model.get("Q")
    key = Key(model.get("P"), model.get("Q"), USUAL_E)
    message = rng.randrange(key.n)
    ok(operate(rtl, key, message))
    assert rtl.get("M") == pow(message, key.d, key.n)
    rtl.close()


def candidates(model: RsaModel, num: int) -> Iterator[int]:
    """The numbers that a core tests for its first prime."""
    seen: list[int] = []
    control = model._control

    def watch(instruction: Instruction, counter: int) -> int:
        if instruction.op is RsaOp.ENDLOOP:
            seen.append(model.get("X1"))
        return control(instruction, counter)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "_control", watch)
        model.run(RsaEntry.DERIVE, 0)
    yield from list(dict.fromkeys(seen))[1 : num + 1]


def test_candidates_have_no_small_factor_and_every_other_remainder(rng: random.Random) -> None:
    config = rsa_core("qp_systolic", 64, {}, "window", engines=2, pair=True, keygen=True)
    model = make_model(config, lambda: rng.getrandbits(32))
    tried = [number for _ in range(4) for number in candidates(model, keygen.tries(64))]
    assert len(set(tried)) >= 3 * keygen.tries(64)
    whole = [number for number in tried if number.bit_length() == 64 and number % 2]
    alone = [number for number in whole if gcd(number, prod(keygen.SMALL_PRIMES)) == 1]
    # k + r (1 - k^ORDER) is no unit where neither k nor r is, for a prime q in 1 of q^2 cases.
    share = prod(1 - 1 / prime**2 for prime in keygen.SMALL_PRIMES)
    assert abs(len(alone) / len(whole) - share) < 0.12
    for prime in (3, 5, 7):
        assert {number % prime for number in alone} == set(range(1, prime))


def test_the_share_of_primes_is_what_the_number_of_tries_is_made_for(rng: random.Random) -> None:
    """A core would find none with a probability of e^-13."""
    product, found, tried = prod(keygen.SMALL_PRIMES), 0, 3000
    made = keygen.constants(64, True)
    for _ in range(tried):
        unit = next(v for v in iter(lambda: rng.randrange(product), None) if gcd(v, product) == 1)
        x = made["TOP"] << 96 | rng.getrandbits(96)
        found += isPrime(2 * (made["STEP"] * x + made["LIFT"] * unit + made["BASE"]) + 1)
    assert 0.8 < tried / found / keygen.density(128) < 1.25
    for half in (64, 1024, 2048):
        assert 12 < keygen.tries(half) / keygen.density(half) < 14


def test_no_random_words_or_no_prime_is_no_key(rng: random.Random) -> None:
    """Zeros make the same candidate again and again: composite, so that no prime is found."""
    config = rsa_core(*ONE, keygen=True)
    made = keygen.constants(64, True)
    x = made["TOP"] << 32
    assert not isPrime(2 * (made["STEP"] * x + made["LIFT"] * 0 + made["BASE"]) + 1)
    model = make_model(config, lambda: 0)
    assert model.run(RsaEntry.DERIVE, 0).status is RsaStatus.KEY
    assert model.get("P") == model.get("Q") == 0
    rtl, _ = pair(config, rng, num_random=8)  # then none come
    assert rtl.run(RsaEntry.DERIVE, 0).status is RsaStatus.ENTROPY
    assert [rtl.peek(name) for name in ("P", "Q", "X1", "XD")] == [0] * 4
    rtl.close()


@pytest.mark.parametrize("engines", [1, 2])
def test_a_prime_that_is_none_is_found_out(
    engines: int, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A composite number in the place of a prime that was found, as after a fault."""
    config = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, engines=engines, keygen=True)
    model = make_model(config, lambda: rng.getrandbits(32))
    compare, ended = model._control, list[int]()

    def replace_prime(instruction: Instruction, counter: int) -> int:
        after = compare(instruction, counter)
        search_over = instruction.op is RsaOp.ENDLOOP and model._loop[1] == 0
        if search_over and not ended:
            ended.append(model.get("P"))
            model.put("P", ended[0] + 4)
            model.put("DP", ended[0] // 2 + 2)
        return after

    monkeypatch.setattr(model, "_control", replace_prime)
    status = model.run(RsaEntry.DERIVE, 0).status
    expected = RsaStatus.OK if isPrime(ended[0] + 4) else RsaStatus.KEY
    assert status is expected
    assert (model.get("P") == 0) is (expected is RsaStatus.KEY)


@pytest.mark.parametrize(
    "num_faults", [3, pytest.param(60, marks=pytest.mark.full)], ids=["few", "many"]
)
def test_a_fault_gives_no_key_or_a_good_one(num_faults: int, rng: random.Random) -> None:
    """One flipped bit of any register, in any cycle of the program or of the key's set-up."""
    config = rsa_core(*SHARED, engines=2, pair=True, keygen=True)
    rtl = RtlRsa(config, public=True, seed=rng.getrandbits(32))
    registers, outcomes = rtl.registers(), Counter[str]()
    cycles = [config.programs().program(entry, USUAL_E) for entry in MAKES]
    for number in range(num_faults + 1):  # the first run has none
        rtl.wipe()
        rtl.entropy([rng.getrandbits(32) for _ in range(40_000)])
        at, register = rng.randrange(sum(cycles) + 100), rng.choice(registers)
        place = rng.randrange(register.elements), rng.randrange(register.element_bits)
        for entry, length in zip(MAKES, cycles, strict=True):
            if number and 0 <= at < length:
                rtl.fault(at, register, *place)
            at -= length
            assert rtl.try_run(entry, E_BITS)
        outcomes[rtl.status.name] += 1
        assert number or rtl.key_valid
        if rtl.key_valid:
            key = Key(rtl.peek("P"), rtl.peek("Q"), rtl.peek("E"))
            check_primes(key, 64)
            assert {name: rtl.peek(name) for name in key.parts()} == key.parts(), register.name
    rtl.close()
    assert outcomes["OK"] > num_faults // 10


def test_one_flip_at_the_end_of_key_shows_nothing_but_n(rng: random.Random) -> None:
    """Of the address that a row reads, and of its multiplier: n, or no result."""
    config = rsa_core(*ONE, keygen=True)
    rtl = SnapshotRsa(config, seed=rng.getrandbits(32))
    rtl.entropy([rng.getrandbits(32) for _ in range(4000)])
    key = make_key(rng, 64, 64)
    ok(load(rtl, key))
    rtl.begin(RsaEntry.KEY, E_BITS)
    rtl.step(config.programs().program(RsaEntry.KEY, USUAL_E) - 220)
    registers = [named(rtl, name) for name in ("u_core.b_q", "u_alu.mult_q")]
    seen: Counter[bool] = Counter()
    while not rtl.go(1)[0]:
        here = rtl.save()
        for register in registers:
            for bit in rng.sample(range(register.element_bits), 2):
                rtl.restore(here)
                rtl.flip(register, 0, bit)
                assert rtl.go(rtl.limit)[0]
                rtl.step(4)
                seen[rtl.result_valid] += 1
                assert not rtl.result_valid or rtl.get("M") == key.n
        rtl.restore(here)
    rtl.close()
    assert min(seen[False], seen[True]) > 10


def test_the_core_is_the_same_without_it() -> None:
    plain, makes = (rsa_core(*ONE, keygen=choice) for choice in (False, True))
    assert plain.image.variables["SMALLS"][1] == 0
    assert plain.choices().get("keygen") is None
    assert makes.choices()["keygen"] == 1
    private = (core.programs().program(RsaEntry.PRIVATE, USUAL_E) for core in (plain, makes))
    assert len(set(private)) == 1


@pytest.mark.parametrize("half", [34, 63, 65, 100])
def test_lengths_that_are_refused(half: int) -> None:
    with pytest.raises(UsageError, match="a multiple of 32 bits, at least 64, but"):
        rsa_core("bit_serial", half, keygen=True)


def test_a_farm_makes_no_keys() -> None:
    config: RsaCore = rsa_core(*ONE, keygen=True)
    with pytest.raises(UsageError, match="their own \\(keygen\\); leave that out"):
        FarmCore(config, 2)


@pytest.mark.parametrize(
    ("params", "sequencer", "limit"),
    [
        ({}, "window", 278_000_000),
        ({"LoadSum": 1, "QuotientTables": 1, "FactorSlots": 16}, "window5", 271_000_000),
    ],
    ids=["plain", "tables"],
)
def test_rsa_2048_is_within_its_goal(params: dict[str, int], sequencer: str, limit: int) -> None:
    shared = ("qp_systolic", 1024, params, sequencer)
    config = rsa_core(*shared, engines=2, pair=True, keygen=True)
    assert config.programs().program(RsaEntry.DERIVE, USUAL_E) < limit
