# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and how their texts become numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from modfab.errors import UsageError
from modfab.numbers import check_finite

EngineName = Annotated[str, typer.Option("--engine", help="Engine; `modfab engines` lists them.")]
NumBits = Annotated[int, typer.Option("--bits", help="Bits of the modulus that the core holds.")]
ParamTexts = Annotated[
    list[str] | None,
    typer.Option("-P", "--param", metavar="NAME=VALUE", help="Engine parameter; may be repeated."),
]
MAX_DIGITS = 18
"""Of a number that is no operand: far more than any has."""
MAX_SEEDS = 1000
"""Most seeds of one command; the result of each is kept in memory."""

AsJson = Annotated[bool, typer.Option("--json", help="Report as JSON on standard output.")]


def refuse_elsewhere(given: Mapping[str, object], where: str) -> None:
    """Refuse options that would be ignored.

    Args:
        given: Option -> its value; None where it was not given.
        where: What they belong to, and what to do.

    Raises:
        UsageError: One was given.
    """
    wrong = [name for name, value in given.items() if value is not None]
    if wrong:
        verb = "belongs" if len(wrong) == 1 else "belong"
        raise UsageError(f"{', '.join(wrong)} {verb} to {where}.")


def finite(option: typer.CallbackParam, value: float | None) -> float | None:
    """Callback of every option that is no whole number: refuses nan and inf.

    Raises:
        UsageError: It is one of these.
    """
    if value is not None:
        check_finite(value, option.opts[0])
    return value


def finite_or_endless(option: typer.CallbackParam, value: float | None) -> float | None:
    """As `finite`, of a limit that may be none: inf.

    Raises:
        UsageError: It is nan.
    """
    if value is not None and value != math.inf:
        check_finite(value, option.opts[0])
    return value


RSA_EXAMPLE = "--rsa engines=2"


def parse_params(texts: Sequence[str] | None, example: str = "-P BitsPerClock=8") -> dict[str, int]:
    """Numbers from `NAME=VALUE` texts: parameters of an engine, choices of an RSA core.

    Args:
        texts: As typed.
        example: The option and a value of it, for people.

    Raises:
        UsageError: A text has no `=`, its value is not a whole number or a very long one, or its
            name was there before.

    >>> parse_params(["Variant=0", "BitsPerClock=8"])
    {'Variant': 0, 'BitsPerClock': 8}
    """
    params: dict[str, int] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not _whole(value):
            raise UsageError(
                f"Expected {example.split()[0]} NAME=VALUE with a whole number, but got "
                f"{text[:40]!r}; write for example {example}."
            )
        if name in params:
            raise UsageError(
                f"{name} was given twice, as {params[name]} and as {value}; leave one of them out."
            )
        params[name] = int(value)
    return params


def _whole(text: str) -> bool:
    """Whether it is a whole number in ASCII digits, and not too many of them."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal() and len(digits) <= MAX_DIGITS


@dataclass(frozen=True, slots=True)
class Number:
    """A number that was typed, and how it was read."""

    what: str
    value: int
    base: str

    @property
    def text(self) -> str:
        """What was read, without the number itself: it may be a secret.

        >>> parse_number("197", "--mod").text
        '--mod decimal, 8 bits'
        """
        return f"{self.what} {self.base}, {self.value.bit_length()} bits"


def parse_number(text: str, what: str) -> Number:
    """A number: hexadecimal with 0x or a letter in it, decimal otherwise; `what` names the option.

    Raises:
        UsageError: The text is no number, or a decimal one that Python does not read. It is not
            repeated, it may be a secret.

    >>> [parse_number(text, "--mod").value for text in ("0x197", "197", "c5")]
    [407, 197, 197]
    """
    try:
        if not text.isascii() or not text.isalnum():
            raise ValueError
        if text.isdecimal():
            return Number(what, _decimal(text, what), "decimal")
        return Number(what, int(text, 16), "hexadecimal")
    except ValueError:
        raise UsageError(
            f"{what} must be a whole number such as 197 or 0xc5; give decimal digits, or 0x and "
            "hexadecimal ones."
        ) from None


def _decimal(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:  # of digits alone: Python has a limit, because reading them takes long
        raise UsageError(
            f"{what} has {len(text):,} decimal digits, more than Python reads (4,300, or "
            "PYTHONINTMAXSTRDIGITS); write it in hexadecimal (0x...)."
        ) from None
