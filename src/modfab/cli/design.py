# SPDX-License-Identifier: Apache-2.0
"""The design that a command's options name."""

from __future__ import annotations

from collections.abc import Mapping

from modfab.build.core import EngineCore
from modfab.build.named import kind_of, named_core
from modfab.build.rsa import PUBLIC_SEQUENCER
from modfab.errors import UsageError
from modfab.flow.design import Design


def design_of(
    engine: str,
    bits: int,
    options: tuple[dict[str, int], dict[str, int]],
    level: str,
    sequencer: str,
    exp_bits: int | None,
) -> Design:
    """What is measured; `options` are the engine's and the RSA core's.

    Raises:
        UsageError: A name or a value is not legal.
    """
    kind = kind_of(level)
    core = named_core(kind, engine, bits, options[0], sequencer, exp_bits, options[1])
    return Design(core, bus=level != kind)


def sequencer_of(
    name: str | None, kind: str, choices: Mapping[str, int], usual: str = "ladder"
) -> str:
    """The sequencer that was asked for, or the usual one.

    Args:
        name: What was asked for; None for nothing.
        kind: Of the core.
        choices: What only an RSA core has a choice of.
        usual: Without a name.

    Raises:
        UsageError: One was asked for of a core that has none.
    """
    if name is None:
        return usual
    if kind == EngineCore.kind:
        raise UsageError(
            f"An engine alone has no sequencer, but --sequencer {name} was given; leave it out, or "
            "choose another --level."
        )
    if choices.get("public_only") and name != PUBLIC_SEQUENCER:
        raise UsageError(
            f"A core for public operations only walks e by itself, from the left, but --sequencer "
            f"{name} was given; leave it out."
        )
    return name
