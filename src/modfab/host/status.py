# SPDX-License-Identifier: Apache-2.0
"""What each status code of a core means for its user."""

from __future__ import annotations

from modfab.models.engine import Status

_SENTENCES = {
    Status.OK: "The operation ended well.",
    Status.MOD_EVEN: (
        "The modulus is even, and Montgomery arithmetic needs an odd one; use an odd modulus."
    ),
    Status.MOD_ZERO: "The modulus is zero; use an odd modulus of 3 or more.",
    Status.MOD_ONE: "The modulus is one; use an odd modulus of 3 or more.",
    Status.MOD_WIDE: (
        "The modulus has more bits than the core was built for; use a wider core or a smaller "
        "modulus."
    ),
    Status.NUM_WORDS: (
        "The engine was not built for this number of words; use a core of the operands' width."
    ),
    Status.NO_MODULUS: "The core holds no modulus; load one before computing.",
    Status.OPERAND: "The base is not below the modulus; reduce it modulo the modulus first.",
    Status.EXP_BITS: (
        "More exponent bits were asked for than the core's exponent window holds; use fewer bits "
        "or a core with a longer window."
    ),
    Status.ZEROIZED: (
        "The core was zeroized, which ended the operation and wiped its operands; start again."
    ),
}


def status_sentence(status: Status) -> str:
    """A full sentence that says what the status means and what to do; never with an operand.

    >>> status_sentence(Status.MOD_ONE)
    'The modulus is one; use an odd modulus of 3 or more.'
    """
    return _SENTENCES[status]
