# SPDX-License-Identifier: Apache-2.0
"""Input and output files of the commands; `-` is standard input or output."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from modfab.errors import MachineError, UsageError

STANDARD = Path("-")
_CHUNK_BYTES = 1 << 16
_NAME_START = 24  # characters of a file's name in the one that it has while it is written


def named_output(path: Path) -> Path:
    """What is written to: `-` for every name of standard output, which must not be replaced.

    The null device stays what it is: it takes a result and a report, and keeps neither.
    """
    try:
        named, null = path.stat(), Path(os.devnull).stat()
        same = os.path.samestat(named, os.fstat(1))
    except OSError:  # one of them does not exist
        return path
    return STANDARD if same and not os.path.samestat(named, null) else path


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file, or standard input, for reading.

    Raises:
        UsageError: It is missing or cannot be read.
    """
    if path == STANDARD:
        if sys.stdin is None:  # closed by whoever started this process
            raise UsageError("Expected the input on standard input, but it is closed; use --in.")
        yield sys.stdin.buffer
        return
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise UsageError(
            f"Expected an input file at {path}, but there is none; check the path."
        ) from None
    except OSError as error:
        raise UsageError(
            f"The input file {path} cannot be read ({error.strerror}); check that it is a file "
            "and that you may read it."
        ) from None


def read_block(path: Path) -> bytes:
    """Read what one RSA operation works on; it stops early where no key can be that long.

    Raises:
        UsageError: It is missing, cannot be read, is empty or is far too long.
    """
    with open_input(path) as file:
        data = file.read(_CHUNK_BYTES + 1)
    if not data:
        raise UsageError(
            f"Expected some bytes from {input_name(path)}, but it is empty; check what wrote it."
        )
    if len(data) > _CHUNK_BYTES:
        raise UsageError(
            f"Expected at most {_CHUNK_BYTES} bytes from {input_name(path)}, but there are more; "
            "one RSA operation takes no more than the modulus has, so encrypt a symmetric key."
        )
    return data


def read_chunks(path: Path) -> Iterator[bytes]:
    """Read a file of any length piece by piece.

    Raises:
        UsageError: It is missing or cannot be read.
    """
    with open_input(path) as file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk


def check_output(path: Path, inputs: dict[str, Path]) -> None:
    """Refuse an output that cannot be written, before any work is done.

    Args:
        path: Where the result is to go.
        inputs: Files that must survive, by the option that names them.

    Raises:
        UsageError: The folder is missing or not writable, the output is a folder or an input, or
            it cannot have that name.
    """
    if path == STANDARD:
        if not sys.stdout.writable():  # as the command line sets it when it is closed
            raise UsageError(
                "Expected standard output for the result, but it is closed; use --out."
            )
        return
    try:
        _check_place(path, inputs)
    except OSError as error:
        raise UsageError(
            f"The output {path} cannot be written ({error.strerror}); choose another place."
        ) from None


def _check_place(path: Path, inputs: dict[str, Path]) -> None:
    """As `check_output`, of a file.

    Raises:
        OSError: Its name is too long, it is in a folder that is closed, or a link to itself.
    """
    place = path
    if path.is_symlink():
        with suppress(FileNotFoundError):
            path.stat()
        place = path.resolve()
    if place.is_dir():
        raise UsageError(f"Expected a file after --out, but {path} is a folder; name a file in it.")
    if not place.parent.is_dir():
        raise UsageError(
            f"The folder of the output {path} does not exist; make it first or name another one."
        )
    for option, other in inputs.items():
        if other != STANDARD and path.exists() and other.exists() and path.samefile(other):
            raise UsageError(
                f"--out and {option} both name {path}, which would be lost; give another --out."
            )
    needed = [place] if place.exists() else []
    if not needed or place.is_file():  # the result is a new file there, see `write_output`
        needed.append(place.parent)
    if not all(os.access(one, os.W_OK) for one in needed):
        raise UsageError(
            f"The output {path} cannot be written; check the permissions of the file and of its "
            "folder."
        )


def write_output(path: Path, data: bytes, *, secret: bool) -> None:
    """Write a result completely or not at all: to a new file in the same folder, then rename.

    Args:
        path: Where to; a device or pipe is written directly.
        data: What.
        secret: Only the owner may read the file.

    Raises:
        MachineError: Writing failed.
        BrokenPipeError: The reader of standard output has left.
    """
    try:
        if path == STANDARD:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        elif path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _replace(path.resolve(), data, 0o600 if secret else 0o666)
    except OSError as error:
        if path == STANDARD and isinstance(error, BrokenPipeError):
            raise  # the reader has left, and wants no more
        name = "standard output" if path == STANDARD else path
        raise MachineError(
            f"The result could not be written to {name} ({error.strerror}), and no part of it was "
            "kept; make room or choose another place, then run the command again."
        ) from None


def _replace(path: Path, data: bytes, mode: int) -> None:
    start = path.name[:_NAME_START]
    temporary = path.with_name(f".{start}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def input_name(path: Path) -> str:
    """How a sentence calls an input file."""
    return "standard input" if path == STANDARD else str(path)
