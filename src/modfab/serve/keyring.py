# SPDX-License-Identifier: Apache-2.0
"""Keys by name from a folder that only its owner can read."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from modfab.errors import CryptoError, OperandError, UsageError
from modfab.host.key_check import check_private_quickly
from modfab.host.keys import RsaPrivate, load_private
from modfab.serve.protocol import MAX_FRAME_BYTES, NoKeyError

SUFFIX = ".pem"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


class Keyring:
    """The keys of a folder: `web.pem` is the key `web`.

    Args:
        folder: Owned by this user or by root and closed to all others, like each key in it; None
            for no key.

    Raises:
        UsageError: The folder or a file is missing, others may read or change it, or there are so
            many keys that their names do not fit into a frame.
        CryptoError: A file holds no RSA key, one with a passphrase, one for PSS only, or one whose
            numbers are refused.
    """

    def __init__(self, folder: Path | None) -> None:
        self._keys: dict[str, RsaPrivate] = {}
        if folder is None:
            return
        with _private(folder, os.O_DIRECTORY, "0700"):
            paths = {_name_of(path): path for path in sorted(folder.glob(f"*{SUFFIX}"))}
            _check_names(folder, paths)
            self._keys |= {name: _load(path) for name, path in paths.items()}

    def names(self) -> list[str]:
        """All names, in order."""
        return list(self._keys)

    def widest(self) -> RsaPrivate | None:
        """The key with the longest modulus."""
        return max(self._keys.values(), key=lambda key: key.num_bits, default=None)

    def get(self, name: str) -> RsaPrivate:
        """The key of a name; NoKeyError when there is none."""
        key = self._keys.get(name)
        if key is None:
            raise NoKeyError(
                "The daemon has no key of this name; put it into the folder of its keys and start "
                "it again."
            )
        return key

    def forget(self) -> None:
        """Drop all keys."""
        self._keys.clear()


def rejection_seed(key: RsaPrivate, ciphertext: bytes) -> bytes:
    """What the message for a wrong PKCS#1 v1.5 padding is derived from; it says nothing of the key.

    Source: draft-irtf-cfrg-rsa-guidance, section 7.2, steps 1 to 3; OpenSSL since 3.2.
    """
    exponent = key.d.to_bytes(key.num_bytes, "big")
    padded = ciphertext.rjust(key.num_bytes, b"\0")
    return hmac.digest(hashlib.sha256(exponent).digest(), padded, "sha256")


def _name_of(path: Path) -> str:
    name = path.name.removesuffix(SUFFIX)
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"Expected a key's name of up to 64 letters, digits, dots, dashes and underlines, but "
            f"got {path}; rename the file."
        )
    return name


def _check_names(folder: Path, names: Iterable[str]) -> None:
    """All names are one answer: a frame with version, code and, for each, its length and itself."""
    size = 2 + sum(2 + len(name) for name in names)
    if size > MAX_FRAME_BYTES:
        raise UsageError(
            f"The names of the keys in {folder} take {size} bytes, but a list of them has room for "
            f"{MAX_FRAME_BYTES}; shorten the names, or serve some keys from another folder."
        )


def _load(path: Path) -> RsaPrivate:
    with _private(path, os.O_NONBLOCK, "0600") as file:
        try:
            key = load_private(Path(f"/proc/self/fd/{file}"), _no_passphrase)
        except CryptoError as error:
            raise CryptoError(
                f"Expected an RSA private key without a passphrase in {path}, but there is "
                "something else; make one with openssl genrsa, or move the file away."
            ) from error
    if key.pss is not None:  # the daemon exponentiates, whatever their padding
        raise CryptoError(
            f"The key in {path} is for PSS signatures only, which the daemon cannot enforce; move "
            "the file away and sign with modfab sign, or make another key with openssl genrsa."
        )
    try:
        check_private_quickly(key)  # a device would count a wrong key as a fault of its own
    except OperandError as error:
        raise CryptoError(f"The key in {path} cannot be used. {error}") from None
    return key


def _no_passphrase() -> bytes:
    raise CryptoError("A daemon's key has no passphrase; protect it by the mode of its file.")


@contextmanager
def _private(path: Path, flags: int, mode: str) -> Iterator[int]:
    """The open file or folder, which is no link, has the right owner and is closed to others."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | flags)
    except OSError as error:
        raise UsageError(
            f"Expected {path} to be readable and no symbolic link ({error.strerror}); check the "
            "folder after --keys."
        ) from None
    try:
        state = os.fstat(file)
        if state.st_uid not in (os.geteuid(), 0) or state.st_mode & 0o077:
            raise UsageError(
                f"Expected {path} to be open to its owner only, but others may use it or own it; "
                f"run `chmod {mode} {path}`, and chown it to the daemon's user."
            )
        if not (stat.S_ISREG(state.st_mode) or flags & os.O_DIRECTORY):
            raise UsageError(f"Expected a file at {path}, but it is none; move it away.")
        yield file
    finally:
        os.close(file)
