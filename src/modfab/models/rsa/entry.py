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

    def program(self, e_bits: int) -> str:
        """The program that does it, by its name in the program text.

        Args:
            e_bits: Bits of the public exponent; 0 when it is unknown.

        >>> RsaEntry.PRIVATE.program(17), RsaEntry.PRIVATE.program(0), RsaEntry.DERIVE.program(0)
        ('private', 'private_again', 'derive')
        """
        again = e_bits == 0 and self in (RsaEntry.KEY, RsaEntry.PRIVATE)
        return self.name.lower() + "_again" * again
