# SPDX-License-Identifier: Apache-2.0
"""RSA test vectors of NIST, RSA Laboratories and others, as `cryptography-vectors` ships them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

import cryptography_vectors
from cryptography.hazmat.primitives.serialization import load_der_private_key

from modfab.host.digests import Hash
from modfab.host.encryption import Encryption, EncryptionOptions
from modfab.host.keys import RsaPrivate, RsaPublic, private_from
from modfab.host.signature_options import Signature, SignatureOptions

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
    salt_bytes: int | None = None
    valid: bool = True

    @property
    def options(self) -> SignatureOptions:
        """How it was made, with the exact length of the salt where the file states one."""
        salt = self.salt_bytes if self.padding is Signature.PSS else None
        return SignatureOptions(self.padding, self.hash_name, None, salt, allow_sha1=True)


@dataclass(frozen=True, slots=True)
class EncryptionVector:
    """A ciphertext and what it decrypts to."""

    name: str
    key: RsaPrivate
    options: EncryptionOptions
    message: bytes
    ciphertext: bytes


def _fields(path: Path) -> Iterator[tuple[str, str]]:
    """The `name = value` lines of a NIST file."""
    for line in path.read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith(("#", "[")):
            yield name.strip(), value.strip()


def _private(values: dict[str, str]) -> RsaPrivate:
    # The factors stay 0: no scheme needs them beside a private operation.
    return RsaPrivate(
        n=int(values["n"], 16), e=int(values["e"], 16), d=int(values["d"], 16), p=0, q=0
    )


@cache
def made_signatures(file: str, padding: Signature) -> list[SignatureVector]:
    """Signatures made by NIST, valid ones: FIPS_186-2/SigGen*; the key is private in *.txt."""
    path, values = FOLDER / "FIPS_186-2" / file, {"d": "0"}
    salt_bytes = _salt_bytes(path)
    vectors = []
    for field, value in _fields(path):
        values[field] = value
        if field == "S":
            text = values.get("SaltVal") if padding is Signature.PSS else None
            salt = None if text is None else bytes.fromhex(text)
            vectors.append(_signature(file, values, padding, salt, salt_bytes))
    return vectors


@cache
def judged_signatures(file: str, padding: Signature) -> list[SignatureVector]:
    """Signatures with a verdict: FIPS_186-2/SigVer*_186-3.rsp and SigVer15EMTest.txt."""
    values: dict[str, str] = {}
    salt_bytes = _salt_bytes(FOLDER / file)
    vectors = []
    for field, value in _fields(FOLDER / file):
        values[field] = value
        if field == "Result":
            valid = value.startswith("P")
            vectors.append(_signature(file, values, padding, None, salt_bytes, valid))
    return vectors


def _salt_bytes(path: Path) -> int | None:
    """The length of every salt of a NIST file, from its head."""
    lines = path.read_text().splitlines()[:10]
    return next((int(line.rpartition(":")[2]) for line in lines if "# Salt len" in line), None)


def _signature(
    file: str,
    values: dict[str, str],
    padding: Signature,
    salt: bytes | None,
    salt_bytes: int | None,
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
        salt_bytes=salt_bytes,
        valid=valid,
    )


_ALIASES = {
    "private exponent": "d",
    "message to be signed": "message",
    "message to be encrypted": "message",
    "signature, the rsa decryption of em": "signature",
    "ciphertext, the rsa encryption of em": "encryption",
}


def _examples(path: Path, last: str) -> Iterator[tuple[RsaPrivate, dict[str, str]]]:
    """Keys and values in a file of RSA Laboratories; the field `last` ends an example."""
    values: dict[str, str] = {}
    for given, value in _labelled(path):
        label = _ALIASES.get(given, given)
        # "Exponent" is the public one in the first half of a key, the private one in the second.
        after_public = label == "exponent" and "public exponent" in values
        if label == "modulus" and "public exponent" in values:
            values.clear()
        values["d" if after_public else label] = value
        if label == last:
            yield (
                _private({"n": values["modulus"], "e": values["public exponent"]} | values),
                values,
            )


@cache
def laboratory_signatures(file: str, padding: Signature) -> list[SignatureVector]:
    """Signatures with SHA-1 and their private keys, in the format of RSA Laboratories."""
    vectors = []
    for key, values in _examples(FOLDER / file, "signature"):
        salt = bytes.fromhex(values["salt"]) if padding is Signature.PSS else None
        vectors.append(
            SignatureVector(
                name=f"{file} {key.num_bits}",
                key=key,
                hash_name=Hash.SHA1,
                message=bytes.fromhex(values["message"]),
                signature=bytes.fromhex(values["signature"]),
                padding=padding,
                salt=salt,
                salt_bytes=None if salt is None else len(salt),
            )
        )
    return vectors


@cache
def encryptions(file: str, options: EncryptionOptions) -> list[EncryptionVector]:
    """Encryptions with their private keys, in the format of RSA Laboratories."""
    return [
        EncryptionVector(
            name=f"{file} {key.num_bits}",
            key=key,
            options=options,
            message=bytes.fromhex(values["message"]),
            ciphertext=bytes.fromhex(values["encryption"]),
        )
        for key, values in _examples(FOLDER / file, "encryption")
    ]


@cache
def labelled_encryptions(file: str) -> list[EncryptionVector]:
    """Encryptions with a label, in BoringSSL's format."""
    values: dict[str, str] = {}
    vectors = []
    for field, value in _fields(FOLDER / file):
        values[field] = value
        if field == "Output":
            key = private_from(load_der_private_key(bytes.fromhex(values["KEY"]), None), file)
            hash_name = Hash(values["OAEPDigest"].lower())
            label = bytes.fromhex(values["OAEPLabel"])
            options = EncryptionOptions(Encryption.OAEP, hash_name, label=label)
            message = value.strip('"').encode()
            ciphertext = bytes.fromhex(values["Input"])
            vectors.append(EncryptionVector(file, key, options, message, ciphertext))
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
