# SPDX-License-Identifier: Apache-2.0
"""How a file is signed: what was asked for, what the key allows, and what follows from both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from modfab.errors import UsageError
from modfab.host.digests import Hash, new_digest
from modfab.host.keys import RsaPublic
from modfab.host.pss_limits import PssLimits


class Signature(str, Enum):
    """Paddings of signatures: PSS or PKCS#1 v1.5."""

    PSS = "pss"
    PKCS1 = "pkcs1"


class Salt(str, Enum):
    """Lengths of the salt of PSS beside a number of bytes, as OpenSSL names them.

    DIGEST: that of the hash. MAX: the longest that fits. AUTO: the longest when signing, any when
    verifying.
    """

    DIGEST = "digest"
    MAX = "max"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class SignatureScheme:
    """What is used, after `SignatureOptions` met a key; the mask and the salt are of PSS only."""

    padding: Signature
    hash_name: Hash
    mgf_hash: Hash
    salt: Salt | int


@dataclass(frozen=True, slots=True)
class SignatureOptions:
    """What is asked for; None leaves a choice to the key and, where it has none, to the default.

    Attributes:
        padding: PSS or PKCS#1 v1.5.
        hash_name: Hash of the file; by default the one an RSA-PSS key demands, or SHA-256.
        mgf_hash: Hash of the mask of PSS, MGF1; by default the key's, or `hash_name`.
        salt: Length of the salt of PSS, a word or bytes; by default the key's or, without limits,
            `digest` to sign and `auto` to verify.
        allow_sha1: Sign even with SHA-1, for which collisions are known.

    Raises:
        UsageError: A mask hash or a salt for a padding without them, or a salt that is no length.

    >>> SignatureOptions().for_verifying(RsaPublic(n=1 << 2047, e=3)).salt.name
    'AUTO'
    """

    padding: Signature = Signature.PSS
    hash_name: Hash | None = None
    mgf_hash: Hash | None = None
    salt: Salt | int | None = None
    allow_sha1: bool = False

    def __post_init__(self) -> None:
        given = {"mgf-hash": self.mgf_hash, "salt": self.salt}
        extra = next((name for name, value in given.items() if value is not None), None)
        if extra is not None and self.padding is not Signature.PSS:
            raise UsageError(
                f"--{extra} belongs to --padding pss, but the padding is {self.padding.value}; "
                "leave one of them out."
            )
        whole = isinstance(self.salt, int) and not isinstance(self.salt, bool) and self.salt >= 0
        if self.salt is not None and not isinstance(self.salt, Salt) and not whole:
            raise UsageError(
                f"Expected a salt of 0 bytes or more, but got {self.salt!r}; give a number, "
                "digest, max or auto."
            )

        names = (self.hash_name, self.mgf_hash)
        shakes = {name for name in names if name is not None and name.is_shake}
        mixed = self.mgf_hash is not None and self.mgf_hash is not self.hash_name
        if shakes and (self.padding is not Signature.PSS or mixed):
            raise UsageError(
                "SHAKE signs with --padding pss only and makes its own mask (RFC 8702), but "
                "another padding or another --mgf-hash was asked for; leave them out, or choose "
                "another --hash."
            )

    def for_signing(self, key: RsaPublic) -> SignatureScheme:
        """How to sign with a key.

        Raises:
            UsageError: The key does not allow it, or the hash is SHA-1 and nobody allowed that.
        """
        scheme = self._for(key, Salt.DIGEST)
        if scheme.hash_name is Hash.SHA1 and not self.allow_sha1:
            raise UsageError(
                "A signature with sha1 can be forged, since collisions are known, so none is made "
                "unless it is asked for; choose --hash sha256, or add --allow-sha1."
            )
        return scheme

    def for_verifying(self, key: RsaPublic) -> SignatureScheme:
        """How to verify with a key.

        Raises:
            UsageError: The key does not allow it.
        """
        scheme = self._for(key, Salt.AUTO)
        if key.pss is not None and key.pss.hash_name is not None and scheme.salt is Salt.AUTO:
            raise UsageError(
                "The parameters of this RSA-PSS key demand a salt of known length, but --salt auto "
                "accepts any; leave it out, or give a number, digest or max."
            )
        return scheme

    def _for(self, key: RsaPublic, salt: Salt) -> SignatureScheme:
        limits = key.pss or PssLimits()
        if key.pss is not None and self.padding is not Signature.PSS:
            raise UsageError(
                f"An RSA-PSS key signs with --padding pss only, but the padding is "
                f"{self.padding.value}; choose pss, or another key."
            )
        hash_name = _allowed(self.hash_name, limits.hash_name, "hash") or Hash.SHA256
        mgf_hash = _allowed(self.mgf_hash, limits.mgf_hash, "mgf-hash") or hash_name
        own = limits.min_salt if limits.hash_name is not None else salt
        chosen = own if self.salt is None else self.salt
        if limits.min_salt:
            _check_salt(chosen, hash_name, key, limits.min_salt)
        return SignatureScheme(self.padding, hash_name, mgf_hash, chosen)


DEFAULT = SignatureOptions()


def _allowed(asked: Hash | None, demanded: Hash | None, what: str) -> Hash | None:
    if asked is not None and demanded is not None and asked is not demanded:
        raise UsageError(
            f"The parameters of this RSA-PSS key allow --{what} {demanded.value} only, but got "
            f"{asked.value}; leave it out."
        )
    return demanded or asked


def _check_salt(salt: Salt | int, hash_name: Hash, key: RsaPublic, least: int) -> None:
    num_bytes = max_salt_bytes(key, hash_name)
    if salt is Salt.DIGEST:
        num_bytes = new_digest(hash_name).digest_size
    elif isinstance(salt, int):
        num_bytes = salt
    if num_bytes < least:
        raise UsageError(
            f"The parameters of this RSA-PSS key demand a salt of {least} bytes or more, but "
            f"{num_bytes} were asked for; leave --salt out, or give a longer one."
        )


def pss_bytes(key: RsaPublic) -> int:
    """Bytes of the encoded message of PSS, which uses one bit less than the modulus has.

    >>> pss_bytes(RsaPublic(n=1 << 1024, e=3)), pss_bytes(RsaPublic(n=1 << 1025, e=3))
    (128, 129)
    """
    return -(-(key.num_bits - 1) // 8)


def max_salt_bytes(key: RsaPublic, hash_name: Hash) -> int:
    """Longest salt of PSS; negative when the key is too small for the hash.

    >>> max_salt_bytes(RsaPublic(n=1 << 2047, e=3), Hash.SHA256)
    222
    """
    return pss_bytes(key) - new_digest(hash_name).digest_size - 2
