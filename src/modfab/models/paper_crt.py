# SPDX-License-Identifier: Apache-2.0
"""Decryption with CRT as a paper counts it: everything for every message, binary method.

A model of `mf_liao_chen_rsa`, [LIAO24] Algorithms 5 and 6, outside the RSA core: nothing is kept
between messages, nothing is blinded or checked. Values and cycles are those of the RTL, whose units
take one bit a cycle beside the products of an engine.

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
from modfab.numbers import words_of


@dataclass(frozen=True, slots=True)
class Counted:
    """A value and the cycles until it is there."""

    value: int
    cycles: int


ModExp = Callable[[int, int, int], Counted]
"""Base, exponent, modulus -> the result, by an engine and a right-to-left sequencer."""


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


def reduce_cycles(half_bits: int, setup_cycles: int) -> int:
    """Cycles until the exponentiations start: remainders, beside them the set-up of the engines.

    The remainders of d and y take 2 * half_bits cycles and one to end. The set-up comes behind its
    modulus, one word every second cycle, and seven cycles of `mf_modexp`'s states.

    Args:
        half_bits: Bits of each prime.
        setup_cycles: The engine's.
    """
    return max(2 * half_bits + 1, 2 * words_of(half_bits) + setup_cycles + 7)


def half_cycles(half_bits: int, exp_cycles: int) -> int:
    """Cycles of an exponentiation with the base's way in and the result's way out.

    Args:
        half_bits: Bits of each prime.
        exp_cycles: First product to first word of the result.
    """
    return 3 * words_of(half_bits) + exp_cycles + 7


def join_cycles(half_bits: int) -> int:
    """Steps from m_p, m_q to x: difference, product with q_inv, complement, product with q, end.

    Both products take a bit a cycle.
    """
    return 1 + half_bits + 1 + half_bits + 1


def inverse_bound(half_bits: int) -> int:
    """Cycles that `inverse` does not exceed.

    A division takes 2 cycles and 2 for each bit of its quotient. The quotients multiply to less
    than 2^half_bits, so their bits are at most that and one each; the golden ratio bounds their
    number.
    """
    golden = (1 + math.sqrt(5)) / 2
    divisions = math.ceil(half_bits / math.log2(golden)) + 2
    return 2 * half_bits + 4 * divisions + 2


def inverse(q: int, p: int) -> Counted:
    """The inverse of q modulo p by Algorithm 6, as the module's text corrects it.

    A division moves the divisor and x0 up, a place a cycle, until the divisor exceeds the dividend,
    turns in one cycle, subtracts on the way down, and ends with an exchange in one cycle. The loop
    ends one division later than q > 1 does where q = 1 from the start, with the same value.

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
    modulus, x0, x1, cycles = p, 0, 1, 2  # the end is seen, the sign corrected
    while p > 0:
        places = (q // p).bit_length()
        for place in reversed(range(places)):
            if q >= p << place:
                q, x1 = q - (p << place), x1 - (x0 << place)
        q, p, x0, x1 = p, q, x1, x0
        cycles += 2 * places + (2 if places else 1)
    return Counted(x1 + modulus if x1 < 0 else x1, cycles)


def decrypt_cycles(half_bits: int, setup_cycles: int, exp_cycles: int) -> int:
    """Cycles of `decrypt`; the inverse ends before the exponentiations.

    Args:
        half_bits: Bits of each prime.
        setup_cycles: The engine's.
        exp_cycles: First product of an exponentiation to first word of its result.

    >>> decrypt_cycles(128, 258, 33_282)
    33833
    """
    halves = reduce_cycles(half_bits, setup_cycles) + half_cycles(half_bits, exp_cycles)
    return halves + join_cycles(half_bits)


def decrypt(key: PaperKey, message: int, modexp: ModExp, setup_cycles: int = 0) -> Counted:
    """y^d mod pq by Algorithm 5 with everything that it derives.

    Args:
        key: p, q and d; both primes of the same length, so that one count holds for both halves.
        message: y, below p * q.
        modexp: Exponentiation of one half; the other runs beside it on a second engine.
        setup_cycles: The engine's.

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
    m_p, m_q = (modexp(message % prime, key.d % (prime - 1), prime) for prime in (p, q))
    q_inv = inverse(q, p)
    h = (m_p.value - m_q.value) * q_inv.value % p
    cycles = decrypt_cycles(bits, setup_cycles, max(m_p.cycles, m_q.cycles))
    return Counted(m_q.value + h * q, max(cycles, q_inv.cycles + join_cycles(bits)))
