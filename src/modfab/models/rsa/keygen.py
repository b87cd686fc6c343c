# SPDX-License-Identifier: Apache-2.0
"""Numbers of the program that makes a key inside the core: small primes, tries, rounds.

A candidate is c = 2 h + 1 with h = STEP x + LIFT v + BASE, x random and v a random unit modulo the
product m of the odd primes up to 23: c is v modulo m and 3 modulo 4, so that no small prime divides
it and one exponentiation by h = (c - 1) / 2 is a whole round of Miller-Rabin. A random number k
becomes a unit by k + r (1 - k^ORDER), r random: what k has no inverse for is replaced by r.

Source: M. Joye, P. Paillier, "Fast generation of prime numbers on portable devices: an update"
(CHES 2006), Figure 4, for the unit; D. E. Knuth, The Art of Computer Programming 2, section 4.5.4,
for the test.
"""

from __future__ import annotations

import math

from modfab.errors import UsageError
from modfab.numbers import WORD_BITS

SMALL_PRIMES = (3, 5, 7, 11, 13, 17, 19, 23)
"""Those that divide no candidate, besides 2."""

ROUNDS = 6
"""Rounds of Miller-Rabin for each prime, beside the one that has found it."""

_WORD = 1 << WORD_BITS
_TRIES_PER_BIT = 3 / 2
_TOP = 8  # highest word of x


def tries(half_bits: int) -> int:
    """Candidates for each prime: all are tested, whether or not one was a prime.

    One in `density` is a prime; with so many none is with a probability of e^-13.

    >>> tries(1024)
    1536
    """
    return math.ceil(_TRIES_PER_BIT * half_bits)


def density(half_bits: int) -> float:
    """Candidates of that many bits for each prime among them.

    >>> round(density(1024))
    116
    """
    share = math.prod(1 - 1 / prime for prime in (2, *SMALL_PRIMES))
    return half_bits * math.log(2) * share


def check_generated(half_bits: int) -> None:
    """Raise UsageError where a core cannot make primes of that many bits."""
    if half_bits % WORD_BITS or half_bits < 2 * WORD_BITS:
        raise UsageError(
            f"A core makes primes of a multiple of {WORD_BITS} bits, at least {2 * WORD_BITS}, but "
            f"{half_bits} were asked for; choose such a length, or no keygen."
        )


def constants(half_bits: int, asked: bool) -> dict[str, int]:
    """Names that the program text uses.

    Args:
        half_bits: Bits of a prime.
        asked: The core makes keys.

    >>> made = constants(1024, True)
    >>> made["ORDER"], made["STEP"] % 23, (2 * made["LIFT"] + 2 * made["BASE"] + 1) % 4
    (7920, 0, 3)
    """
    product = math.prod(SMALL_PRIMES)
    order = math.lcm(*(prime - 1 for prime in SMALL_PRIMES))
    base = 3 * pow(product, -1, 4) * product  # 3 modulo 4, 0 modulo the product
    return {
        "GEN": int(asked),
        "TRIES": tries(half_bits),
        "ORDER": order,
        "ORDER_BITS": order.bit_length(),
        "SMALL": product,
        "SMALL_NEG": -pow(product, -1, _WORD) % _WORD,
        "SMALL_R2": _WORD**2 % product,
        "STEP": 2 * product,
        "LIFT": 2 * pow(4, -1, product),
        "BASE": base % (4 * product) // 2,
        "TOP": _TOP,
        "ROUNDS": ROUNDS,
    }
