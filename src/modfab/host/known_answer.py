# SPDX-License-Identifier: Apache-2.0
"""A known answer by the public program, from the host: key, exponentiation, result."""

from __future__ import annotations

import hashlib

from modfab.errors import SelfTestError
from modfab.host.keys import RsaPublic
from modfab.host.rsa_device import RsaDevice
from modfab.models.rsa.program import USUAL_E


def known_answer(core: RsaDevice) -> int:
    """Load n and e of the core's full width, compute one exponentiation, compare it, wipe the core.

    Args:
        core: A core for public operations only that holds no key.

    Returns:
        Cycles of set-up and exponentiation.

    Raises:
        SelfTestError: The result is wrong.
        DeviceError: The core refuses, or does not answer.
    """
    n = _number("modulus", core.num_bits) | 1 << core.num_bits - 1 | 1
    base = _number("base", core.num_bits) % n
    setup = core.load_public(RsaPublic(n=n, e=USUAL_E))
    result = core.public(base)
    core.zeroize()
    if result.value != pow(base, USUAL_E, n):
        raise SelfTestError(
            "The RSA core did not give the known answer for n and e from the host; load its "
            "bitstream again, and do not use it if that persists."
        )
    return setup + result.exp_cycles


def _number(name: str, num_bits: int) -> int:
    """Always the same number without a pattern."""
    data = hashlib.shake_256(f"modfab {name}".encode()).digest(-(-num_bits // 8))
    return int.from_bytes(data, "little") % (1 << num_bits)
