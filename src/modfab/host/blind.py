# SPDX-License-Identifier: Apache-2.0
"""RSA blind signatures (RFC 9474): a signer signs on a core what it cannot read.

The client calls `prepare`, `blind` and, with the answer, `finalize`; the signer calls `blind_sign`.
The outcome is an ordinary PSS signature, which `modfab.host.signature.verify` and OpenSSL check.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import gcd

from Crypto.Signature import pss

from modfab.errors import OperandError
from modfab.host.core_key import CoreKey, ModExp
from modfab.host.digests import Digest, Hash, mask_function, new_digest
from modfab.host.keys import RsaPublic
from modfab.host.signature import check_signer, verify
from modfab.host.signature_options import Signature, SignatureOptions

_HASH = Hash.SHA384
_PREFIX_BYTES = 32
RandomBytes = Callable[[int], bytes]
"""Random bytes, that many; `secrets.token_bytes` but in tests with known answers."""


class Variant(str, Enum):
    """The four variants of RFC 9474, section 5, all with SHA-384 and MGF1 with SHA-384.

    PSS has a salt of 48 bytes, PSSZERO none; randomized ones put 32 random bytes
    before the message.
    """

    PSS_RANDOMIZED = "RSABSSA-SHA384-PSS-Randomized"
    PSSZERO_RANDOMIZED = "RSABSSA-SHA384-PSSZERO-Randomized"
    PSS_DETERMINISTIC = "RSABSSA-SHA384-PSS-Deterministic"
    PSSZERO_DETERMINISTIC = "RSABSSA-SHA384-PSSZERO-Deterministic"

    @property
    def randomized(self) -> bool:
        """Whether the message gets a random prefix."""
        return self.value.endswith("Randomized")

    @property
    def salt_bytes(self) -> int:
        """Length of the salt."""
        return 0 if "PSSZERO" in self.value else new_digest(_HASH).digest_size

    @property
    def options(self) -> SignatureOptions:
        """How the finished signature is verified."""
        return SignatureOptions(Signature.PSS, _HASH, _HASH, self.salt_bytes)


@dataclass(frozen=True, slots=True, repr=False)
class Blinded:
    """A blinded message for the signer, and the client's secret that takes the blinding off.

    Attributes:
        message: Goes to the signer; as many bytes as the modulus.
        inverse: Stays with the client.
    """

    message: bytes
    inverse: int

    def __repr__(self) -> str:
        return f"Blinded({len(self.message)} bytes)"


def prepare(
    message: bytes, variant: Variant, random_bytes: RandomBytes = secrets.token_bytes
) -> bytes:
    """The message that is signed; it is needed again to finalize and to verify.

    Source: RFC 9474, section 4.1.

    >>> prepare(b"token", Variant.PSS_DETERMINISTIC)
    b'token'
    """
    return random_bytes(_PREFIX_BYTES) + message if variant.randomized else message


def blind(
    prepared: bytes,
    key: RsaPublic,
    modexp: ModExp,
    variant: Variant,
    random_bytes: RandomBytes = secrets.token_bytes,
    factor: int | None = None,
) -> Blinded:
    """Encode and blind a prepared message.

    Args:
        prepared: From `prepare`.
        key: Public key of the signer.
        modexp: x -> x**e mod n.
        variant: As agreed with the signer.
        random_bytes: Makes the salt.
        factor: The blinding factor, for known answers; None takes a random one.

    Raises:
        OperandError: The key is too small; or message or factor share a divisor with n, which
            would factor it.

    Source: RFC 9474, section 4.2.
    """
    digest = new_digest(_HASH, prepared)
    check_signer(digest, key, variant.options)
    encoded = _encoded(digest, key, variant, random_bytes)
    factor = 1 + secrets.randbelow(key.n - 1) if factor is None else factor
    if gcd(encoded, key.n) != 1 or gcd(factor, key.n) != 1:
        raise OperandError(
            "Expected a message and a blinding factor without a common divisor with n, but one has "
            "it, so this is no key for signatures; get the signer's key again."
        )
    number = encoded * modexp(factor) % key.n
    return Blinded(number.to_bytes(key.num_bytes, "big"), pow(factor, -1, key.n))


def blind_sign(blinded: bytes, key: RsaPublic, modexp: ModExp) -> bytes:
    """Sign a blinded message, as its signer.

    Args:
        blinded: What a client sent.
        key: Private key, or its public half where the core holds the rest; use it for blind
            signatures only.
        modexp: x -> x**d mod n; a core's, which checks its result before it shows it.

    Raises:
        OperandError: The length is wrong, or the number is not below n.

    Source: RFC 9474, section 4.3.
    """
    return modexp(_number(blinded, key, "blinded message")).to_bytes(key.num_bytes, "big")


def finalize(
    prepared: bytes,
    blind_signature: bytes,
    inverse: int,
    key: RsaPublic,
    modexp: ModExp,
    variant: Variant,
) -> bytes:
    """Take the blinding off and check the signature.

    Args:
        prepared: From `prepare`.
        blind_signature: The signer's answer.
        inverse: From `blind`.
        key: Public key of the signer.
        modexp: x -> x**e mod n.
        variant: As agreed with the signer.

    Returns:
        A PSS signature of the prepared message.

    Raises:
        OperandError: The answer has a wrong length, or is not below n.
        CryptoError: The signature is not valid: the signer did not sign with this key.

    Source: RFC 9474, section 4.4.
    """
    number = _number(blind_signature, key, "blind signature") * inverse % key.n
    signature = number.to_bytes(key.num_bytes, "big")
    verify(new_digest(_HASH, prepared), signature, key, modexp, variant.options)
    return signature


def _encoded(digest: Digest, key: RsaPublic, variant: Variant, random_bytes: RandomBytes) -> int:
    """EMSA-PSS-ENCODE: the scheme's signature when the exponentiation changes nothing."""
    bound = CoreKey(key, public=lambda value: value, private=lambda value: value)
    encoder = pss.new(
        bound, mask_func=mask_function(_HASH), salt_bytes=variant.salt_bytes, rand_func=random_bytes
    )
    return int.from_bytes(encoder.sign(digest), "big")


def _number(data: bytes, key: RsaPublic, what: str) -> int:
    number = int.from_bytes(data, "big")
    if len(data) != key.num_bytes or number >= key.n:
        raise OperandError(
            f"Expected a {what} of {key.num_bytes} bytes and below the modulus, but it has "
            f"{len(data)} bytes or is not below it; check that it was made with this key."
        )
    return number
