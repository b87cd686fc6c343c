# SPDX-License-Identifier: Apache-2.0
"""What an RSASSA-PSS key allows: the parameters that its file ties it to.

`cryptography` opens such a key like any other and drops the restriction, so it is read here, from
the algorithm identifier beside the key, with pycryptodome's ASN.1.
"""

from __future__ import annotations

from dataclasses import dataclass

from Crypto.IO import PKCS8
from Crypto.Util.asn1 import DerBitString, DerInteger, DerObject, DerObjectId, DerSequence

from modfab.errors import CryptoError
from modfab.host.digests import Hash, hash_of_oid
from modfab.host.key_asn1 import SEQUENCE, blocks_of

_RSASSA_PSS = "1.2.840.113549.1.1.10"
_MGF1 = "1.2.840.113549.1.1.8"
_FIRST_FIELD = 0xA0
"""Tag of hashAlgorithm [0]; mask, salt and trailer follow."""


@dataclass(frozen=True, slots=True)
class PssLimits:
    """A key for PSS signatures only.

    Attributes:
        hash_name: The only hash it signs with; None allows every one.
        mgf_hash: The only hash of its mask, None as above.
        min_salt: Bytes that the salt has at least, and by default.
    """

    hash_name: Hash | None = None
    mgf_hash: Hash | None = None
    min_salt: int = 0


def private_limits(data: bytes, passphrase: bytes | None, modulus: int) -> PssLimits | None:
    """What a file with a private key says of its use.

    Args:
        data: The file, PEM or DER.
        passphrase: Opens the key where it is encrypted, as it has before.
        modulus: Of the key that was read from it.

    Returns:
        The limits; None for a key without any.

    Raises:
        CryptoError: They cannot be read, or demand what modfab does not have.
    """
    for label, der in blocks_of(data):
        if label not in (None, b"PRIVATE KEY", b"ENCRYPTED PRIVATE KEY"):
            continue
        try:
            oid, inner, parameters = PKCS8.unwrap(der, passphrase)
        except (ValueError, IndexError, TypeError):
            if label == b"ENCRYPTED PRIVATE KEY" or (label is None and passphrase is not None):
                raise _closed() from None
            continue
        if oid == _RSASSA_PSS and _holds(inner, modulus):
            return _limits(parameters)
    return None


def public_limits(data: bytes, modulus: int) -> PssLimits | None:
    """As `private_limits`, for a file with a public key or a certificate."""
    for label, der in blocks_of(data):
        if label not in (None, b"PUBLIC KEY", b"CERTIFICATE", b"X509 CERTIFICATE"):
            continue
        try:
            oid, parameters, inner = _public_info(der)
        except (ValueError, IndexError, TypeError):  # another form of key
            continue
        if oid == _RSASSA_PSS and _holds(inner, modulus):
            return _limits(parameters)
    return None


def _public_info(der: bytes) -> tuple[str, bytes | None, bytes]:
    """Algorithm, its parameters and the key, of a SubjectPublicKeyInfo or a certificate."""
    outer = DerSequence().decode(der)
    if len(outer) == 3:  # a certificate: the key is the sixth field after the optional version
        fields = DerSequence().decode(outer[0])  # the first one is the number otherwise
        outer = DerSequence().decode(fields[5 if isinstance(fields[0], int) else 6])
    algorithm = DerSequence().decode(outer[0])
    parameters = algorithm[1] if len(algorithm) > 1 else None
    return (
        DerObjectId().decode(algorithm[0]).value,
        parameters,
        DerBitString().decode(outer[1]).value,
    )


def _holds(inner: bytes, modulus: int) -> bool:
    """Whether this RSAPublicKey or RSAPrivateKey has the modulus."""
    return modulus in DerSequence().decode(inner)[:2]


def _limits(parameters: bytes | None) -> PssLimits:
    """RSASSA-PSS-params of RFC 8017, appendix A.2.3; without them every hash is allowed."""
    if parameters is None:
        return PssLimits()
    try:
        if parameters[0] != SEQUENCE:  # TypeError for an INTEGER, which DerSequence gives as int
            return PssLimits()
        items = DerSequence().decode(parameters)[:]
        fields = {item[0] - _FIRST_FIELD: DerObject().decode(item).payload for item in items}
        if not fields.keys() <= {0, 1, 2, 3}:
            raise _unknown()
        hash_name, mgf_hash = Hash.SHA1, Hash.SHA1
        if 0 in fields:
            hash_name = _hash(fields[0])
        if 1 in fields:
            mask = DerSequence().decode(fields[1])
            if DerObjectId().decode(mask[0]).value != _MGF1:
                raise _unknown()
            mgf_hash = _hash(mask[1])
        salt = DerInteger().decode(fields[2]).value if 2 in fields else 20
        trailer = DerInteger().decode(fields[3]).value if 3 in fields else 1
    except (ValueError, IndexError, TypeError):
        raise _unknown() from None
    if trailer != 1 or salt < 0:
        raise _unknown()
    return PssLimits(hash_name, mgf_hash, salt)


def _hash(algorithm: bytes) -> Hash:
    found = hash_of_oid(DerObjectId().decode(DerSequence().decode(algorithm)[0]).value)
    if found is None:
        raise _unknown()
    return found


def _unknown() -> CryptoError:
    return CryptoError(
        "Expected an RSA-PSS key with a known hash and MGF1, but its parameters name something "
        "else or are damaged; look at them with openssl pkey -text."
    )


def _closed() -> CryptoError:
    return CryptoError(
        "The encryption of this key hides whether the key is for PSS only (modfab reads PBES2 and "
        "the PBES1 of PKCS#5, not that of PKCS#12); encrypt it anew with openssl pkcs8 -topk8 "
        "-v2 aes-256-cbc."
    )
