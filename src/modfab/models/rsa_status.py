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
    """Programs, numbered as `mf_rsa_pkg::entry_e`; names in lower case as in the program text."""

    KEY = 0
    PRIVATE = 1
    PUBLIC = 2
    DERIVE = 3
