# SPDX-License-Identifier: Apache-2.0
"""Every error that modfab raises on purpose, each with the exit code of the command line.

1: not valid; 2: the request; 3: the machine; 4: a core. Each code has one meaning for scripts.
"""

from __future__ import annotations

from pathlib import Path

NOT_VALID, USAGE, MACHINE, FAULT, BUG = 1, 2, 3, 4, 70
"""Exit codes beside 0. 70 (EX_SOFTWARE) is an error that nobody foresaw: a bug of modfab."""


class ModfabError(Exception):
    """A failure that the user can act on; its text is one or two full sentences."""

    exit_code = MACHINE


class UsageError(ModfabError):
    """The request itself is wrong: an unknown name, a value out of range, a missing file."""

    exit_code = USAGE


class OperandError(UsageError):
    """A number is outside the range that the arithmetic is defined for."""


class MachineError(ModfabError):
    """This machine lacks something: room, a permission, a device."""


class ToolError(MachineError):
    """A tool is missing, failed or printed something unexpected; the text names its log.

    Attributes:
        log: That log of a tool of the flow; None where there is none.
    """

    def __init__(self, text: str, log: Path | None = None) -> None:
        super().__init__(text)
        self.log = log


class CacheError(ToolError):
    """The cache of compiled simulators cannot be used, or must not be trusted."""


class DeviceError(ModfabError):
    """The core answered with an error status, or the bus refused an access."""

    exit_code = FAULT


class SelfTestError(DeviceError):
    """A core did not give the known answer of its self-test."""


class NotWipedError(DeviceError):
    """A core was left that may still hold a key or a message.

    Attributes:
        advice: What to do with it.
    """

    def __init__(self, advice: str, cause: Exception | None = None) -> None:
        super().__init__(f"{cause} {advice}" if cause else advice)
        self.advice = advice


class NoDeviceError(DeviceError):
    """No such device is here, it cannot be opened, or it was built for something else."""

    exit_code = MACHINE


class ClosedError(DeviceError):
    """A device was used after it had been closed: a mistake of the program, not of the core."""

    exit_code = USAGE

    def __init__(self) -> None:
        super().__init__(
            "The device is closed: its `with` block has ended or close() was called; open it "
            "again, or move the call into the block."
        )


class CryptoError(ModfabError):
    """A key, signature or ciphertext was refused; the text never says why a padding failed."""

    exit_code = USAGE


class PassphraseError(CryptoError):
    """The passphrase does not open the private key of a file."""


class NotValidError(CryptoError):
    """A signature is not valid, or a decryption failed: the answer of a check, not a mistake."""

    exit_code = NOT_VALID
