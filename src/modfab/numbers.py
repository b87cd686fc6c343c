# SPDX-License-Identifier: Apache-2.0
"""Integers and vectors of words, whose order nothing else knows; and which numbers are finite."""

from __future__ import annotations

import math
from collections.abc import Sequence

from modfab.errors import OperandError, UsageError

WORD_BITS = 32
"""Bits of a word on every stream and window of the cores."""


def words_of(num_bits: int, word_bits: int = WORD_BITS) -> int:
    """Number of words that hold a value of `num_bits` bits.

    >>> words_of(32), words_of(33)
    (1, 2)
    """
    return -(-num_bits // word_bits)


def whole_words(num_bits: int) -> int:
    """Bits of the whole words that hold so many.

    >>> whole_words(1), whole_words(64), whole_words(65)
    (32, 64, 96)
    """
    return WORD_BITS * words_of(num_bits)


def to_words(value: int, num_words: int, word_bits: int = WORD_BITS) -> list[int]:
    """Split an integer into words, least significant first.

    Args:
        value: Not negative, below 2**(num_words*word_bits).
        num_words: Length of the result.
        word_bits: Bits of one word.

    Returns:
        `num_words` words of `word_bits` bits.

    Raises:
        OperandError: The value is negative or does not fit.

    >>> to_words(0x1_00000002, 3)
    [2, 1, 0]
    """
    if value < 0 or value.bit_length() > num_words * word_bits:
        raise OperandError(
            f"Expected a number from 0 to 2^{num_words * word_bits} - 1, but it has "
            f"{value.bit_length()} bits{' and is negative' if value < 0 else ''}; "
            "use a wider core or a smaller number."
        )
    mask = (1 << word_bits) - 1
    return [(value >> (i * word_bits)) & mask for i in range(num_words)]


def from_words(words: Sequence[int], word_bits: int = WORD_BITS) -> int:
    """Join words, least significant first, into an integer.

    >>> hex(from_words([2, 1]))
    '0x100000002'
    """
    return sum(word << (i * word_bits) for i, word in enumerate(words))


def check_finite(value: float, what: str) -> None:
    """Refuse nan and inf, which comparisons with a least or a most let pass.

    Args:
        value: What was given.
        what: Its name: an option, or a word behind "a".

    Raises:
        UsageError: It is one of these.
    """
    if not math.isfinite(value):
        raise UsageError(
            f"Expected a {what} that is a finite number, but got {value}; give one, or leave it "
            "out."
        )
