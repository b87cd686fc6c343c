# SPDX-License-Identifier: Apache-2.0
"""Keys made in Python are held to what `cryptography` demands of keys from files."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from Crypto.Math.Primality import COMPOSITE, miller_rabin_test, test_probable_prime

from modfab.errors import OperandError
from modfab.host.keys import RsaPrivate, RsaPublic

_TRIAL = 2  # the base of an exponentiation that shows whether e and d belong together
_MIN_E = 3


def check_public(key: RsaPublic) -> None:
    """Refuse a public key that is none.

    Raises:
        OperandError: n is even or too small, or e is even or out of range.

    >>> check_public(RsaPublic(n=77, e=7))
    """
    if key.n < _MIN_E or key.n % 2 == 0:
        raise _refused("n must be odd and greater than 2")
    if not (_MIN_E <= key.e < key.n and key.e % 2):
        raise _refused("e must be odd, at least 3 and below n")


def check_length(key: RsaPublic, below: int, most: int) -> None:
    """Refuse a modulus whose length a core was not built for: more than `below`, at most `most`.

    Raises:
        OperandError: It is shorter or longer.

    >>> check_length(RsaPublic(n=77, e=7), 6, 8)
    """
    if not below < key.num_bits <= most:
        raise OperandError(
            f"The core takes keys of {below + 1} to {most} bits, but this one has {key.num_bits} "
            "bits; use a core that was built for this key."
        )


def check_prime_lengths(key: RsaPrivate, below: int, most: int) -> None:
    """The same of both primes.

    Raises:
        OperandError: One is shorter or longer.
    """
    for prime in (key.p, key.q):
        if not below < prime.bit_length() <= most:
            raise OperandError(
                f"The core takes primes of {below + 1} to {most} bits, but the key has one of "
                f"{prime.bit_length()} bits; use a core that was built for this key."
            )


def check_factors(key: RsaPrivate) -> None:
    """Refuse a private key whose factors do not make its modulus; the core checks the rest.

    Args:
        key: Where its `e` is 0, the public exponent is unknown.

    Raises:
        OperandError: n is not p q, p and q share a factor, or a number is out of range.

    >>> check_factors(RsaPrivate(n=77, e=7, d=43, p=7, q=11))
    """
    if key.e:
        check_public(key)
    if not (key.p > 2 and key.q > 2 and key.p % 2 and key.q % 2):
        raise _refused("p and q must be odd and greater than 2")
    if gcd(key.p, key.q) != 1:
        raise _refused("p and q must differ and have no common factor")
    if key.n != key.p * key.q:
        raise _refused("n must be the product of p and q")
    _check_d(key)


def check_private(key: RsaPrivate) -> None:
    """Refuse a private key that is none, as the loader of files does.

    Args:
        key: Where its `e` is 0, the public exponent is unknown. Factors that are both 0 are
            unknown as well; e and d are then tried on a number.

    Raises:
        OperandError: As `check_factors`; a factor is not prime, or e and d do not fit.
    """
    if not key.p and not key.q:
        if key.e:
            check_public(key)
        _check_d(key)
        if key.e and pow(pow(_TRIAL, key.e, key.n), key.d, key.n) != _TRIAL:
            raise _refused("e and d must belong together")
        return
    check_factors(key)
    _check_primes(key, test_probable_prime)


def check_private_quickly(key: RsaPrivate) -> None:
    """The same of a key of two factors, quick enough to be done before each of its operations.

    Each factor gets one round of Miller-Rabin, which a composite passes with a probability below
    1/4, and one that was not sought for it hardly ever.

    Raises:
        OperandError: As `check_private`, and when both factors are unknown.

    >>> check_private_quickly(RsaPrivate(n=77, e=7, d=43, p=7, q=11))
    """
    check_factors(key)
    _check_primes(key, lambda factor: miller_rabin_test(factor, 1))


def _check_primes(key: RsaPrivate, test: Callable[[int], int]) -> None:
    if COMPOSITE in (test(key.p), test(key.q)):
        raise _refused("p and q must be primes")
    if key.e and any(key.e * key.d % (prime - 1) != 1 for prime in (key.p, key.q)):
        raise _refused("e d must be 1 modulo p - 1 and modulo q - 1")


def _check_d(key: RsaPrivate) -> None:
    if key.n < _MIN_E or key.n % 2 == 0:
        raise _refused("n must be odd and greater than 2")
    if not 0 < key.d < key.n:
        raise _refused("d must be above 0 and below n")


def _refused(rule: str) -> OperandError:
    return OperandError(
        f"These numbers are no RSA key: {rule}; check where they come from, or let openssl genrsa "
        "make a key."
    )
