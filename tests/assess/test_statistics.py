# SPDX-License-Identifier: Apache-2.0
"""The statistics of leakage on data whose answer is known."""

from __future__ import annotations

import random

import numpy as np
import pytest

from modfab.assess.cpa import low_byte_guesses, of_classes
from modfab.assess.slots import guessed_share
from modfab.assess.statistics import (
    BOTH,
    HUGE,
    Correlation,
    Moments,
    in_both,
    threshold,
    welch_t,
)

POINTS, TRACES = 2000, 400


def moments(draw: np.random.Generator, shift: float = 0.0, spread: float = 1.0) -> Moments:
    """Normal traces whose point 7 has another mean."""
    found = Moments.zero(POINTS)
    for _ in range(TRACES):
        trace = draw.normal(10, spread, POINTS)
        trace[7] += shift
        found.add(trace)
    return found


def test_t_of_the_same_distribution_stays_below_the_threshold(rng: random.Random) -> None:
    draw, limit, failed = np.random.default_rng(rng.getrandbits(64)), threshold(POINTS), 0
    for _ in range(4):
        failed += int(np.abs(welch_t(moments(draw), moments(draw, spread=2.0))).max() > limit)
    assert failed < 3, "each has a chance of one in a thousand"


def test_t_finds_a_shift_where_it_is(rng: random.Random) -> None:
    draw = np.random.default_rng(rng.getrandbits(64))
    t = welch_t(moments(draw), moments(draw, shift=1.0))
    assert int(np.argmax(np.abs(t))) == 7
    assert t[7] == pytest.approx(-np.sqrt(TRACES / 2), abs=6)
    assert abs(t[7]) > threshold(POINTS)


def test_t_is_welchs(rng: random.Random) -> None:
    """Against the formula of the two samples' means and variances, worked out in Python."""
    one = [rng.gauss(3, 1) for _ in range(20)]
    other = [rng.gauss(4, 5) for _ in range(9)]

    def parts(values: list[float]) -> tuple[float, float]:
        mean = sum(values) / len(values)
        variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
        return mean, variance / len(values)

    sums = []
    for values in (one, other):
        found = Moments.zero(1)
        for value in values:
            found.add(np.array([value]))
        sums.append(found)
    (mean1, error1), (mean2, error2) = parts(one), parts(other)
    expected = (mean1 - mean2) / (error1 + error2) ** 0.5
    assert welch_t(*sums)[0] == pytest.approx(expected, rel=1e-9)


def test_constants() -> None:
    one, other = Moments.zero(2), Moments.zero(2)
    for _ in range(3):
        one.add(np.array([4.0, 4.0]))
        other.add(np.array([4.0, 5.0]))
    single = Moments.zero(2)
    single.add(np.array([1.0, 2.0]))
    assert welch_t(one, single).tolist() == welch_t(single, one).tolist() == [0.0, 0.0]
    assert welch_t(one, other).tolist() == [0.0, -HUGE]


def test_the_threshold_is_sidaks() -> None:
    """The chance that none of N points exceeds it is 1 - 1e-3."""
    rate = np.array([3.2905, 3.8906, 4.4172])  # two-sided 1e-3, 1e-4, 1e-5 of a normal variable
    assert [threshold(n) for n in (1, 10, 100)] == pytest.approx(rate, abs=2e-3)


def test_a_chance_excess_is_not_in_both_sets(rng: random.Random) -> None:
    draw = np.random.default_rng(rng.getrandbits(64))
    one, other = draw.normal(0, 1, (2, 100_000))
    assert not in_both(one, other).any()
    one[[3, 5]] = other[3] = -BOTH - 1
    assert np.flatnonzero(in_both(one, other)).tolist() == [3]
    near = np.array([4.45, 4.55, -4.45, -4.55])
    assert in_both(near, near).tolist() == [False, True, False, True]


@pytest.mark.parametrize("leaks", [True, False])
def test_correlation_finds_a_byte_that_leaks(leaks: bool, rng: random.Random) -> None:
    """Traces toggle with the public byte everywhere, and with its difference to a secret one.

    Each byte comes as often as any other: guesses have nothing of the byte's own weight only over
    all bytes, and the few where that fails most would follow it by chance.
    """
    draw = np.random.default_rng(rng.getrandbits(64))
    secret = 128 * rng.randrange(2) + rng.randrange(16, 113)  # 0 and 128 leave no difference
    sums = Correlation.zero(256, 50)
    for _ in range(6):
        varied = rng.sample(range(256), 256)
        traces = draw.normal(0, 1, (len(varied), 50))
        traces += np.array([[3.0 * byte.bit_count()] for byte in varied])
        if leaks:
            traces[:, 30] += [2.0 * (byte - secret & 255).bit_count() for byte in varied]
        sums.add(low_byte_guesses(varied), traces)
    scores = sums.scores()
    guess, point = divmod(int(np.argmax(scores)), 50)
    limit = threshold(scores.size)
    if leaks:
        assert (guess % 128, point) == (secret % 128, 30)
        assert float(np.max(scores)) > limit
    else:
        assert float(np.max(scores)) < limit + 1


def test_guesses_that_differ_in_the_highest_bit_are_one() -> None:
    scores = np.arange(256, dtype=np.float64)
    scores[3] = 500.0
    assert of_classes(scores)[3] == 500.0
    assert of_classes(scores)[4] == 132.0


def test_correlation_is_pearsons(rng: random.Random) -> None:
    x = np.array([[rng.random()] for _ in range(30)])
    y = np.array([[rng.random()] for _ in range(30)]) + x
    sums = Correlation.zero(1, 1)
    sums.add(x[:10], y[:10])
    sums.add(x[10:], y[10:])
    r = np.corrcoef(x[:, 0], y[:, 0])[0, 1]
    assert sums.scores()[0, 0] == pytest.approx(abs(np.arctanh(r)) * 27**0.5, rel=1e-6)
    opposite = Correlation.zero(1, 1)
    opposite.add(x, -y)
    assert opposite.scores()[0, 0] == pytest.approx(sums.scores()[0, 0], rel=1e-6)


def test_guessing_from_features(rng: random.Random) -> None:
    draw = np.random.default_rng(rng.getrandbits(64))
    bits = draw.choice(np.array([-1.0, 1.0], np.float32), (200, 40))
    noise = draw.choice(np.array([-1.0, 1.0], np.float32), (200, 500))
    telling = np.concatenate([noise, -bits], axis=1)
    assert guessed_share((telling[:100], bits[:100]), (telling[100:], bits[100:])) == 1.0
    share = guessed_share((noise[:100], bits[:100]), (noise[100:], bits[100:]))
    assert 0.4 < share < 0.6
