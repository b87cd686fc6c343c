# SPDX-License-Identifier: Apache-2.0
"""The statistics of leakage on data whose answer is known."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext

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
    least_freedom,
    score_threshold,
    student_quantile,
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
    draw, limit, failed = (
        np.random.default_rng(rng.getrandbits(64)),
        threshold(POINTS, TRACES - 1),
        0,
    )
    for _ in range(4):
        failed += int(np.abs(welch_t(moments(draw), moments(draw, spread=2.0))).max() > limit)
    assert failed < 3, "each has a chance of one in a thousand"


def test_t_finds_a_shift_where_it_is(rng: random.Random) -> None:
    draw = np.random.default_rng(rng.getrandbits(64))
    t = welch_t(moments(draw), moments(draw, shift=1.0))
    assert int(np.argmax(np.abs(t))) == 7
    assert t[7] == pytest.approx(-np.sqrt(TRACES / 2), abs=6)
    assert abs(t[7]) > threshold(POINTS, TRACES - 1)


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
    assert [threshold(n, 10**5) for n in (1, 10, 100)] == pytest.approx(rate, abs=2e-3)


TABLE = {  # freedom: two-sided 0.2, 0.05, 0.01 and 0.001 of Student's t, as tables print them
    1: (3.078, 12.706, 63.657, 636.619),
    5: (1.476, 2.571, 4.032, 6.869),
    10: (1.372, 2.228, 3.169, 4.587),
    30: (1.310, 2.042, 2.750, 3.646),
    60: (1.296, 2.000, 2.660, 3.460),
    120: (1.289, 1.980, 2.617, 3.373),
}


@pytest.mark.parametrize("freedom", TABLE)
def test_students_quantiles_are_those_of_the_tables(freedom: int) -> None:
    found = [student_quantile(tail, freedom) for tail in (0.2, 0.05, 0.01, 0.001)]
    assert found == pytest.approx(TABLE[freedom], abs=6e-4)


@pytest.mark.parametrize(("t", "freedom"), [(1.0, 40), (6.24, 50), (12.0, 4), (9.0, 10), (5, 1000)])
def test_a_quantile_far_out_is_the_one_of_the_sum(t: float, freedom: int) -> None:
    """For even degrees of freedom the distribution is a finite sum (Abramowitz, Stegun, 26.7.4)."""
    with localcontext() as context:
        context.prec = 60
        cosine2 = 1 / (1 + Decimal(t) ** 2 / freedom)
        term = whole = Decimal(1)
        for k in range(1, freedom // 2):
            term *= cosine2 * (2 * k - 1) / (2 * k)
            whole += term
        expected = 1 - (1 - cosine2).sqrt() * whole
    assert student_quantile(float(expected), freedom) == pytest.approx(t, rel=1e-9)


@pytest.mark.parametrize(("counts", "spreads"), [((50, 50), (1.0, 1.0)), ((25, 40), (9.0, 1.0))])
def test_few_traces_give_no_more_false_alarms(
    counts: tuple[int, int], spreads: tuple[float, float], rng: random.Random
) -> None:
    """One point of a thousand at most, whatever the variances; normal quantiles give too many."""
    draw, points = np.random.default_rng(rng.getrandbits(64)), 400_000
    classes = []
    for count, spread in zip(counts, spreads, strict=True):
        found = Moments.zero(points)
        for _ in range(count):
            found.add(draw.normal(0, spread, points))
        classes.append(found)
    one, other = classes
    t = np.abs(welch_t(one, other))
    assert least_freedom(one, other) == min(counts) - 1
    deviation = (points * 1e-3) ** 0.5
    assert (t > threshold(1, min(counts) - 1)).sum() < points * 1e-3 + 5 * deviation
    assert (t > 3.2905).sum() > points * 1e-3 + 5 * deviation


def test_the_score_of_few_traces_is_not_normal(rng: random.Random) -> None:
    """One of a thousand scores of unrelated guesses is above its threshold, also with 20 traces."""
    draw, traces = np.random.default_rng(rng.getrandbits(64)), 20
    sums = Correlation.zero(400, 1000)
    sums.add(draw.normal(0, 1, (traces, 400)), draw.normal(0, 1, (traces, 1000)))
    share = float((sums.scores() > score_threshold(1, traces)).mean())
    assert share == pytest.approx(1e-3, rel=0.3)
    assert float((sums.scores() > 3.2905).mean()) > share


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
    limit = score_threshold(scores.size, sums.count)
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
