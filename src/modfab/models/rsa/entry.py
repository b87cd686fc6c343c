# SPDX-License-Identifier: Apache-2.0
"""What the RSA core is asked for."""

from __future__ import annotations

from enum import IntEnum


class RsaEntry(IntEnum):
    """What the core is asked for, numbered as `mf_rsa_pkg::entry_e`."""

    KEY = 0
    PRIVATE = 1
    PUBLIC = 2
    DERIVE = 3
    TEST = 4
    CHANGE = 5
    LEAVE = 6

    @property
    def program(self) -> str:
        """The program that does it, by its name in the program text.

        >>> RsaEntry.PRIVATE.program
        'private'
        """
        return self.name.lower()
