# SPDX-License-Identifier: Apache-2.0
"""Public keys as text."""

from __future__ import annotations

from Crypto.PublicKey import RSA

from modfab.host.keys import RsaPublic


def to_pem(key: RsaPublic) -> bytes:
    """SubjectPublicKeyInfo in PEM (RFC 8017, RFC 7468), of a key of any length.

    >>> to_pem(RsaPublic(n=0xC5 * 0xE3, e=3)).splitlines()[0]
    b'-----BEGIN PUBLIC KEY-----'
    """
    made = RSA.construct((key.n, key.e), consistency_check=False)
    return made.export_key("PEM") + b"\n"
