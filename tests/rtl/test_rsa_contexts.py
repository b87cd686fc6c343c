# SPDX-License-Identifier: Apache-2.0
"""An RSA core that keeps several keys: RTL, model and formulas alike; no key meets another."""

from __future__ import annotations

import random

import pytest

from modfab.build.farm import farm_core_of
from modfab.build.rsa import RsaCore, rsa_core, rsa_core_of
from modfab.errors import UsageError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.machine import RsaModel, RsaRun
from tests.support.rsa_attack import checked, fresh, named, settle
from tests.support.rsa_contexts import (
    CONFIGS,
    HALF,
    ONE,
    TWO,
    all_zero,
    change,
    dual_port,
    key_words,
    load_two,
    two_keys,
)
from tests.support.rsa_core import Key, load, make_key, make_model, ok, operate, pair

MORE = {
    "tables": dual_port(more={"QuotientTables": 1}),
    "sums": dual_port(more={"QuotientTables": 1, "LoadSum": 1}),
    "ahead": dual_port(
        more={"QuotientTables": 1, "LoadSum": 1, "FactorSlots": 16}, sequencer="window5"
    ),
    "basic": rsa_core_of(
        *("qp_systolic", 256, {"MinModBits": 96}, "window"),
        {"engines": 2, "pair": 1, "hardened": 0, "keys": 2},
    ),
    "masked": rsa_core("qp_systolic", HALF, None, engines=2, address_blinding=True, keys=2),
    "masked, ahead": rsa_core(
        "qp_systolic",
        HALF,
        {"QuotientTables": 1, "LoadSum": 1, "TwoInTurn": 1},
        engines=2,
        pair=True,
        address_blinding=True,
        keys=2,
    ),
    "sos": rsa_core("sos", HALF, engines=2, keys=3),
}
ALL = [*CONFIGS, *(pytest.param(name, marks=pytest.mark.full) for name in MORE)]


class Both:
    """RTL and model of one core, which do the same."""

    def __init__(self, config: RsaCore, rng: random.Random) -> None:
        self.formulas, self.half = config.programs(), config.shape.half_bits
        self.rtl, self.model = pair(config, rng, 1 << 15)
        self.keys: dict[int, Key] = {}

    @property
    def key(self) -> Key | None:
        """Of the chosen context."""
        return self.keys.get(self.model.context)

    def same(self, runs: list[RsaRun]) -> int:
        """The cycles of a run that went well on both; keys and memory are alike."""
        assert runs[0] == runs[1]
        rtl, model = self.rtl, self.model
        rtl.idle()
        assert (rtl.context, rtl.valid_keys) == (model.context, model.valid_keys)
        assert rtl.valid_keys == tuple(i in self.keys for i in range(len(rtl.valid_keys)))
        for variable in set(model.image.variables) - {"OTHERS"}:
            assert rtl.peek(variable) == model.get(variable), variable
        return ok(runs[0])

    def load(self, rng: random.Random) -> None:
        key = self.keys[self.model.context] = make_key(rng, self.half, self.half - 1)
        runs = [load(core, key) for core in (self.rtl, self.model)]
        assert self.same(runs) == self.formulas.program(RsaEntry.KEY, key.e)

    def change(self, context: int) -> None:
        entry = RsaEntry.CHANGE if context in self.keys else RsaEntry.LEAVE
        runs = [core.run(RsaEntry.CHANGE, 0, context) for core in (self.rtl, self.model)]
        assert self.same(runs) == self.formulas.program(entry, 0)

    def erase(self) -> None:
        del self.keys[self.model.context]
        self.same([core.run(RsaEntry.LEAVE, 0) for core in (self.rtl, self.model)])

    def operate(self, rng: random.Random) -> None:
        key, entry = self.key, rng.choice((RsaEntry.PRIVATE, RsaEntry.PUBLIC))
        assert key is not None
        message = rng.randrange(key.n)
        self.same([operate(core, key, message, entry) for core in (self.rtl, self.model)])
        exponent = key.d if entry is RsaEntry.PRIVATE else key.e
        assert self.rtl.get("M") == pow(message, exponent, key.n)


@pytest.mark.parametrize("name", ALL)
def test_rtl_is_the_model(name: str, rng: random.Random) -> None:
    """Loads, operations, changes and erasures in any order."""
    config = {**CONFIGS, **MORE}[name]
    both = Both(config, rng)
    both.load(rng)
    for _ in range(20):
        both.change(rng.randrange(config.shape.keys))
        if both.key is None:
            both.load(rng)
        for _ in range(rng.randrange(3)):
            both.operate(rng)
        if rng.random() < 0.2:
            both.erase()
    both.rtl.close()


def test_cycles_at_2048_bits() -> None:
    """A change within 8,000 cycles, the set-up of a key within the 190,000 that it had before."""
    programs, alone = (dual_port(1024, keys=keys).programs() for keys in (4, 1))
    change, key = (programs.program(entry, 65537) for entry in (RsaEntry.CHANGE, RsaEntry.KEY))
    assert change <= 8000
    assert key <= 190_000
    private = [p.program(RsaEntry.PRIVATE, 65537) for p in (programs, alone)]
    assert private[0] == private[1]


@pytest.mark.full
def test_2048_bits(rng: random.Random) -> None:
    both = Both(dual_port(1024), rng)
    for context in (0, 1, 0, 1):
        both.change(context)
        if both.key is None:
            both.load(rng)
        both.operate(rng)
    both.rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
def test_a_refused_key_leaves_the_other_contexts_alone(name: str, rng: random.Random) -> None:
    rtl, keys = two_keys(CONFIGS[name], rng)
    rtl.run(RsaEntry.LEAVE, 0)
    rtl.idle()
    kept = key_words(rtl, 1)
    parts = keys[0].parts()
    for wrong in ({"P": keys[0].p - 1}, {"DP": parts["DP"] ^ 2}):  # even; does not fit e
        fresh(rtl, rng)
        for part, value in (parts | wrong).items():
            rtl.put(part, value)
        assert rtl.run(RsaEntry.KEY, 17).status is RsaStatus.KEY
        rtl.idle()
        assert not rtl.alarm
        assert rtl.valid_keys[:2] == (False, True)
        assert not any(key_words(rtl, 0))
        assert key_words(rtl, 1) == kept
    fresh(rtl, rng)
    change(rtl, 1)
    assert checked(rtl, keys[1], rng)
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
def test_what_wipes_wipes_every_context(name: str, rng: random.Random) -> None:
    """Zeroize, reset and an alarm, from each context."""
    rtl, _ = two_keys(CONFIGS[name], rng)
    alarm = named(rtl, "u_core.over_q")
    for cause in ("zeroize", "reset", "alarm"):
        for context in (0, 1):
            change(rtl, context)
            if cause == "alarm":
                rtl.flip(alarm, 0, 0)
                settle(rtl)
                assert rtl.alarm
            else:
                rtl.wipe(zeroize=cause == "zeroize")
            assert all_zero(rtl), cause
            assert not any(rtl.valid_keys)
            rtl.wipe()
            assert rtl.context == 0
            load_two(rtl, rng)
    rtl.close()


def test_each_context_has_its_lock(rng: random.Random) -> None:
    rtl, keys = two_keys(ONE, rng)
    before = key_words(rtl, 0)
    rtl.lock()
    change(rtl, 1)
    assert rtl.locks == (True, False)
    ok(rtl.run(RsaEntry.LEAVE, 0))
    rtl.idle()
    ok(load(rtl, keys[1]))  # the other one takes a key
    change(rtl, 0)
    for name in ("P", "E"):
        rtl.put(name, 5)
    assert key_words(rtl, 0) == before
    assert checked(rtl, keys[0], rng)
    ok(rtl.run(RsaEntry.LEAVE, 0))  # like zeroize
    rtl.idle()
    assert rtl.locks == (False, False)
    ok(load(rtl, keys[1]))
    rtl.close()


def test_a_locked_context_stays_locked_while_another_one_is_chosen(rng: random.Random) -> None:
    """Also one without a key: it takes none after a change away and back."""
    rtl, keys = two_keys(TWO, rng)
    change(rtl, 2)
    rtl.lock()
    change(rtl, 0)
    change(rtl, 2)
    change(rtl, 2)  # to itself: the same program as `erase`, which would take the lock
    assert rtl.locks == (False, False, True, False)
    for name, value in keys[0].parts().items():
        rtl.put(name, value)
    assert not any(key_words(rtl, 2))
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
def test_a_change_leaves_neither_message_nor_result(name: str, rng: random.Random) -> None:
    """Nor their copies: a start without a message is one with the message 0."""
    rtl, keys = two_keys(CONFIGS[name], rng)
    assert checked(rtl, keys[0], rng)
    change(rtl, 1)
    assert not any(rtl.peek(variable) for variable in ("C", "M", "C2", "M2"))
    ok(rtl.run(RsaEntry.PRIVATE, keys[1].e))
    assert rtl.get("M") == 0
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
def test_the_host_reaches_the_chosen_context_only(name: str, rng: random.Random) -> None:
    """Words for any address, in a context without a key, while the other one has one."""
    rtl, keys = two_keys(CONFIGS[name], rng)
    ok(rtl.run(RsaEntry.LEAVE, 0))
    rtl.idle()
    kept = key_words(rtl, 1)
    for address in range(2 * rtl.image.num_words):
        rtl.write(address, rng.getrandbits(32))
    assert key_words(rtl, 1) == kept
    for address in range(rtl.image.num_words):
        assert rtl.read(address) == (0, False)
    change(rtl, 1)
    assert checked(rtl, keys[1], rng)
    rtl.close()


def test_the_test_needs_every_context_empty(rng: random.Random) -> None:
    rtl, keys = two_keys(ONE, rng)
    ok(rtl.run(RsaEntry.LEAVE, 0))
    rtl.idle()
    assert rtl.run(RsaEntry.TEST, 0).status is RsaStatus.KEY
    change(rtl, 1)
    assert checked(rtl, keys[1], rng)
    ok(rtl.run(RsaEntry.LEAVE, 0))
    rtl.idle()
    assert rtl.run(RsaEntry.TEST, 0).status is RsaStatus.OK
    rtl.close()


def test_a_context_that_does_not_exist(rng: random.Random) -> None:
    rtl, keys = two_keys(CONFIGS["dual-port"], rng)
    assert rtl.run(RsaEntry.CHANGE, 0, 3).status is RsaStatus.KEY
    assert rtl.context == 0
    assert checked(rtl, keys[0], rng)
    rtl.close()


# ---- what cannot be built ----
@pytest.mark.parametrize("keys", [0, 5])
def test_a_number_of_keys_that_does_not_fit(keys: int) -> None:
    with pytest.raises(UsageError, match=f"keeps 1 to 4 keys, but {keys} were asked for"):
        rsa_core("bit_serial", HALF, keys=keys)


def test_several_keys_need_private_ones() -> None:
    with pytest.raises(UsageError, match="keys"):
        rsa_core_of("bit_serial", 2 * HALF, {}, "ladder", {"public_only": 1, "keys": 2})


def test_a_farm_shares_one_key() -> None:
    with pytest.raises(UsageError, match="A farm shares one key, but its cores were to keep 2"):
        farm_core_of("sos", 2 * HALF, {}, "ladder", {"keys": 2, "cores": 2})


@pytest.mark.parametrize(("half_bits", "keys"), [(2048, 4), (2048, 3), (1536, 3)])
def test_several_keys_of_many_bits_are_too_many(half_bits: int, keys: int) -> None:
    with pytest.raises(UsageError, match="choose shorter primes or fewer keys"):
        _ = rsa_core("sos", half_bits, keys=keys).image


def test_the_model_knows_one_context(rng: random.Random) -> None:
    model: RsaModel = make_model(rsa_core("bit_serial", HALF), lambda: rng.getrandbits(32))
    assert (model.context, model.valid_keys) == (0, (False,))
