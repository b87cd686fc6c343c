# SPDX-License-Identifier: Apache-2.0
"""The generator's RTL against its model in every cycle, good and bad ports, and faults."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

import pytest

from modfab.models.rsa import entropy
from modfab.models.rsa.entropy import Entropy
from modfab.paths import rtl_dir
from tests.models.test_rsa_entropy_model import BAD, Port, good
from tests.support.rtl_entropy import RtlEntropy, outputs_of

START_CYCLES = entropy.START_WORDS + 51  # until valid_o with a port that always gives a word


@pytest.fixture
def rtl(rng: random.Random) -> Iterator[RtlEntropy]:
    made = RtlEntropy(rng.randrange(1, 1 << 31))
    yield made
    made.close()


def run_both(
    rtl: RtlEntropy,
    port: Iterator[int],
    cycles: int,
    inputs: Callable[[int], tuple[bool, bool, bool]],
    ones_late: bool = False,
) -> Entropy:
    """Both with the same inputs (the port offers, take, wipe), compared in every cycle."""
    model, word = Entropy(ones_late=ones_late), next(port)
    for clock in range(cycles):
        offers, take, wipe = inputs(clock)
        assert rtl.outputs() == outputs_of(model), clock
        rtl.step(word if offers else None, take, wipe)
        if model.step(word if offers else None, take, wipe):
            word = next(port)
    return model


@pytest.mark.parametrize("offers", [1.0, 0.5], ids=["fast port", "slow port"])
@pytest.mark.parametrize("takes", [1.0, 0.4], ids=["always taken", "taken now and then"])
def test_every_cycle_is_the_models(
    rtl: RtlEntropy, offers: float, takes: float, rng: random.Random
) -> None:
    wipes = {4300, 4302, 8000}
    model = run_both(
        rtl,
        good(rng),
        11_000,
        lambda clock: (rng.random() < offers, rng.random() < takes, clock in wipes),
    )
    assert model.valid


def test_the_first_word_comes_when_the_header_says(rtl: RtlEntropy, rng: random.Random) -> None:
    cycles = 0
    while not rtl.outputs().valid:
        rtl.step(rng.getrandbits(32))
        cycles += 1
    assert cycles == START_CYCLES


@pytest.mark.parametrize(("port", "words", "_"), BAD.values(), ids=BAD)
def test_a_bad_port_fails_in_the_models_cycle(
    rtl: RtlEntropy, port: Port, words: int, _: int, rng: random.Random
) -> None:
    model = run_both(rtl, port(rng), words + 20, lambda clock: (True, bool(clock % 3), False))
    assert model.failed
    assert not rtl.outputs().valid


@pytest.mark.parametrize("late", [False, True], ids=["as it is", "ones late"])
def test_a_share_of_ones_fails_in_the_models_cycle(late: bool, rng: random.Random) -> None:
    """Too many ones or zeros, behind a good window: no other test sees them."""
    rtl = RtlEntropy(rng.randrange(1, 1 << 31), entropy.START_WORDS, late)

    bad = BAD[rng.choice(["few ones", "few zeros"])][0]
    port = chain(islice(good(rng), 300), bad(rng))
    model = run_both(rtl, port, 700, lambda _: (True, True, False), late)
    assert model.failed
    rtl.close()


def test_a_port_that_turns_bad_fails_in_the_models_cycle(
    rtl: RtlEntropy, rng: random.Random
) -> None:
    def port() -> Iterator[int]:
        yield from islice(good(rng), 1100)
        while True:
            yield 0xABCD0123

    model = run_both(rtl, port(), START_CYCLES + 76 * 64, lambda _: (True, True, False))
    assert model.failed


@pytest.mark.full
def test_a_million_good_words_pass(rng: random.Random) -> None:
    rtl = RtlEntropy(rng.randrange(1, 1 << 31), start_words=1_000_000)
    cycles = 1_000_000 + 1_000_000  # all words are tested, then half a million and more delivered
    assert rtl.random(rng.getrandbits(64) | 1, cycles) == cycles
    assert rtl.outputs().valid
    rtl.close()


# ---- faults ----
def started(rtl: RtlEntropy, rng: random.Random) -> None:
    while not rtl.outputs().valid:
        rtl.step(rng.getrandbits(32))


def test_every_wrong_bit_of_the_state_fails(rtl: RtlEntropy, rng: random.Random) -> None:
    for cycles in (10, START_CYCLES - 45, START_CYCLES - 20, START_CYCLES + 5):
        for bits in [(bit,) for bit in range(7)] + [(a, b) for a in range(7) for b in range(a)]:
            rtl.reset()
            for _ in range(cycles):
                rtl.step(rng.getrandbits(32))
            for bit in bits:
                rtl.flip("state_q", bit)
            assert rtl.outputs().failed
            assert not rtl.outputs().valid
            for _ in range(2):
                rtl.step(rng.getrandbits(32))
                assert rtl.outputs().failed
            assert rtl.outputs().data == 0


def test_a_failure_stays_with_any_flipped_bit(rtl: RtlEntropy) -> None:
    for _ in range(40):
        rtl.step(0)
    for bit in range(7):
        rtl.flip("state_q", bit)
        assert rtl.outputs().failed
        rtl.step(0)
        assert rtl.outputs().failed


@pytest.mark.parametrize("register", ["count_q", "count_inv_q", "last_q"])
def test_a_changed_count_fails(rtl: RtlEntropy, register: str, rng: random.Random) -> None:
    for bit in range(1 if register == "last_q" else 11):
        rtl.reset()
        for _ in range(rng.randrange(START_CYCLES + 100)):
            rtl.step(rng.getrandbits(32), take=True)
        rtl.flip(register, bit)
        rtl.step(rng.getrandbits(32), take=True)
        rtl.step(rng.getrandbits(32), take=True)
        assert rtl.outputs().failed


def test_a_generator_that_stands_still_fails(rtl: RtlEntropy, rng: random.Random) -> None:
    """A fault holds the low byte of what is delivered."""
    started(rtl, rng)
    cycles, wanted = 0, ~rtl.outputs().data & 0xFF
    rtl.step(None, take=True)
    while not rtl.outputs().failed and cycles < 20:
        for bit in range(8):
            if (rtl.outputs().data ^ wanted) >> bit & 1:
                rtl.flip("even_q" if cycles & 1 else "odd_q", bit)
        rtl.step(None, take=True)
        cycles += 1
    assert cycles == 2 + entropy.EQUAL_BYTES + 3  # noticed three cycles after the last is taken


def noticed(words: Sequence[int]) -> int:
    """The place of the first word at which EQUAL_BYTES in a row were like the last but one."""
    lows, equal = [0, 0], 0
    for place, word in enumerate(words):
        equal = equal + 1 if word & 0xFF == lows[-2] else 0
        lows.append(word & 0xFF)
        if equal == entropy.EQUAL_BYTES:
            return place
    raise AssertionError("they are not noticed")


def test_a_generator_that_makes_no_words_fails(rtl: RtlEntropy, rng: random.Random) -> None:
    """A fault keeps the two words that wait: each comes again and again."""
    started(rtl, rng)
    words = list[int]()
    while not rtl.outputs().failed and len(words) < 20:
        if words:
            rtl.flip("advance_q", 0)
        words.append(rtl.outputs().data)
        rtl.step(None, take=True)
    assert len(words) == noticed(words) + 1 + 3  # noticed three cycles after it is taken
    assert len(set(words)) == 2


def test_wipe_forgets_the_words(rtl: RtlEntropy, rng: random.Random) -> None:
    """The same words after a wipe give the same words: nothing of before is left."""
    port = [rng.getrandbits(32) for _ in range(1200)]
    delivered = []
    for _ in range(2):
        taken, words = iter(port), list[int]()
        word = next(taken)
        while len(words) < 40:
            if rtl.outputs().valid:
                words.append(rtl.outputs().data)
            ready = rtl.outputs().ready
            rtl.step(word, take=True)
            word = next(taken) if ready else word
        delivered.append(words)
        rtl.step(None, wipe=True)
        assert rtl.outputs().data == 0
    assert delivered[0] == delivered[1]


def test_cutoffs_are_the_models() -> None:
    text = (rtl_dir() / "rsa" / "mf_rsa_entropy_health.sv").read_text()
    for name in ("WordRepeats", "WordWindow", "WordHits", "BitWindow", "BitOnes", "LaneWindow"):
        found = re.search(rf"localparam int unsigned {name} += ([^;]+);", text)
        assert found
        constant = re.sub(r"(?<!^)([A-Z])", r"_\1", name).upper()
        value = found[1].replace("4 * LaneWindow", str(4 * entropy.LANE_WINDOW))
        assert int(value) == getattr(entropy, constant), name
