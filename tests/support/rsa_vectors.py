# SPDX-License-Identifier: Apache-2.0
"""RSA test vectors of NIST and of RSA Laboratories, as `cryptography-vectors` ships them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

import cryptography_vectors

from modfab.host.digests import Hash
from modfab.host.encryption import Encryption
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.signature import Signature

FOLDER = Path(cryptography_vectors.__file__).parent / "asymmetric" / "RSA"
LABORATORIES = "pkcs-1v2-1d2-vec"


@dataclass(frozen=True, slots=True)
class SignatureVector:
    """A signature that NIST made (then `key` is private) or judged (`valid` is the verdict)."""

    name: str
    key: RsaPublic
    hash_name: Hash
    message: bytes
    signature: bytes
    padding: Signature
    salt: bytes | None = None
    valid: bool = True


@dataclass(frozen=True, slots=True)
class EncryptionVector:
    """A ciphertext and what it decrypts to."""

    name: str
    key: RsaPrivate
    hash_name: Hash
    message: bytes
    ciphertext: bytes
    padding: Encryption


def _fields(path: Path) -> Iterator[tuple[str, str]]:
    """The `name = value` lines of a NIST file."""
    for line in path.read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith(("#", "[")):
            yield name.strip(), value.strip()


def _private(values: dict[str, str]) -> RsaPrivate:
    # The factors stay 0: no scheme needs them beside a private power.
    return RsaPrivate(
        n=int(values["n"], 16), e=int(values["e"], 16), d=int(values["d"], 16), p=0, q=0
    )


@cache
def made_signatures(file: str, padding: Signature) -> list[SignatureVector]:
    """Signatures made by NIST, with their private keys: FIPS_186-2/SigGen*_186-2.txt."""
    values: dict[str, str] = {}
    vectors = []
    for field, value in _fields(FOLDER / "FIPS_186-2" / file):
        values[field] = value
        if field == "S":
            salt = bytes.fromhex(values["SaltVal"]) if padding is Signature.PSS else None
            vectors.append(_signature(file, values, padding, salt=salt))
    return vectors


@cache
def judged_signatures(file: str, padding: Signature) -> list[SignatureVector]:
    """Signatures with a verdict: FIPS_186-2/SigVer*_186-3.rsp and SigVer15EMTest.txt."""
    values: dict[str, str] = {}
    vectors = []
    for field, value in _fields(FOLDER / file):
        values[field] = value
        if field == "Result":
            vectors.append(_signature(file, values, padding, valid=value.startswith("P")))
    return vectors


def _signature(
    file: str,
    values: dict[str, str],
    padding: Signature,
    *,
    salt: bytes | None = None,
    valid: bool = True,
) -> SignatureVector:
    key = _private(values)
    return SignatureVector(
        name=f"{file} {key.num_bits} {values['SHAAlg']}",
        key=key,
        hash_name=Hash(values["SHAAlg"].lower()),
        message=bytes.fromhex(values["Msg"]),
        signature=bytes.fromhex(values["S"]).rjust(key.num_bytes, b"\0"),
        padding=padding,
        salt=salt,
        valid=valid,
    )


@cache
def encryptions(file: str, padding: Encryption, hash_name: Hash) -> list[EncryptionVector]:
    """Encryptions with their private keys, in the format of RSA Laboratories."""
    values: dict[str, str] = {}
    vectors = []
    for label, value in _labelled(FOLDER / file):
        # "Exponent" is the public one in the first half of a key, the private one in the second.
        after_public = label == "exponent" and "public exponent" in values
        if label == "modulus" and "public exponent" in values:
            values.clear()
        values["d" if after_public else label] = value
        if label == "encryption":
            key = _private({"n": values["modulus"], "e": values["public exponent"]} | values)
            message = bytes.fromhex(values["message"])
            ciphertext = bytes.fromhex(value)
            name = f"{file} {key.num_bits}"
            vectors.append(EncryptionVector(name, key, hash_name, message, ciphertext, padding))
    return vectors


def _labelled(path: Path) -> Iterator[tuple[str, str]]:
    """Pairs of a `# Label:` line and the hexadecimal lines that follow it."""
    label, digits = "", ""
    for line in chain(path.read_text().splitlines(), ["#"]):
        if line.startswith("#"):
            if label and digits:
                yield label, digits
            words = line.strip("# ").rstrip()
            label, digits = words.removesuffix(":").lower() if words.endswith(":") else "", ""
        elif label:
            digits += line.replace(" ", "")
