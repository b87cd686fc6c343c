# SPDX-License-Identifier: Apache-2.0
"""The RSA core's RTL against pow and against its golden model: values, memory, cycles."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from modfab.build.rsa import ENTROPY_CYCLES, RsaCore, rsa_core
from modfab.errors import DeviceError, UsageError
from modfab.models.engine import Command, CommandResult, Op
from modfab.models.exp_ladder import HIGH as LADDER_HIGH
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.instructions import RsaOp
from modfab.paths import rtl_dir
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_attack import checked, loaded
from tests.support.rsa_core import Key, load, load_anew, make_key, make_model, ok, operate, pair
from tests.support.rtl_codes import python_codes, rtl_codes

HALF = 64
CONFIG = rsa_core("bit_serial", HALF, {"BitsPerClock": 8})
WINDOW = rsa_core("bit_serial", HALF, {"BitsPerClock": 8}, sequencer="window")
TWO = rsa_core("bit_serial", HALF, {"BitsPerClock": 8}, engines=2)
SEVERAL = rsa_core("bit_serial", HALF, {"BitsPerClock": 8}, engines=2, keys=2)
PLAIN = rsa_core("bit_serial", 40, {"BitsPerClock": 8}, message_blinding=False, exponent_words=0)

CONFIGS = {"one engine": CONFIG, "plain": PLAIN, "window": WINDOW, "two engines": TWO}


@pytest.fixture
def rtl(rng: random.Random) -> RtlRsa:
    core = RtlRsa(CONFIG, public=True, seed=rng.getrandbits(32))
    core.entropy([rng.getrandbits(32) for _ in range(4096)])
    return core


@pytest.mark.parametrize("name", CONFIGS)
def test_rtl_and_model_agree_in_memory_and_cycles(name: str, rng: random.Random) -> None:
    config = CONFIGS[name]
    half, formulas = config.shape.half_bits, config.programs()
    rtl, model = pair(config, rng)
    key = make_key(rng, half, half - 1)
    for core in (rtl, model):
        for part, value in {"P": key.p, "Q": key.q, "D": key.d, "E": key.e}.items():
            core.put(part, value)
    for entry in (RsaEntry.DERIVE, RsaEntry.KEY, RsaEntry.PRIVATE, RsaEntry.PUBLIC):
        message = rng.randrange(key.n)
        runs = [operate(core, key, message, entry) for core in (rtl, model)]
        assert runs[0] == runs[1]
        assert ok(runs[0]) == formulas.program(entry, key.e)
        for variable in model.image.variables:
            assert rtl.peek(variable) == model.get(variable), variable
        operation = entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC)
        assert rtl.result_valid == model.result_valid == operation
        if operation:
            exponent = key.d if entry is RsaEntry.PRIVATE else key.e
            assert rtl.get("M") == model.get("M") == pow(message, exponent, key.n)
    assert rtl.peek("QI") == pow(key.q, -1, key.p)
    rtl.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyShape:
    """Lengths of both primes, and e; None for one as long as n."""

    p_bits: int = HALF
    q_bits: int = HALF
    e: int | None = 65537


KEYS = {
    "p > q": KeyShape(),
    "one bit shorter": KeyShape(p_bits=HALF - 1),
    "one bit longer": KeyShape(q_bits=HALF - 1, e=3),
    "much shorter": KeyShape(p_bits=33, e=17),
    "large e": KeyShape(e=None),
}


@pytest.mark.parametrize("shape", KEYS.values(), ids=list(KEYS))
def test_powers(shape: KeyShape, rtl: RtlRsa, rng: random.Random) -> None:
    key = make_key(rng, shape.p_bits, shape.q_bits, shape.e)
    for chosen in (key, Key(key.q, key.p, key.e)):
        ok(load_anew(rtl, chosen))
        n = chosen.n
        special = [0, 1, n - 1, chosen.p * rng.randrange(chosen.q), chosen.q]
        for message in [*special, rng.randrange(n)]:
            ok(operate(rtl, chosen, message))
            assert rtl.get("M") == pow(message, chosen.d, n)
        ok(operate(rtl, chosen, message, RsaEntry.PUBLIC))
        assert rtl.get("M") == pow(message, chosen.e, n)
    rtl.close()


@pytest.mark.parametrize(
    "count", [20, pytest.param(1000, marks=pytest.mark.full)], ids=["few", "many"]
)
def test_cycles_are_the_same_for_every_key_message_and_blinding(
    count: int, rtl: RtlRsa, rng: random.Random
) -> None:
    private, setup = set(), set()
    for number in range(count):
        rtl.entropy([rng.choice([1, rng.getrandbits(32), 2**32 - 1]) for _ in range(64)])
        key = make_key(rng, HALF, HALF - number % 2)
        setup.add(ok(load_anew(rtl, key)))
        for message in (rng.choice([0, 1, key.n - 1]), rng.randrange(key.n)):
            private.add(ok(operate(rtl, key, message)))
            assert rtl.get("M") == pow(message, key.d, key.n)
    assert len(private) == len(setup) == 1
    rtl.close()


@pytest.mark.full
def test_cycles_are_the_same_at_2048_bits(rng: random.Random) -> None:
    rtl = RtlRsa(rsa_core("bit_serial", 1024, {"BitsPerClock": 8}))
    seen = set()
    for number in range(20):
        rtl.entropy([rng.getrandbits(32) for _ in range(256)])
        key = make_key(rng, 1024, 1024)
        ok(load_anew(rtl, key))
        message = rng.randrange(key.n) if number else 0
        seen.add(ok(operate(rtl, key, message)))
        assert rtl.get("M") == pow(message, key.d, key.n)
    assert len(seen) == 1
    rtl.close()


def test_blinding_changes_every_operand(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same power twice: other bases and exponents reach the engine, other pairs are kept."""
    model = make_model(CONFIG, lambda: rng.getrandbits(32))
    key = make_key(rng, HALF, HALF)
    ok(load(model, key))
    bases: list[int] = []
    slots: list[int] = []
    run = model.engine.run

    def spy(command: Command) -> CommandResult:
        if command.op is Op.MUL and command.dst0 == LADDER_HIGH:
            bases.append(model.engine.slots[command.a0])
        slots.append(command.b)  # the ladder's follow the exponent
        return run(command)

    monkeypatch.setattr(model.engine, "run", spy)
    seen = []
    for _ in range(2):
        bases.clear()
        slots.clear()
        ok(operate(model, key, 5))
        pairs = [model.get(name) for name in ("AP", "BP", "AQ", "BQ")]
        seen.append((bases[0], tuple(slots), *pairs))
    assert model.get("M") == pow(5, key.d, key.n)
    assert all(first != second for first, second in zip(*seen, strict=True))


BAD_PARTS: dict[str, Callable[[Key], dict[str, int]]] = {
    "even prime": lambda key: {"P": key.p + 1},
    "zero prime": lambda key: {"Q": 0},
    "prime one": lambda key: {"Q": 1},
    "prime too short": lambda key: {"Q": 65537},
    "wrong dP": lambda key: {"DP": key.parts()["DP"] ^ 4},
    "wrong dQ": lambda key: {"DQ": key.parts()["DQ"] + 2},
    "wrong qInv": lambda key: {"QI": key.parts()["QI"] ^ 1},
    "wrong e": lambda key: {"E": key.e + 2},
    "no prime": lambda key: {"P": 3 * (2**62 // 3 | 1)},
}


@pytest.mark.parametrize("name", BAD_PARTS)
def test_a_bad_key_is_refused(name: str, rtl: RtlRsa, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    for part, value in (key.parts() | BAD_PARTS[name](key)).items():
        rtl.put(part, value)
    assert rtl.run(RsaEntry.KEY, 17).status is RsaStatus.KEY
    assert not rtl.key_valid
    assert all(rtl.peek(variable) == 0 for variable in rtl.image.variables), "a part stays"
    assert operate(rtl, key, 2).status is RsaStatus.NO_KEY
    assert not rtl.result_valid
    ok(load(rtl, key))
    rtl.close()


def test_a_message_out_of_range_is_refused(rtl: RtlRsa, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    for message in (key.n, 2**128 - 1):
        for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC):
            assert operate(rtl, key, message, entry).status is RsaStatus.OPERAND
            assert not rtl.result_valid
            assert rtl.peek("M") == rtl.peek("C") == 0
            with pytest.raises(DeviceError):
                rtl.get("M")
    ok(operate(rtl, key, key.n - 1))
    rtl.close()


def test_e_bits_out_of_range_are_refused(rtl: RtlRsa, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    model = make_model(CONFIG, lambda: rng.getrandbits(32))
    for e_bits in (0, 1, 129, 65535):
        for core in (rtl, model):
            assert core.run(RsaEntry.KEY, e_bits).status is RsaStatus.KEY
    for name, value in key.parts().items():
        rtl.put(name, value)
    assert rtl.run(RsaEntry.KEY, 16).status is RsaStatus.KEY  # e without its highest bit
    ok(load(rtl, key))
    rtl.close()


@pytest.mark.parametrize("e_bits", [1, 2 * HALF + 1])
@pytest.mark.parametrize("config", [CONFIG, SEVERAL], ids=["one key", "several"])
def test_a_key_whose_e_has_an_impossible_length_leaves_nothing(
    config: RsaCore, e_bits: int, rng: random.Random
) -> None:
    """With `derive` and a known prime over Q, what was left gave P by one public operation."""
    rtl, kept = loaded(config, rng)
    several = config.shape.keys > 1
    if several:
        ok(rtl.run(RsaEntry.CHANGE, 17, 1))
    else:
        rtl.wipe()
    for name, value in (make_key(rng, HALF, HALF).parts() | {"D": 5}).items():
        rtl.put(name, value)
    assert rtl.run(RsaEntry.KEY, e_bits).status is RsaStatus.KEY
    rtl.idle()
    assert all(rtl.peek(name) == 0 for name in ("P", "Q", "DP", "DQ", "QI", "E", "D"))
    assert not rtl.alarm
    ok(load(rtl, make_key(rng, HALF, HALF)))
    if several:
        ok(rtl.run(RsaEntry.CHANGE, 17, 0))
        assert checked(rtl, kept, rng)
    rtl.close()


def test_the_bits_of_e_belong_to_the_key(rtl: RtlRsa, rng: random.Random) -> None:
    """Whatever a later start says, the key's own e checks the result."""
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    for e_bits in (0, 2, 16, 128, 65535):
        message = rng.randrange(key.n)
        rtl.put("C", message)
        assert ok(rtl.run(RsaEntry.PRIVATE, e_bits)) == CONFIG.programs().program(
            RsaEntry.PRIVATE, key.e
        )
        assert rtl.get("M") == pow(message, key.d, key.n)
        ok(rtl.run(RsaEntry.KEY, e_bits))
    rtl.close()


def test_without_entropy_an_operation_ends_and_the_key_stays(
    rtl: RtlRsa, rng: random.Random
) -> None:
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    for words in (0, 0, 1, 3):  # it stalls at once, also behind another stall, or in the middle
        rtl.entropy([rng.getrandbits(32) for _ in range(words)])
        assert operate(rtl, key, 5).status is RsaStatus.ENTROPY
        assert rtl.key_valid
        assert not rtl.result_valid
        assert not rtl.alarm
        assert rtl.peek("C") == rtl.peek("XD") == 0
    rtl.entropy([rng.getrandbits(32) for _ in range(64)])
    ok(operate(rtl, key, 5))
    assert rtl.get("M") == pow(5, key.d, key.n)
    rtl.close()


def test_a_word_that_comes_before_the_limit_is_used(rtl: RtlRsa, rng: random.Random) -> None:
    """Only the wait of an instruction counts, not the time before it without a word."""
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    rtl.entropy([])
    rtl.step(ENTROPY_CYCLES // 2)
    message, limit = rng.randrange(key.n), rtl.limit
    rtl.put("C", message)
    rtl.limit = ENTROPY_CYCLES * 3 // 4
    assert not rtl.try_run(RsaEntry.PRIVATE, 17), "it did not wait"
    rtl.limit = limit
    rtl.entropy([rng.getrandbits(32) for _ in range(64)])
    rtl.idle()
    assert rtl.status is RsaStatus.OK
    assert rtl.cycles == CONFIG.programs().program(RsaEntry.PRIVATE, key.e)
    assert rtl.get("M") == pow(message, key.d, key.n)
    rtl.close()


def test_a_blinder_of_one_is_refused(rng: random.Random) -> None:
    """All random words zero: A = 1 would blind nothing."""
    rtl, model = RtlRsa(CONFIG, public=True), make_model(CONFIG, lambda: 0)
    rtl.entropy([0] * 64)
    for core in (rtl, model):
        assert load(core, make_key(rng, HALF, HALF)).status is RsaStatus.ENTROPY
    assert not rtl.key_valid
    rtl.close()


def test_instructions_are_those_of_the_rtl_package() -> None:
    package = rtl_dir() / "rsa" / "mf_rsa_pkg.sv"
    assert rtl_codes(package, "Op") == python_codes(RsaOp)
    assert rtl_codes(package, "Status") == python_codes(RsaStatus)
    assert rtl_codes(package, "Entry") == python_codes(RsaEntry)


def test_a_sequencer_that_shows_the_exponent_is_refused() -> None:
    with pytest.raises(UsageError, match="The sequencer l2r shows the exponent in its cycles"):
        rsa_core("bit_serial", 64, sequencer="l2r")


def test_shapes_out_of_range_are_refused() -> None:
    with pytest.raises(UsageError, match="Expected primes of 34 to 2064 bits, but got 33"):
        rsa_core("bit_serial", 33)
    with pytest.raises(UsageError, match="Expected 1 or 2 engines, but got 3"):
        rsa_core("bit_serial", 64, engines=3)
    with pytest.raises(UsageError, match="Expected 0, 1 or 2 words of exponent blinding"):
        rsa_core("bit_serial", 64, exponent_words=3)
