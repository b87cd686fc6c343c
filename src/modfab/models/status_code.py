# SPDX-License-Identifier: Apache-2.0
"""A status code with its sentence; the codes themselves come from the register maps."""

from __future__ import annotations

from enum import IntEnum


class StatusCode(IntEnum):
    """Base of the enums in `modfab.models.generated.status`.

    Attributes:
        sentence: What the code means and what to do, for users; never with an operand.
    """

    sentence: str

    def __new__(cls, code: int, sentence: str = "") -> StatusCode:
        """A member; the sentence is left out where a code is looked up."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member
