# SPDX-License-Identifier: Apache-2.0
"""Every error that modfab raises on purpose, each with the exit code of the command line."""

from __future__ import annotations


class ModfabError(Exception):
    """A failure that the user can act on; its text is one or two full sentences."""

    exit_code = 1


class UsageError(ModfabError):
    """The request itself is wrong: an unknown name, a value out of range, a missing file."""

    exit_code = 2


class OperandError(UsageError):
    """A number is outside the range that the arithmetic is defined for."""


class ToolError(ModfabError):
    """A tool is missing, failed or printed something unexpected; the text names its log."""


class DeviceError(ModfabError):
    """The core answered with an error status, or the bus refused an access."""


class CryptoError(ModfabError):
    """A key, signature or ciphertext was refused; the text never says why a padding failed."""
