# SPDX-License-Identifier: Apache-2.0
"""The design that a command's options name."""

from __future__ import annotations

from modfab.errors import UsageError
from modfab.flow.design import RSA_LEVELS, Design, rsa_design
from modfab.gen.config import core_config
from modfab.gen.rsa import rsa_config_of


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
    params, rsa = options
    if level in RSA_LEVELS:
        return rsa_design(rsa_config_of(engine, bits, params, sequencer, rsa), level)
    if rsa:
        raise UsageError(
            f"--rsa belongs to the levels {' and '.join(RSA_LEVELS)}, but the level is {level}; "
            "leave it out, or choose one of these."
        )
    return Design(core_config(engine, bits, params, sequencer, exp_bits), level)
