# SPDX-License-Identifier: Apache-2.0
"""The design that a command's options name."""

from __future__ import annotations

from modfab.build.core import modexp_core
from modfab.build.farm import DEFAULT_CORES, FarmCore
from modfab.build.rsa import rsa_core_of
from modfab.errors import UsageError
from modfab.flow.design import RSA_LEVELS, Design, farm_design, rsa_design


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
    params, rsa = options[0], dict(options[1])
    if level == "farm":
        cores = rsa.pop("cores", DEFAULT_CORES)
        core = rsa_core_of(engine, bits, params, sequencer, rsa)
        return farm_design(FarmCore(core, cores))
    if level in RSA_LEVELS:
        return rsa_design(rsa_core_of(engine, bits, params, sequencer, rsa), level)
    if rsa:
        raise UsageError(
            f"--rsa belongs to the levels {', '.join(RSA_LEVELS)}, but the level is {level}; "
            "leave it out, or choose one of these."
        )
    return Design(modexp_core(engine, bits, params, sequencer, exp_bits), level)
