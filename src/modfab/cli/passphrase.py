# SPDX-License-Identifier: Apache-2.0
"""Where the passphrase of an encrypted key comes from: `--passin`, or a prompt."""

from __future__ import annotations

import getpass
import os
from functools import cache
from pathlib import Path

from modfab.errors import UsageError
from modfab.host.keys import Passphrase

_MAX_BYTES = 1 << 16
TERMINAL = "/dev/tty"


def passphrase_file(passin: str | None) -> Path | None:
    """The file that `--passin file:PATH` names; None for another source."""
    kind, _, name = (passin or "").partition(":")
    return Path(name) if kind == "file" and name else None


def passphrase_source(passin: str | None, key_path: Path) -> Passphrase:
    """Choose the source of the passphrase; it is read once, and only when the key is encrypted.

    Args:
        passin: `env:NAME`, `file:PATH` (its first line), or None to ask on the terminal.
        key_path: Named in the prompt.

    Raises:
        UsageError: `passin` has another form.
    """
    if passin is None:
        return cache(lambda: _prompt(key_path))
    kind, _, name = passin.partition(":")
    if kind == "env" and name:
        return cache(lambda: _from_environment(name))
    path = passphrase_file(passin)
    if path is not None:
        return cache(lambda: _from_file(path))
    # The text does not repeat what came: somebody may have typed the passphrase itself.
    raise UsageError(
        "Expected --passin env:NAME or --passin file:PATH, but it has another form; put the "
        "passphrase into a variable or a file and name that."
    )


def _from_environment(name: str) -> bytes:
    value = os.environb.get(os.fsencode(name))
    if value is None:
        raise UsageError(
            f"Expected the passphrase in the environment variable {name}, but it is not set; "
            "export it first."
        )
    return value


def _from_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            first_line = file.readline(_MAX_BYTES + 1).removesuffix(b"\n")
    except OSError as error:
        raise UsageError(
            f"The passphrase file {path} cannot be read ({error.strerror}); check the path after "
            "--passin file: and its permissions."
        ) from None
    if len(first_line) > _MAX_BYTES:
        raise UsageError(
            f"Expected at most {_MAX_BYTES} bytes in the first line of {path}, but there are more; "
            "name the passphrase's own file after --passin file:."
        )
    return first_line.removesuffix(b"\r")


def _prompt(key_path: Path) -> bytes:
    try:
        os.close(os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise UsageError(
            f"The key in {key_path} is encrypted and there is no terminal to ask for the "
            "passphrase; give it with --passin env:NAME or --passin file:PATH."
        ) from None
    try:
        return getpass.getpass(f"Passphrase of {key_path}: ").encode()
    except UnicodeError:
        raise UsageError(
            "The typed passphrase is no text in this terminal's encoding; give it with --passin "
            "file:PATH, or set LANG as the terminal is set."
        ) from None
