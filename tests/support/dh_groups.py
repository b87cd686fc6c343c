# SPDX-License-Identifier: Apache-2.0
"""The primes of RFC 3526 and RFC 7919, from the formulas that the RFCs print beside the digits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Group:
    """A Diffie-Hellman group with generator 2.

    Attributes:
        name: As OpenSSL calls it.
        num_bits: Bits of the prime.
        exponent_bits: Bits of a private exponent that match the prime's strength (RFC 7919, 5.2;
            for RFC 3526 twice the strength of its section 8).
        offset: The number that the formula adds.
    """

    name: str
    num_bits: int
    exponent_bits: int
    offset: int

    @property
    def prime(self) -> int:
        """2^b - 2^(b - 64) - 1 + 2^64 (floor(2^(b - 130) c) + offset), c = pi or e."""
        b = self.num_bits
        digits = pi_floor(b - 130) if self.name.startswith("modp") else euler_floor(b - 130)
        return (1 << b) - (1 << b - 64) - 1 + ((digits + self.offset) << 64)


GROUPS = {
    group.name: group
    for group in (
        Group("modp_1536", 1536, 180, 741804),
        Group("modp_2048", 2048, 220, 124476),
        Group("modp_3072", 3072, 260, 1690314),
        Group("modp_4096", 4096, 300, 240904),
        Group("modp_6144", 6144, 340, 929484),
        Group("modp_8192", 8192, 380, 4743158),
        Group("ffdhe2048", 2048, 225, 560316),
        Group("ffdhe3072", 3072, 275, 2625351),
        Group("ffdhe4096", 4096, 325, 5736041),
        Group("ffdhe6144", 6144, 375, 15705020),
        Group("ffdhe8192", 8192, 400, 10965728),
    )
}

_GUARD = 64  # bits behind the point that rounding may spoil


def _arctan_inverse(x: int, one: int) -> int:
    """`one` times the arc tangent of 1/x, by its series."""
    total = term = one // x
    square, index = x * x, 1
    while term:
        term //= -square
        index += 2
        total += term // index if term > 0 else -(-term // index)
        if term in (0, -1):
            break
    return total


@cache
def pi_floor(shift: int) -> int:
    """floor(2^shift pi), by Machin's formula.

    >>> pi_floor(8) == int(3.14159265 * 256)
    True
    """
    one = 1 << shift + _GUARD
    return 4 * (4 * _arctan_inverse(5, one) - _arctan_inverse(239, one)) >> _GUARD


@cache
def euler_floor(shift: int) -> int:
    """floor(2^shift e), by its series.

    >>> euler_floor(8) == int(2.71828182 * 256)
    True
    """
    total = term = 1 << shift + _GUARD
    index = 1
    while term:
        term //= index
        total += term
        index += 1
    return total >> _GUARD
