# SPDX-License-Identifier: Apache-2.0
"""What each ending of the RSA core means, as a sentence for users."""

from __future__ import annotations

from modfab.models.rsa.status import RsaStatus

_SENTENCES = {
    RsaStatus.OK: "The operation ended well.",
    RsaStatus.NO_KEY: "No key is set up in the RSA core; load one first.",
    RsaStatus.KEY: (
        "The RSA core refused the key: its primes must be odd and of the lengths the core was "
        "built for, and its parts must fit each other; check the key file."
    ),
    RsaStatus.OPERAND: "The number must be below the modulus of the key; check the input.",
    RsaStatus.FAULT: (
        "The RSA core's result did not pass its check, so the core did not release it; run it "
        "again, and test the device if it persists."
    ),
    RsaStatus.WATCHDOG: (
        "The RSA core's watchdog ended the operation and wiped the core; check its entropy port, "
        "its clock and reset."
    ),
    RsaStatus.ZEROIZED: "The RSA core was zeroized; load the key again.",
}


def rsa_status_sentence(code: int) -> str:
    """The sentence for a code of `STATUS.error`.

    >>> rsa_status_sentence(1)
    'No key is set up in the RSA core; load one first.'
    """
    if code not in set(RsaStatus):
        release = "use the modfab release that built it"
        return f"The RSA core ended with the unknown code {code}; {release}."
    return _SENTENCES[RsaStatus(code)]
