# SPDX-License-Identifier: Apache-2.0
"""What a code that a core answered means for its user."""

from __future__ import annotations

from modfab.models.status_code import StatusCode


def status_sentence(codes: type[StatusCode], code: int) -> str:
    """A full sentence for a code of `STATUS.error`, known or not.

    Args:
        codes: Those of the core.
        code: What it answered.

    >>> from modfab.models.generated.status import RsaStatus
    >>> status_sentence(RsaStatus, 1)
    'No key is set up in the RSA core; load one first.'
    >>> status_sentence(RsaStatus, 15)
    'The core ended with the unknown error code 15; use the modfab release that built it.'
    """
    if code not in set(codes):
        release = "use the modfab release that built it"
        return f"The core ended with the unknown error code {code}; {release}."
    return codes(code).sentence
