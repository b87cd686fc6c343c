# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share as a group, turned into one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any

Command = Callable[..., None]


def with_options(
    name: str, build: Callable[..., object], without: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Give a command the options of a function; it receives what the function returns.

    Args:
        name: The command's parameter for the outcome.
        build: Its parameters become options, annotated for Typer.
        without: Parameters that do not, and keep their defaults.

    Returns:
        A decorator for commands; several may be stacked.
    """

    def decorate(command: Command) -> Command:
        options = dict(inspect.signature(build, eval_str=True).parameters)
        for left_out in without:
            del options[left_out]
        own = dict(inspect.signature(command, eval_str=True).parameters)
        del own[name]

        @functools.wraps(command)
        def wrapped(**values: Any) -> None:
            outcome = build(**{option: values.pop(option) for option in options})
            command(**{name: outcome}, **values)

        shaped: Any = wrapped
        parameters = [
            value.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for value in (*own.values(), *options.values())
        ]
        shaped.__signature__ = inspect.Signature(parameters)
        shaped.__annotations__ = {value.name: value.annotation for value in parameters}
        del shaped.__wrapped__  # otherwise its signature would be looked at
        return wrapped

    return decorate
