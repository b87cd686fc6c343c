# SPDX-License-Identifier: Apache-2.0
"""How an operation of the RSA core ends, and its programs."""

from __future__ import annotations

from enum import IntEnum


class RsaStatus(IntEnum):
    """Endings, numbered as `mf_rsa_pkg::status_e`."""

    OK = 0
    NO_KEY = 1
    KEY = 2
    OPERAND = 3
    FAULT = 4
    WATCHDOG = 5
    ZEROIZED = 6


class RsaEntry(IntEnum):
    """What the core is asked for, numbered as `mf_rsa_pkg::entry_e`."""

    KEY = 0
    PRIVATE = 1
    PUBLIC = 2
    DERIVE = 3

    def program(self, e_bits: int) -> str:
        """The program that does it, by its name in the program text.

        Args:
            e_bits: Bits of the public exponent; 0 when it is unknown.

        >>> RsaEntry.PRIVATE.program(17), RsaEntry.PRIVATE.program(0), RsaEntry.DERIVE.program(0)
        ('private', 'private_again', 'derive')
        """
        again = e_bits == 0 and self in (RsaEntry.KEY, RsaEntry.PRIVATE)
        return self.name.lower() + "_again" * again
