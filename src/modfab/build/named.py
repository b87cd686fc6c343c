# SPDX-License-Identifier: Apache-2.0
"""A core of any kind from names and numbers, as commands and stored measurements give them."""

from __future__ import annotations

from collections.abc import Mapping

from modfab.build.core import BUS, Core, EngineCore, ModexpCore, engine_core, modexp_core
from modfab.build.farm import FarmCore, farm_core_of
from modfab.build.rsa import RSA_NAMES, RsaCore, rsa_core_of
from modfab.catalog import Params
from modfab.errors import UsageError

KINDS: tuple[type[Core], ...] = (EngineCore, ModexpCore, RsaCore, FarmCore)
"""Every kind of core, from the inside out."""

LEVELS = tuple(
    level
    for kind in KINDS
    for level, there in (
        (kind.kind, kind is EngineCore or kind.module),
        (kind.kind + BUS, kind.bus_module),
    )
    if there
)
"""What can be measured: a kind without its bus, or with it."""

KEYED = (RsaCore.kind, FarmCore.kind)
"""Kinds that hold an RSA key: their bits are those of n, and they have `choices`."""


def kind_of(level: str) -> str:
    """The kind of a level.

    Raises:
        UsageError: There is no such level.

    >>> kind_of("rsa_axil")
    'rsa'
    """
    if level not in LEVELS:
        raise UsageError(f"There is no level {level!r}; choose one of {', '.join(LEVELS)}.")
    return level.removesuffix(BUS)


def named_core(
    kind: str,
    engine: str,
    num_bits: int,
    params: Params,
    sequencer: str,
    exp_bits: int | None,
    choices: Mapping[str, int],
) -> Core:
    """Look up and check a core.

    Args:
        kind: One of the kinds' names.
        engine, sequencer: Names in the catalogue; an engine alone has no sequencer.
        num_bits: Bits of the modulus; of an RSA key those of n.
        params: Engine parameters other than the defaults.
        exp_bits: Capacity of the exponent window; `num_bits` when None. Others choose none.
        choices: What only an RSA core or a farm has a choice of.

    Raises:
        UsageError: A name or a value is not legal.
    """
    if exp_bits is not None and kind != ModexpCore.kind:
        raise UsageError(
            f"--exp-bits belongs to the kind {ModexpCore.kind}, but the core is of the kind "
            f"{kind}; leave it out."
        )
    if kind in KEYED:
        make = farm_core_of if kind == FarmCore.kind else rsa_core_of
        return make(engine, num_bits, params, sequencer, choices)
    if choices:
        raise UsageError(
            f"--rsa belongs to the kinds {', '.join(KEYED)}, but the core is of the kind {kind}; "
            "leave it out, or choose one of these."
        )
    if kind == EngineCore.kind:
        return engine_core(engine, num_bits, params)
    return modexp_core(engine, num_bits, params, sequencer, exp_bits)


__all__ = ["KEYED", "KINDS", "LEVELS", "RSA_NAMES", "kind_of", "named_core"]
