# SPDX-License-Identifier: Apache-2.0
"""The generator's model: Trivium's published vectors, cutoffs of the tests, good and bad ports."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from math import ceil, comb, log2

import pytest

from modfab.models.rsa import entropy
from modfab.models.rsa.entropy import Entropy, Health, Trivium, generated_words

WINDOW = entropy.WORD_WINDOW

# Of eSTREAM's file of verified vectors, trivium-80.80: key, IV, first byte of the excerpt, bytes.
VECTORS = {
    "set 1, vector 0": ("80" + "00" * 9, "00" * 10, 0, "38EB86FF730D7A9CAF8DF13A4420540D"),
    "the same, 192": ("80" + "00" * 9, "00" * 10, 192, "EAF2625D411F61E41F6BAEEDDD5FE202"),
    "the same, 448": ("80" + "00" * 9, "00" * 10, 448, "EBF14772061C210843C18CEA2D2A275A"),
    "set 1, vector 9": ("0040" + "00" * 8, "00" * 10, 0, "61208D286BC1DC431171EDA5CAF79D95"),
    "set 6, vector 0": (
        *("0053A6F94C9FF24598EB", "0D74DB42A91077DE45AC", 0),
        "F4CD954A717F26A7D6930830C4E7CF0819F80E03F25F342C64ADC66ABA7F8A8E",
    ),
    "the same, 65536": (
        *("0053A6F94C9FF24598EB", "0D74DB42A91077DE45AC", 65536),
        "011A0D7EC32FA102C66C164CFCB189AED9F6982E8C7370A6A37414781192CEB1",
    ),
}


def state_bits(text: str) -> int:
    """A key or IV of the vectors as s1 (bit 0) to s80: the last byte's first bit comes first."""
    return int(f"{int.from_bytes(bytes.fromhex(text), 'little'):080b}"[::-1], 2)


def seed_words(key: str, iv: str) -> list[int]:
    k, v, word = state_bits(key), state_bits(iv), (1 << 32) - 1
    parts = [number >> shift & word for number in (k, v) for shift in (64, 32, 0)]
    return [part | 0xABCD0000 if index % 3 == 0 else part for index, part in enumerate(parts)]


@pytest.mark.parametrize(("key", "iv", "start", "expected"), VECTORS.values(), ids=VECTORS)
def test_trivium_gives_the_published_vectors(key: str, iv: str, start: int, expected: str) -> None:
    trivium, stream = Trivium.seeded(seed_words(key, iv)), b""
    for _ in range(start // 4):
        trivium.step()
    for _ in range(len(expected) // 8):
        stream += int(f"{trivium.step():032b}"[::-1], 2).to_bytes(4, "little")
    assert stream.hex().upper() == expected


# ---- cutoffs ----
def proportion_cutoff(window: int, entropy_bits: float) -> int:
    """1 + critbinom(window, 2^-entropy_bits, 1 - 2^-40), exactly."""
    chance, tail, alpha = Fraction(2**-entropy_bits), Fraction(0), Fraction(1, 2**40)
    for hits in range(window, -1, -1):
        tail += comb(window, hits) * chance**hits * (1 - chance) ** (window - hits)
        if tail > alpha:
            return 1 + hits
    raise AssertionError("the tail's sum is 1")


def test_cutoffs_follow_from_alpha_and_the_assumed_entropy() -> None:
    assert 1 + ceil(40 / 16) == entropy.WORD_REPEATS
    assert proportion_cutoff(entropy.WORD_WINDOW, 16) == entropy.WORD_HITS
    assert proportion_cutoff(entropy.BIT_WINDOW, 0.5) == entropy.BIT_ONES
    assert 1 + ceil((40 + log2(32)) / 0.5) <= entropy.LANE_WINDOW


# ---- ports ----
Port = Callable[[random.Random], Iterator[int]]


def good(rng: random.Random) -> Iterator[int]:
    while True:
        yield rng.getrandbits(32)


def pattern(length: int) -> Port:
    def words(rng: random.Random) -> Iterator[int]:
        parts = [rng.getrandbits(32) for _ in range(length)]
        while True:
            yield from parts

    return words


def fixed(value: int) -> Port:
    def words(rng: random.Random) -> Iterator[int]:
        del rng
        while True:
            yield value

    return words


def stuck(bit: int, value: int) -> Port:
    def words(rng: random.Random) -> Iterator[int]:
        for word in good(rng):
            yield word & ~(1 << bit) | value << bit

    return words


def biased(ands: bool) -> Port:
    """One bit in sixteen has the rare value."""

    def words(rng: random.Random) -> Iterator[int]:
        rare = good(rng)
        for word in rare:
            both = word & next(rare) & next(rare) & next(rare)
            yield both if ands else both ^ 0xFFFFFFFF

    return words


# After how many words it must be found: from the start, and when the port turns bad at any time.
BAD: dict[str, tuple[Port, int, int]] = {
    "zeros": (fixed(0), 4, 4),
    "ones": (fixed(0xFFFFFFFF), 4, 4),
    "constant": (fixed(0x5EED1234), 4, 4),
    "two words": (pattern(2), 9, WINDOW + 9),
    "three words": (pattern(3), 13, WINDOW + 13),
    "127 words": (pattern(127), WINDOW, 2 * WINDOW),
    "bit 0 is 0": (stuck(0, 0), 128, 255),
    "bit 31 is 1": (stuck(31, 1), 128, 255),
    "few ones": (biased(ands=True), 128, 255),
    "few zeros": (biased(ands=False), 128, 255),
}


@pytest.mark.parametrize(("port", "words", "_"), BAD.values(), ids=BAD)
def test_a_bad_port_is_found_at_the_start(
    port: Port, words: int, _: int, rng: random.Random
) -> None:
    health = Health()
    assert any(health.test(word) for word in islice(port(rng), words))


@pytest.mark.parametrize(("port", "_", "words"), BAD.values(), ids=BAD)
def test_a_port_that_turns_bad_is_found(port: Port, _: int, words: int, rng: random.Random) -> None:
    health = Health()
    assert not any(health.test(word) for word in islice(good(rng), rng.randrange(1, 2 * WINDOW)))
    assert any(health.test(word) for word in islice(port(rng), words))


def test_each_bit_of_the_word_is_watched(rng: random.Random) -> None:
    for bit in range(32):
        for value in (0, 1):
            health = Health()
            tested = [health.test(word) for word in islice(stuck(bit, value)(rng), 128)]
            assert tested == [False] * 127 + [True]


@pytest.mark.parametrize(
    "words", [20_000, pytest.param(1_000_000, marks=pytest.mark.full)], ids=["", "million"]
)
def test_good_words_pass(words: int, rng: random.Random) -> None:
    health = Health()
    assert not any(health.test(word) for word in islice(good(rng), words))


# ---- the whole generator ----
def test_nothing_is_delivered_before_the_start_is_over(rng: random.Random) -> None:
    model, taken = Entropy(), 0
    while not model.valid:
        taken += model.step(rng.getrandbits(32), take=True)
    assert taken == entropy.START_WORDS + 1 + entropy.SEED_WORDS + 1


def test_a_port_that_stops_after_the_seed_does_not_stop_the_generator(rng: random.Random) -> None:
    model = Entropy()
    while not model.valid:
        model.step(rng.getrandbits(32))
    seen = set()
    for _ in range(4 * entropy.RESEED_WORDS):
        assert model.valid
        seen.add(model.data)
        model.step(None, take=True)
    assert len(seen) == 4 * entropy.RESEED_WORDS


def test_the_port_changes_what_is_delivered(rng: random.Random) -> None:
    """After a reseed two generators with one seed differ."""
    first, second = Entropy(), Entropy()
    while not first.valid:
        word = rng.getrandbits(32)
        first.step(word)
        second.step(word)
    words: list[tuple[int, int]] = []
    for _ in range(3 * entropy.RESEED_WORDS):
        words.append((first.data, second.data))
        first.step(rng.getrandbits(32), take=True)
        second.step(None, take=True)
    same = [a == b for a, b in words]
    held = 2 * entropy.RESEED_WORDS  # both had taken one word before the port stopped
    assert all(same[:held])
    assert not any(same[held + 3 :])


@pytest.mark.parametrize("takes", [1.0, 0.3], ids=["each cycle", "now and then"])
def test_words_do_not_depend_on_when_they_are_taken(takes: float, rng: random.Random) -> None:
    port = [rng.getrandbits(32) for _ in range(2000)]
    model, at, words = Entropy(), 0, list[int]()
    while len(words) < 500:
        take = model.valid and rng.random() < takes
        if take:
            words.append(model.data)
        at += model.step(port[at], take)
    source = iter(port)
    expected = generated_words(lambda: next(source))
    assert words == [expected() for _ in range(500)]


def test_a_failure_stays_until_a_wipe(rng: random.Random) -> None:
    model = Entropy()
    for _ in range(40):
        model.step(7)
    assert model.failed
    for _ in range(2000):
        model.step(rng.getrandbits(32), take=True)
    assert model.failed
    assert not model.ready
    assert not model.data
    model.step(None, wipe=True)
    while not model.valid:
        model.step(rng.getrandbits(32))
    assert not model.failed
