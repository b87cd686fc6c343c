# SPDX-License-Identifier: Apache-2.0
"""RSA keys from files: PEM and DER, PKCS#1, PKCS#8, SubjectPublicKeyInfo, X.509 certificates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.errors import CryptoError, PassphraseError, UsageError
from modfab.host.key_asn1 import Numbers, encrypted_numbers, numbers_of, why_no_key
from modfab.host.pss_limits import PssLimits, private_limits, public_limits

Loader = Callable[[bytes, bytes | None], object]

Passphrase = Callable[[], bytes]
"""Asked for the passphrase, and only when the key file turns out to be encrypted."""

_MAX_KEY_FILE_BYTES = 1 << 20
_TWO = 2  # primes of a key whose factors are kept


@dataclass(frozen=True, slots=True)
class RsaPublic:
    """Public half of an RSA key: modulus `n`, exponent `e`; `pss` for a key of PSS alone.

    >>> RsaPublic(n=0xC5, e=3).num_bits, RsaPublic(n=0x1_01, e=3).num_bytes
    (8, 2)
    """

    n: int
    e: int
    pss: PssLimits | None = field(default=None, kw_only=True)

    @property
    def num_bits(self) -> int:
        """Bits of the modulus."""
        return self.n.bit_length()

    @property
    def num_bytes(self) -> int:
        """Bytes of a ciphertext or signature."""
        return -(-self.num_bits // 8)


@dataclass(frozen=True, slots=True, repr=False)
class RsaPrivate(RsaPublic):
    """An RSA key with its private exponent `d` and the factors `p`, `q`; its repr hides them.

    Both are 0 where the key has more than two factors.
    """

    d: int
    p: int
    q: int

    def __repr__(self) -> str:
        return f"RsaPrivate({self.num_bits} bits)"

    def public(self) -> RsaPublic:
        """The key without its secrets."""
        return RsaPublic(n=self.n, e=self.e, pss=self.pss)


def without_e(key: RsaPrivate) -> RsaPrivate:
    """The key as one whose public exponent is unknown: `e` is 0."""
    return replace(key, e=0)


def load_private(path: Path, passphrase: Passphrase) -> RsaPrivate:
    """Read the private RSA key of a file.

    Args:
        path: PEM or DER, PKCS#1 or PKCS#8, encrypted or not.
        passphrase: Called when the file is encrypted.

    Returns:
        The key.

    Raises:
        UsageError: The file is missing or cannot be read.
        CryptoError: It holds no key, a public key, a key that is not RSA, or the passphrase is
            wrong.
    """
    return parse_private(_read(path), path, passphrase)


def parse_private(data: bytes, path: Path | str, passphrase: Passphrase) -> RsaPrivate:
    """As `load_private`, from the bytes of a file; `path` names it in error texts.

    Raises:
        CryptoError: As `load_private`.
    """
    for key in _private_keys(data, path, passphrase):
        return key
    if next(_public_keys(data), None) is not None:
        raise CryptoError(
            f"Expected a private key, but {path} holds a public one; "
            "give the file with the private key."
        )
    return _of_more_primes(path, data, passphrase)


def load_key(path: Path, passphrase: Passphrase) -> RsaPublic:
    """Read the RSA key of a file once: the private key where it holds one, else the public one.

    Raises:
        UsageError, CryptoError: As `load_public`.
    """
    return parse_key(_read(path), path, passphrase)


def parse_key(data: bytes, path: Path | str, passphrase: Passphrase) -> RsaPublic:
    """As `load_key`, from the bytes of a file; `path` names it in error texts.

    A private key that the passphrase does not open is an error, whatever else the file holds.
    """
    try:
        return parse_private(data, path, passphrase)
    except PassphraseError:
        raise
    except CryptoError:
        return parse_public(data, path, passphrase)


def load_public(path: Path, passphrase: Passphrase) -> RsaPublic:
    """Read the public RSA key of a file: a public key, a certificate or a private key.

    Args:
        path: PEM or DER.
        passphrase: Called when the file holds nothing but an encrypted private key.

    Returns:
        The key.

    Raises:
        UsageError: The file is missing or cannot be read.
        CryptoError: It holds no key, a key that is not RSA, or the passphrase is wrong.
    """
    return parse_public(_read(path), path, passphrase)


def parse_public(data: bytes, path: Path | str, passphrase: Passphrase) -> RsaPublic:
    """As `load_public`, from the bytes of a file; `path` names it in error texts."""
    for key in _public_keys(data):
        if not isinstance(key, rsa.RSAPublicKey):
            raise _not_rsa(path)
        numbers = key.public_numbers()
        return RsaPublic(n=numbers.n, e=numbers.e, pss=public_limits(data, numbers.n))
    for private_key in _private_keys(data, path, passphrase):
        return private_key.public()
    return _of_more_primes(path, data, passphrase).public()


def private_from(key: object, source: Path | str) -> RsaPrivate:
    """Take the numbers out of a key of `cryptography`, which keeps no restriction to PSS.

    Args:
        key: What a loader returned.
        source: Named in the error text.

    Raises:
        CryptoError: It is not an RSA key.
    """
    if not isinstance(key, rsa.RSAPrivateKey):
        raise _not_rsa(source)
    numbers = key.private_numbers()
    public = numbers.public_numbers
    return RsaPrivate(n=public.n, e=public.e, d=numbers.d, p=numbers.p, q=numbers.q)


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_KEY_FILE_BYTES)
    except FileNotFoundError:
        raise UsageError(
            f"Expected a key file at {path}, but there is none; check the path after --key."
        ) from None
    except OSError as error:
        raise UsageError(
            f"The key file {path} cannot be read ({error.strerror}); check the path after --key "
            "and the file's permissions."
        ) from None


def _private_keys(data: bytes, path: Path | str, passphrase: Passphrase) -> Iterator[RsaPrivate]:
    for load in (serialization.load_pem_private_key, serialization.load_der_private_key):
        phrase: bytes | None = None
        try:
            loaded: object = _without_panic(load, data, None)
        except TypeError:  # what `cryptography` raises for an encrypted key without a passphrase
            phrase = passphrase()
            loaded = _decrypted(load, data, path, phrase)
        except (ValueError, UnsupportedAlgorithm):
            continue
        if isinstance(loaded, RsaPrivate):
            yield loaded
            continue
        key = private_from(loaded, path)
        yield replace(key, pss=private_limits(data, phrase, key.n))


def _without_panic(load: Loader, data: bytes, passphrase: bytes | None) -> object:
    """What the loader gives; ValueError too where its Rust code panics over a damaged file."""
    try:
        return load(data, passphrase)
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # which cannot be imported, and no Exception
            raise ValueError("a damaged file") from error
        raise


def _decrypted(load: Loader, data: bytes, path: Path | str, passphrase: bytes) -> object:
    """What the loader opens; a key of more primes, which it does not open, as ours."""
    try:
        return _without_panic(load, data, passphrase)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        found = _more_primes(encrypted_numbers(data, passphrase))
    if found is None:
        raise PassphraseError(
            f"The key in {path} is encrypted and the passphrase does not open it; "
            "check the passphrase."
        )
    return found


def _public_keys(data: bytes) -> Iterator[object]:
    loaders: tuple[Callable[[bytes], object], ...] = (
        serialization.load_pem_public_key,
        serialization.load_der_public_key,
        lambda data: x509.load_pem_x509_certificate(data).public_key(),
        lambda data: x509.load_der_x509_certificate(data).public_key(),
    )
    for load in loaders:
        try:
            key = load(data)
        except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion):
            continue
        yield key


def _not_rsa(source: Path | str) -> CryptoError:
    return CryptoError(
        f"Expected an RSA key, but {source} holds a key of another kind; give an RSA key "
        "(openssl genrsa makes one)."
    )


def _of_more_primes(path: Path | str, data: bytes, passphrase: Passphrase) -> RsaPrivate:
    """A key of more than two primes, which `cryptography` does not open."""
    found = _more_primes(numbers_of(data, passphrase))
    if found is None:
        raise _not_a_key(path, data, passphrase)
    return found


def _more_primes(numbers: Numbers | None) -> RsaPrivate | None:
    """The key of these numbers, if they are good and of more than two primes."""
    if numbers is None or len(numbers.primes) <= _TWO or numbers.problem:
        return None
    return RsaPrivate(n=numbers.n, e=numbers.e, d=numbers.d, p=0, q=0)


def _not_a_key(path: Path | str, data: bytes, passphrase: Passphrase) -> CryptoError:
    return CryptoError(
        f"Expected an RSA key in PEM or DER, but {path} holds no key that can be read"
        f"{why_no_key(data, passphrase)}."
    )
