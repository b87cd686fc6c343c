# SPDX-License-Identifier: Apache-2.0
"""Statistics of leakage: Welch's t, correlation, and thresholds for many points at once."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

Values = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

OVERALL = 1e-3
"""Chance that a device without a leak is said to have one, over all points of a row."""

BOTH = 4.5
"""A point as rare as this normal one, with the same sign, in two independent sets is a leak too."""

HUGE = 1e6
"""Stands for a t of two constants that differ."""


def student_quantile(tail: float, freedom: int) -> float:
    """The value that |T| exceeds with probability `tail`; T has Student's distribution.

    >>> round(student_quantile(0.05, 30), 3)
    2.042
    """
    return -float(stdtrit(freedom, tail / 2))


def threshold(points: int, freedom: int) -> float:
    """The |t| that any of `points` independent points exceeds with chance `OVERALL` (Sidak).

    Args:
        points: Points that are looked at.
        freedom: Degrees of freedom of each t: of Student's distribution.

    >>> round(threshold(1, 100_000), 2), round(threshold(10_000, 100_000), 2)
    (3.29, 5.33)
    >>> round(threshold(10_000, 49), 2)
    6.24
    """
    each = -np.expm1(np.log1p(-OVERALL) / max(points, 1))
    return student_quantile(float(each), max(freedom, 1))


def both_threshold(freedom: int) -> float:
    """The value that t exceeds as rarely as a normal variable exceeds `BOTH`.

    >>> round(both_threshold(100_000), 2), round(both_threshold(24), 2)
    (4.5, 5.72)
    """
    return student_quantile(2 * NormalDist().cdf(-BOTH), max(freedom, 1))


def score_threshold(points: int, traces: int) -> float:
    """As `threshold`, for the scores of `Correlation`.

    r * sqrt((traces - 2) / (1 - r^2)) is Student's with traces - 2 degrees of freedom where nothing
    correlates; Fisher's transform of few traces is normal in its middle only.

    >>> round(score_threshold(1000, 100), 2), round(score_threshold(1000, 100_000), 2)
    (4.98, 4.89)
    """
    freedom = max(traces - 2, 1)
    t = threshold(points, freedom)
    return float(np.arcsinh(t / np.sqrt(freedom)) * np.sqrt(max(traces - 3, 0)))


@dataclass(slots=True)
class Moments:
    """Sums over the traces of one class.

    Attributes:
        count: Traces.
        sums, squares: Of each point's values, and of their squares.
    """

    count: int
    sums: Values
    squares: Values

    @staticmethod
    def zero(points: int) -> Moments:
        """No trace yet."""
        return Moments(0, np.zeros(points), np.zeros(points))

    def add(self, trace: Values) -> None:
        """One trace more."""
        self.count += 1
        self.sums += trace
        self.squares += trace * trace

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.count + other.count, self.sums + other.sums, self.squares + other.squares
        )


def least_freedom(one: Moments, other: Moments) -> int:
    """The least degrees of freedom that Welch and Satterthwaite give any two variances.

    With it the chance that t is beyond a threshold is at most the stated one, whatever the
    variances. They reach it where the smaller class has all of the variance.
    """
    return min(one.count, other.count) - 1


def welch_t(one: Moments, other: Moments) -> Values:
    """Welch's t of each point; 0 where a class has fewer than two traces.

    >>> a, b = Moments.zero(2), Moments.zero(2)
    >>> for x in (1.0, 2.0, 3.0):
    ...     a.add(np.array([x, 5.0])); b.add(np.array([x, 7.0]))
    >>> welch_t(a, b).tolist()
    [0.0, -1000000.0]
    """
    if min(one.count, other.count) < 2:
        return np.zeros_like(one.sums)
    means, errors = [], []
    for found in (one, other):
        mean = found.sums / found.count
        spread = np.maximum(found.squares / found.count - mean * mean, 0)
        means.append(mean)
        errors.append(spread / (found.count - 1))
    difference, error = means[0] - means[1], np.sqrt(errors[0] + errors[1])
    same = np.abs(difference) < 1e-9
    constant = error < 1e-9
    t = np.divide(difference, error, out=np.zeros_like(difference), where=~constant)
    t[constant & ~same] = np.sign(difference[constant & ~same]) * HUGE
    return np.clip(t, -HUGE, HUGE)


def in_both(one: Values, other: Values, limits: tuple[float, float] = (BOTH, BOTH)) -> Flags:
    """Points that fail with the same sign in two independent sets of traces.

    Args:
        one, other: t in each set.
        limits: What each has to be beyond.

    >>> in_both(np.array([5.0, 5.0, 5.0]), np.array([5.0, -5.0, 1.0])).tolist()
    [True, False, False]
    """
    above = (one > limits[0]) & (other > limits[1])
    return np.asarray(above | ((one < -limits[0]) & (other < -limits[1])))


@dataclass(slots=True)
class Correlation:
    """Sums for the correlation of guesses (rows) with points of traces (columns)."""

    count: int
    guess: Values
    guess_squares: Values
    trace: Values
    trace_squares: Values
    products: Values

    @staticmethod
    def zero(guesses: int, points: int) -> Correlation:
        """No trace yet."""
        flat = (np.zeros(guesses), np.zeros(guesses), np.zeros(points), np.zeros(points))
        return Correlation(0, *flat, np.zeros((guesses, points)))

    def add(self, guesses: Values, traces: Values) -> None:
        """Some traces more: a row for each, in both."""
        self.count += len(traces)
        self.guess += guesses.sum(axis=0)
        self.guess_squares += (guesses * guesses).sum(axis=0)
        self.trace += traces.sum(axis=0)
        self.trace_squares += (traces * traces).sum(axis=0)
        self.products += guesses.T @ traces

    def scores(self) -> Values:
        """For each guess and point |z| of Fisher's transform; `score_threshold` is its limit."""
        n = self.count
        covariance = self.products * n - np.outer(self.guess, self.trace)
        spreads = (
            np.maximum(self.guess_squares * n - self.guess**2, 0),
            np.maximum(self.trace_squares * n - self.trace**2, 0),
        )
        scale = np.sqrt(np.outer(*spreads))
        r = np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 1e-6)
        z = np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)) * np.sqrt(max(n - 3, 0))
        return np.asarray(np.abs(z))
