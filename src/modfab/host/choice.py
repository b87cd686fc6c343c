# SPDX-License-Identifier: Apache-2.0
"""Which core computes for a key: the defaults of the command line and of the API, and what fits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from modfab.build.rsa import EXPONENT_WORDS, RsaCore, public_core, rsa_core
from modfab.catalog import ENGINES, Params, get_engine
from modfab.errors import OperandError
from modfab.host.defaults import (
    DEFAULT_ENGINE,
    PRIVATE_ENGINE,
    PUBLIC_SEQUENCER,
    WIDE_ENGINE,
)
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.models.rsa.program import (
    MAX_MODULUS_BITS,
    MAX_PRIME_BITS,
    MIN_PRIME_BITS,
    RsaShape,
)
from modfab.numbers import WORD_BITS, whole_words, words_of

_WIDE_PARAMS = {"NumElements": 32}  # a few elements compile in a minute, all of them in ten

PrivateCore = Literal["rsa", "modexp"]
Check = Literal["e", "again"]
Build = Literal["basic", "hardened"]

UNPROTECTED = (
    "The exponentiator (--core modexp) has neither blinding nor a check of its own: its power "
    "consumption shows the private key to who can measure it, and only the host compares the "
    "result. --core rsa has both."
)
"""Told where a private key goes to the exponentiator."""


@dataclass(frozen=True, slots=True)
class RsaOptions:
    """What only the RSA core has a choice of.

    Attributes:
        loaded: The core holds the key already, in this context.
    """

    engines: int = 1
    pair: bool = False
    blinding: bool = True
    derive: bool = False
    loaded: bool = False
    build: Build = "hardened"
    address_blinding: bool = False
    public_only: bool = False
    context: int = 0


@dataclass(frozen=True, slots=True)
class CoreChoice:
    """Which core: a device, an engine, and the sequencer that walks the exponent.

    Attributes:
        params: Engine parameters other than the defaults.
        check: How a private result is checked: with the public exponent, or by computing it again.
        rsa: The RSA core's options; None for the exponentiator.
    """

    device: str
    engine: str
    sequencer: str
    params: dict[str, int] = field(default_factory=dict, hash=False)
    check: Check = "e"
    rsa: RsaOptions | None = None

    @property
    def rsa_options(self) -> RsaOptions:
        """Those of the RSA core; the usual ones where the exponentiator was chosen."""
        return self.rsa or RsaOptions()

    def rsa_core(self, prime_bits: int, keygen: bool = False) -> RsaCore:
        """The RSA core for primes of that many bits; for n of so many with `public_only`.

        Args:
            prime_bits: Bits of the longer prime.
            keygen: It makes its keys.
        """
        options = self.rsa_options
        if options.public_only:
            return public_core(self.engine, prime_bits, self.params)
        return rsa_core(
            *(self.engine, prime_bits, self.params, self.sequencer),
            message_blinding=options.blinding,
            exponent_words=EXPONENT_WORDS[options.build] if options.blinding else 0,
            engines=options.engines,
            pair=options.pair,
            hardened=options.build == "hardened",
            address_blinding=options.address_blinding,
            keygen=keygen,
        )


def halves(
    engine: str, params: Params, engines: int | None = None, pair: bool | None = None
) -> tuple[int, bool]:
    """Engines, and whether they are a pair: one where an engine can be, unless told otherwise.

    Args:
        engine: Its name in the catalogue.
        params: Its parameters other than the defaults.
        engines, pair: As asked for; None where nothing was said.

    >>> halves("qp_systolic", {}, None, None), halves("sos", {}, None, None)
    ((2, True), (1, False))
    >>> halves("qp_systolic", {"NumElements": 4}, 2, None), halves("qp_systolic", {}, 1, None)
    ((2, False), (1, False))
    """
    if pair is None:
        port = get_engine(engine).pair
        fits = port is not None and all(
            params.get(name, value) == value for name, value in port.fixed.items()
        )
        pair = fits and engines != 1
    return engines or 1 + pair, pair


def public_choice(
    device: str, engine: str, key: RsaPublic, core: PrivateCore = "modexp"
) -> CoreChoice:
    """The core for a key's public operations; the default engine gives way to a wider one.

    Args:
        device, engine: By their names.
        key: Only n and e count.
        core: The exponentiator, or an RSA core for public operations only.

    Raises:
        UsageError: There is no such engine.
        OperandError: The key is too long for it, or for every engine.
    """
    params: dict[str, int] = {}
    if engine == DEFAULT_ENGINE and not _holds(engine, key):
        engine, params = WIDE_ENGINE, dict(_WIDE_PARAMS)
    rsa = RsaOptions(build="basic", blinding=False, public_only=True) if core == "rsa" else None
    choice = CoreChoice(device, engine, PUBLIC_SEQUENCER, params, rsa=rsa)
    check_fits(choice, key)
    return choice


def check_fits(choice: CoreChoice, key: RsaPublic) -> None:
    """Refuse a key that the chosen core cannot take, before anything is compiled or opened.

    Raises:
        UsageError: There is no such engine.
        OperandError: It cannot; the text says what can.
    """
    if choice.rsa is None:
        _check_modulus(choice, key)
    elif choice.rsa.public_only:
        _check_modulus(choice, key)
        if not MIN_PRIME_BITS <= key.num_bits <= MAX_MODULUS_BITS:
            raise OperandError(
                f"The RSA core for public operations takes keys of {MIN_PRIME_BITS} to "
                f"{MAX_MODULUS_BITS} bits, but this one has {key.num_bits} bits; choose --core "
                "modexp."
            )
    elif isinstance(key, RsaPrivate):
        check_primes(key)


def check_primes(key: RsaPrivate) -> None:
    """Refuse a key whose primes the RSA core cannot take.

    Raises:
        OperandError: Their lengths differ too much, or they are too short or too long.
    """
    if not key.p:
        raise OperandError(
            "The RSA core computes with two primes, but this key has more of them; "
            f"{who_takes(key)}."
        )
    short, long = sorted((key.p.bit_length(), key.q.bit_length()))
    if MIN_PRIME_BITS <= long <= MAX_PRIME_BITS:
        shape = RsaShape(max(MIN_PRIME_BITS, prime_bits_of(key)))
        if short > WORD_BITS * shape.chunk_words:
            return
    raise OperandError(
        f"The RSA core takes two primes of {MIN_PRIME_BITS} to {MAX_PRIME_BITS} bits each and of "
        f"as many {WORD_BITS}-bit words as each other, but those of this key have {long} and "
        f"{short} bits; {who_takes(key)}."
    )


def who_takes(key: RsaPublic) -> str:
    """What computes with a key that the RSA core does not take, as the end of a sentence."""
    able = [name for name in (PRIVATE_ENGINE, DEFAULT_ENGINE) if _holds(name, key)]
    if not able:
        return f"no core takes a key of {key.num_bits} bits"
    core = "--core modexp" if able[0] == PRIVATE_ENGINE else f"--core modexp --engine {able[0]}"
    return f"{core} takes it, without blinding and without a check in the core"


def prime_bits_of(key: RsaPublic) -> int:
    """How wide a core this key needs: whole words when both primes have as many.

    Without its factors it is taken for one of two primes of the same length.

    >>> prime_bits_of(RsaPrivate(n=0, e=3, d=0, p=1 << 64, q=1 << 70))
    96
    """
    if not isinstance(key, RsaPrivate):
        return -(-key.num_bits // 2)
    bits = max(key.p.bit_length(), key.q.bit_length())
    same = words_of(key.p.bit_length()) == words_of(key.q.bit_length())
    whole = whole_words(bits)
    return whole if same and whole <= MAX_PRIME_BITS else bits


def _bits_of(engine: str) -> range:
    """The lengths of moduli that an engine takes."""
    legal = next(p.legal for p in get_engine(engine).parameters if p.name == "NumBits")
    return range(min(legal), max(legal) + 1)


def _holds(engine: str, key: RsaPublic) -> bool:
    return whole_words(key.num_bits) in _bits_of(engine)


def _check_modulus(choice: CoreChoice, key: RsaPublic) -> None:
    legal = _bits_of(choice.engine)
    if whole_words(key.num_bits) in legal:
        return
    able = [name for name in ENGINES if _holds(name, key)]
    if not able:
        most = max(_bits_of(name)[-1] for name in ENGINES)
        raise OperandError(
            f"No engine takes a key of {key.num_bits} bits, the longest is {most}; use a shorter "
            "key."
        )
    raise OperandError(
        f"The engine {choice.engine} takes keys of {legal[0]} to {legal[-1]} bits, but this one "
        f"has {key.num_bits} bits; choose --engine {' or '.join(able)}."
    )
