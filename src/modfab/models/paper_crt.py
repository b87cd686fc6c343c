# SPDX-License-Identifier: Apache-2.0
"""Decryption with CRT as a paper counts it: everything for every message, binary method.

A model of [LIAO24] Algorithms 5 and 6, outside the RSA core: nothing is kept between messages,
nothing is blinded or checked. Values are exact; cycles are those of units that take one bit a
cycle, beside the products of an engine. There is no RTL of these units.

Algorithm 6 is misprinted: it divides by the variable that it has overwritten, keeps the quotient
in the name that then takes the divisor, and updates x1 from the new x0. What is meant is Euclid's
loop with the quotient in a variable of its own and both updates from the old values:

    m <- p; x0 <- 0; x1 <- 1
    while q > 1:
        a <- floor(q / p);  q, p <- p, q - a * p;  x0, x1 <- x1 - a * x0, x0
    if x1 < 0: x1 <- x1 + m

The outer loop over i is the tool's bound of the inner one. Algorithm 5 writes d_n for d_p, drops
the assignments to h, and gives h = p where both halves are congruent modulo p, so that x exceeds
N; here h is 0 then.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from modfab.errors import OperandError


@dataclass(frozen=True, slots=True)
class Counted:
    """A value and the cycles until it is there."""

    value: int
    cycles: int


Power = Callable[[int, int, int], Counted]
"""Base, exponent, modulus -> the power, by an engine and a right-to-left sequencer."""


@dataclass(frozen=True, slots=True)
class PaperKey:
    """What the paper's core is given: p and q of the same length, and d."""

    p: int
    q: int
    d: int

    @property
    def half_bits(self) -> int:
        """Bits of each prime."""
        return self.p.bit_length()


def remainder_cycles(half_bits: int) -> int:
    """Cycles of a restoring division of 2 * half_bits bits, one bit a cycle, and its start."""
    return 2 * half_bits + 1


def start_cycles(half_bits: int) -> int:
    """Remainders of d modulo p - 1 and y modulo p, in sequence; the other half beside them."""
    return 2 * remainder_cycles(half_bits)


def join_cycles(half_bits: int) -> int:
    """Steps from m_p, m_q to x: difference, product with q_inv, complement, product with q, sum.

    Both products take a bit a cycle, one cycle to start and one to end.
    """
    return 1 + (half_bits + 2) + 1 + (half_bits + 2) + 1


def inverse_bound(half_bits: int) -> int:
    """Cycles that `inverse` does not exceed.

    A division takes at most 3 cycles and one for each bit of its quotient behind the first. The
    quotients multiply to less than 2^half_bits, and the golden ratio bounds their number.
    """
    golden = (1 + math.sqrt(5)) / 2
    divisions = math.ceil(half_bits / math.log2(golden)) + 2
    return half_bits + 4 * divisions


def inverse(q: int, p: int) -> Counted:
    """The inverse of q modulo p by Algorithm 6, as the module's text corrects it.

    A division aligns the divisor in one cycle, then subtracts it or not in one cycle for each bit
    of the quotient, the same multiple of x0 from x1 beside it, and ends with an exchange.

    Raises:
        OperandError: q has no inverse modulo p.

    >>> inverse(7, 11).value
    8
    """
    if math.gcd(q, p) != 1 or p < 2:
        raise OperandError(
            f"Expected q prime to p > 1, came q of {q.bit_length()} and p of {p.bit_length()} "
            "bits with a common divisor; choose two different primes."
        )
    modulus, x0, x1, cycles = p, 0, 1, 0
    while q > 1:
        shift = q.bit_length() - p.bit_length()
        for place in range(shift, -1, -1):
            if q >= p << place:
                q, x1 = q - (p << place), x1 - (x0 << place)
            cycles += 1
        q, p, x0, x1 = p, q, x1, x0
        cycles += 2  # align, exchange
    return Counted(x1 + modulus if x1 < 0 else x1, cycles)


def decrypt(key: PaperKey, message: int, power: Power) -> Counted:
    """y^d mod pq by Algorithm 5 with everything that it derives.

    Args:
        key: p, q and d; both primes of the same length, so that one count holds for both halves.
        message: y, below p * q.
        power: Exponentiation of one half; the other runs beside it on a second engine.

    Raises:
        OperandError: The primes have different lengths, or y is out of range.

    Source: [LIAO24] Algorithm 5.
    """
    p, q, bits = key.p, key.q, key.half_bits
    if q.bit_length() != bits or not 0 <= message < p * q:
        raise OperandError(
            f"Expected q of {bits} bits as p and a message below their product, came q of "
            f"{q.bit_length()} and a message of {message.bit_length()} bits; give both anew."
        )
    m_p, m_q = (power(message % prime, key.d % (prime - 1), prime) for prime in (p, q))
    q_inv = inverse(q, p)
    h = (m_p.value - m_q.value) * q_inv.value % p
    halves = start_cycles(bits) + max(m_p.cycles, m_q.cycles)
    return Counted(m_q.value + h * q, max(halves, q_inv.cycles) + join_cycles(bits))
