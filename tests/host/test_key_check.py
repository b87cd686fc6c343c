# SPDX-License-Identifier: Apache-2.0
"""Keys made in Python: what no file could hold is refused before it reaches a core."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.build.rsa import rsa_core
from modfab.errors import DeviceError, OperandError
from modfab.host.check import checked_result
from modfab.host.key_check import (
    check_factors,
    check_length,
    check_prime_lengths,
    check_private,
    check_private_quickly,
    check_public,
)
from modfab.host.key_source import read_key
from modfab.host.keys import RsaPrivate, RsaPublic, without_e
from modfab.host.open import open_device
from modfab.host.rsa import RsaOnModexp
from modfab.host.rsa_open import RsaUnit, open_rsa_device
from tests.support.rsa_core import private_key
from tests.support.rsa_keys import ours, shared_key


@dataclass(frozen=True)
class Bad:
    """A way to spoil a key, and what is said of it."""

    spoil: Callable[[RsaPrivate], RsaPrivate]
    text: str


PAIR = "p and q must differ and have no common factor"
FACTORS = {
    "n": Bad(lambda key: replace(key, n=key.n + 2), "n must be the product of p and q"),
    "q is p": Bad(lambda key: replace(key, n=key.p**2, q=key.p), PAIR),
    "shared": Bad(lambda key: replace(key, n=3 * key.p**2, q=3 * key.p), PAIR),
    "one prime": Bad(lambda key: replace(key, q=0), "p and q must be odd and greater than 2"),
    "even p": Bad(lambda key: replace(key, p=key.p + 1), "p and q must be odd"),
    "negative p": Bad(lambda key: replace(key, p=-key.p, q=-key.q), "p and q must be odd and gre"),
    "p is 1": Bad(lambda key: replace(key, p=1, q=key.n), "p and q must be odd and greater than 2"),
    "d is 0": Bad(lambda key: replace(key, d=0), "d must be above 0 and below n"),
    "d above n": Bad(lambda key: replace(key, d=key.d + key.n), "d must be above 0 and below n"),
    "even e": Bad(lambda key: replace(key, e=key.e + 1), "e must be odd, at least 3 and below n"),
    "e is 1": Bad(lambda key: replace(key, e=1), "e must be odd, at least 3 and below n"),
    "e above n": Bad(lambda key: replace(key, e=key.n + 2), "e must be odd, at least 3 and below"),
    "negative e": Bad(lambda key: replace(key, e=-3), "e must be odd, at least 3 and below n"),
}
WHOLE = {
    "wrong d": Bad(lambda key: replace(key, d=key.d ^ 2), "e d must be 1 modulo p - 1"),
    "wrong e": Bad(lambda key: replace(key, e=key.e + 2), "e d must be 1 modulo p - 1"),
    "d of p": Bad(lambda key: replace(key, d=key.d % (key.p - 1)), "modulo p - 1 and modulo q - 1"),
    "d of q": Bad(lambda key: replace(key, d=key.d % (key.q - 1)), "modulo p - 1 and modulo q - 1"),
    "three primes": Bad(
        lambda key: replace(key, n=15 * key.p, q=15, d=pow(key.e, -1, 8 * (key.p - 1))),
        "p and q must be primes",
    ),
}
UNKNOWN_FACTORS = {
    "even n": Bad(lambda key: replace(key, n=key.n + 1, p=0, q=0), "n must be odd"),
    "wrong d": Bad(lambda key: replace(key, d=key.d ^ 2, p=0, q=0), "e and d must belong toget"),
    "no n": Bad(lambda key: replace(key, n=0, e=0, p=0, q=0), "n must be odd and greater than 2"),
    "d of n": Bad(lambda key: replace(key, d=key.n, e=0, p=0, q=0), "d must be above 0 and below"),
}


@pytest.mark.parametrize("name", FACTORS)
def test_wrong_factors(rng: random.Random, name: str) -> None:
    bad = FACTORS[name].spoil(private_key(rng))
    for check in (check_factors, check_private, check_private_quickly):
        with pytest.raises(OperandError, match=f"no RSA key: {FACTORS[name].text}"):
            check(bad)


@pytest.mark.parametrize("name", WHOLE)
def test_wrong_exponents_and_primes(rng: random.Random, name: str) -> None:
    bad = WHOLE[name].spoil(private_key(rng))
    check_factors(bad)  # the core sees what is left
    for check in (check_private, check_private_quickly):
        with pytest.raises(OperandError, match=WHOLE[name].text):
            check(bad)


@pytest.mark.parametrize("name", UNKNOWN_FACTORS)
def test_unknown_factors(rng: random.Random, name: str) -> None:
    key = private_key(rng)
    check_private(replace(key, p=0, q=0))
    with pytest.raises(OperandError, match=UNKNOWN_FACTORS[name].text):
        check_private(UNKNOWN_FACTORS[name].spoil(key))


def test_good_keys(rng: random.Random) -> None:
    for key in (private_key(rng), ours(shared_key(1024))):
        for form in (key, without_e(key), replace(key, p=key.q, q=key.p)):
            check_private(form)
            check_private_quickly(form)
        lcm_form = replace(key, d=pow(key.e, -1, (key.p - 1) * (key.q - 1) // 2))
        check_private(lcm_form)
        check_public(key)
        check_public(key.public())


def test_a_power_is_below_the_modulus(rng: random.Random) -> None:
    """A result plus n would let a core choose between two answers, and leak by that."""
    key = private_key(rng)
    value = pow(5, key.d, key.n)
    assert checked_result(value, 5, key) == value
    for other in (value + key.n, value - key.n, value + 1):
        with pytest.raises(DeviceError, match="returned a wrong result, which the check caught"):
            checked_result(other, 5, key)


@pytest.mark.parametrize(("n", "e"), [(0, 3), (1, 3), (77, 1), (77, 4), (77, 77), (78, 5), (77, 0)])
def test_public(n: int, e: int) -> None:
    for check in (check_public, read_key):
        with pytest.raises(OperandError, match="These numbers are no RSA key"):
            check(RsaPublic(n=n, e=e))
    if n % 2:  # the library leaves an even n to OpenSSL
        with pytest.raises(ValueError, match="must be"):
            rsa.RSAPublicNumbers(n=n, e=e).public_key()


def test_lengths_at_their_limits() -> None:
    """More than the least, and the most itself."""
    public = RsaPublic(n=1 << 63 | 1, e=3)
    private = RsaPrivate(n=0, e=3, d=1, p=1 << 63 | 1, q=1 << 63 | 3)
    check_length(public, 63, 64)
    check_prime_lengths(private, 63, 64)
    for below, most in ((64, 65), (62, 63)):
        with pytest.raises(OperandError, match="but this one has 64 bits"):
            check_length(public, below, most)
        with pytest.raises(OperandError, match="the key has one of 64 bits"):
            check_prime_lengths(private, below, most)


@pytest.mark.parametrize("n", [78, 1])
def test_a_modulus_alone(n: int) -> None:
    """Neither e nor the factors are known."""
    with pytest.raises(OperandError, match="n must be odd and greater than 2"):
        check_private(RsaPrivate(n=n, e=0, d=1, p=0, q=0))


@pytest.mark.parametrize("name", [*FACTORS, *WHOLE])
def test_no_core_gets_such_a_key(rng: random.Random, name: str) -> None:
    key = private_key(rng)
    bad = (FACTORS | WHOLE)[name]
    with open_rsa_device("model", rsa_core("bit_serial", 64, {"BitsPerClock": 8})) as device:
        if name in FACTORS:
            with pytest.raises(OperandError, match=bad.text):
                device.load_key(bad.spoil(key))
        with pytest.raises(OperandError, match=bad.text):
            RsaUnit(device).private_operation(bad.spoil(key))
        with pytest.raises(OperandError, match="No key is set up"):
            device.private(1)
        assert RsaUnit(device).private_operation(key)(5) == pow(5, key.d, key.n)
    with open_device("model", "bit_serial", 128, "ladder", {"BitsPerClock": 8}) as modexp:
        core = RsaOnModexp(modexp)
        with pytest.raises(OperandError, match=bad.text):
            core.private_operation(bad.spoil(key))
        assert core.last is None
        assert core.private_operation(key)(5) == pow(5, key.d, key.n)


def test_the_exponentiator_takes_public_keys_only(rng: random.Random) -> None:
    key = private_key(rng)
    with open_device("model", "bit_serial", 128, "l2r", {"BitsPerClock": 8}) as modexp:
        core = RsaOnModexp(modexp)
        with pytest.raises(OperandError, match="e must be odd"):
            core.public_operation(RsaPublic(n=key.n, e=4))
        assert core.public_operation(key)(5) == pow(5, key.e, key.n)


def test_the_core_refuses_what_only_it_can_see(rng: random.Random) -> None:
    key, config = private_key(rng), rsa_core("bit_serial", 64, {"BitsPerClock": 8})
    refused = pytest.raises(DeviceError, match="The RSA core refused the key")
    with open_rsa_device("model", config) as device, refused:
        device.load_key(replace(key, d=key.d ^ 2))
