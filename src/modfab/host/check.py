# SPDX-License-Identifier: Apache-2.0
"""Check of a private result: only a right one leaves the host."""

from __future__ import annotations

from modfab.errors import DeviceError
from modfab.host.keys import RsaPublic

WRONG_RESULT = (
    "The core returned a wrong result, which the check caught; nothing was written. Run it again, "
    "and test the device if it persists."
)


def is_private_result(value: int, base: int, key: RsaPublic) -> bool:
    """Whether value = base^d mod n, as far as the public half can tell; true without `e`.

    >>> key = RsaPublic(n=77, e=7)
    >>> is_private_result(pow(5, 43, 77), 5, key), is_private_result(6, 5, key)
    (True, False)
    """
    return not key.e or (0 <= value < key.n and pow(value, key.e, key.n) == base)


def checked_result(value: int, base: int, key: RsaPublic) -> int:
    """The value, once `is_private_result` has agreed; a faulty result can betray the key.

    Raises:
        DeviceError: It is not base^d mod n.
    """
    if not is_private_result(value, base, key):
        raise DeviceError(WRONG_RESULT)
    return value
