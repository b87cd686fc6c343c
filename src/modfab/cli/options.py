# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and how their texts become numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from modfab.errors import UsageError

EngineName = Annotated[str, typer.Option("--engine", help="Engine; `modfab engines` lists them.")]
NumBits = Annotated[int, typer.Option("--bits", help="Bits of the modulus that the core holds.")]
ParamTexts = Annotated[
    list[str] | None,
    typer.Option("-P", "--param", metavar="NAME=VALUE", help="Engine parameter; may be repeated."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Report as JSON on standard output.")]


def parse_params(texts: Sequence[str] | None) -> dict[str, int]:
    """Engine parameters from `NAME=VALUE` texts.

    Raises:
        UsageError: A text has no `=`, or its value is not a whole number.

    >>> parse_params(["Variant=0", "BitsPerClock=8"])
    {'Variant': 0, 'BitsPerClock': 8}
    """
    params = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not value.lstrip("-").isdigit():
            raise UsageError(
                f"Expected -P NAME=VALUE with a whole number, but got {text!r}; "
                "write for example -P BitsPerClock=8."
            )
        params[name] = int(value)
    return params


def parse_hex(text: str, what: str) -> int:
    """A number in hexadecimal, with or without 0x; `what` names it in the error.

    Raises:
        UsageError: The text is not a hexadecimal number. It is not repeated, it may be a secret.

    >>> parse_hex("0xff", "--mod")
    255
    """
    try:
        if text.startswith("-") or "_" in text:
            raise ValueError
        return int(text, 16)
    except ValueError:
        raise UsageError(
            f"{what} must be a hexadecimal number such as c5 or 0xc5; give digits 0-9 and a-f."
        ) from None
