# SPDX-License-Identifier: Apache-2.0
"""The design that a command's options name."""

from __future__ import annotations

from modfab.build.named import kind_of, named_core
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
