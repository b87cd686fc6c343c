# SPDX-License-Identifier: Apache-2.0
"""The options that choose a padding, once for every command that has them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from modfab.cli.options import MAX_DIGITS
from modfab.errors import UsageError
from modfab.host.digests import Hash
from modfab.host.encryption import Encryption, EncryptionOptions
from modfab.host.signature_options import Salt, Signature, SignatureOptions

EncryptionOption = Annotated[Encryption, typer.Option("--padding", help="Padding.")]
SignatureOption = Annotated[Signature, typer.Option("--padding", help="Padding.")]
OaepHashOption = Annotated[
    Hash | None, typer.Option("--hash", help="Hash of OAEP; sha1 unless given, as in openssl.")
]
SignatureHashOption = Annotated[
    Hash | None,
    typer.Option("--hash", help="Hash of the file; sha256 unless an RSA-PSS key demands another."),
]
MgfHashOption = Annotated[
    Hash | None,
    typer.Option("--mgf-hash", help="Hash of the mask of oaep and pss; that of --hash if absent."),
]
LabelOption = Annotated[
    str | None,
    typer.Option("--label", metavar="hex:DIGITS|file:PATH", help="Label of oaep; else empty."),
]
SignSaltOption = Annotated[
    str | None,
    typer.Option(
        "--salt",
        metavar="digest|max|auto|BYTES",
        help="Length of the salt of pss: as long as the hash (default), or the longest (auto too).",
    ),
]
VerifySaltOption = Annotated[
    str | None,
    typer.Option(
        "--salt",
        metavar="auto|digest|max|BYTES",
        help="Length that the salt of pss must have; auto (default) accepts any.",
    ),
]
AllowSha1Option = Annotated[
    bool, typer.Option("--allow-sha1", help="Sign with sha1 although it is broken.")
]

_MAX_LABEL_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class TypedEncryption(EncryptionOptions):
    """Options as typed.

    Attributes:
        label_path: The file that `--label` names, which must survive; None for none.
    """

    label_path: Path | None = None


def encryption_options(
    padding: EncryptionOption = Encryption.OAEP,
    hash_name: OaepHashOption = None,
    mgf_hash: MgfHashOption = None,
    label: LabelOption = None,
) -> TypedEncryption:
    """How to encrypt and decrypt; raises UsageError where options do not fit."""
    read, path = (parse_label(label), label_file(label)) if label else (b"", None)
    return TypedEncryption(padding, hash_name, mgf_hash, read, path)


def signing_options(
    padding: SignatureOption = Signature.PSS,
    hash_name: SignatureHashOption = None,
    mgf_hash: MgfHashOption = None,
    salt: SignSaltOption = None,
    allow_sha1: AllowSha1Option = False,
) -> SignatureOptions:
    """How to sign; raises UsageError where options do not fit."""
    return SignatureOptions(padding, hash_name, mgf_hash, parse_salt(salt), allow_sha1)


def verifying_options(
    padding: SignatureOption = Signature.PSS,
    hash_name: SignatureHashOption = None,
    mgf_hash: MgfHashOption = None,
    salt: VerifySaltOption = None,
) -> SignatureOptions:
    """How to verify; raises UsageError where options do not fit."""
    return SignatureOptions(padding, hash_name, mgf_hash, parse_salt(salt))


def parse_salt(text: str | None) -> Salt | int | None:
    """The length of a salt from `digest`, `max`, `auto` or a number of bytes.

    Raises:
        UsageError: It is none of these.

    >>> parse_salt("20"), parse_salt("max").name
    (20, 'MAX')
    """
    if text is None:
        return None
    if text.isdecimal() and text.isascii() and len(text) <= MAX_DIGITS:
        return int(text)
    try:
        return Salt(text)
    except ValueError:
        raise UsageError(
            f"Expected --salt digest, max, auto or a number of bytes, but got {text[:40]!r}; "
            "choose one of these."
        ) from None


def label_file(text: str) -> Path | None:
    """The file that `--label file:PATH` names; None for another label."""
    kind, _, rest = text.partition(":")
    return Path(rest) if kind == "file" and rest else None


def parse_label(text: str) -> bytes:
    """The label of OAEP from `hex:DIGITS` or `file:PATH`.

    Raises:
        UsageError: It is neither, or the file cannot be read.

    >>> parse_label("hex:6162")
    b'ab'
    """
    path = label_file(text)
    if path is not None:
        return _read_label(path)
    kind, _, rest = text.partition(":")
    try:
        if kind != "hex" or not rest.isalnum():
            raise ValueError
        return bytes.fromhex(rest)
    except ValueError:
        raise UsageError(
            "Expected --label hex:DIGITS (two for each byte) or file:PATH, but it has another "
            "form; write for example --label hex:6162."
        ) from None


def _read_label(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            label = file.read(_MAX_LABEL_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"The label file {path} cannot be read ({error.strerror}); check the path after "
            "--label file:."
        ) from None
    if len(label) > _MAX_LABEL_BYTES:
        raise UsageError(
            f"Expected at most {_MAX_LABEL_BYTES} bytes of label in {path}, but there are more; "
            "name the right file after --label file:."
        )
    return label
