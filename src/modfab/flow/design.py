# SPDX-License-Identifier: Apache-2.0
"""What is measured: an engine, an exponentiator, an RSA core, a farm of them; its RTL files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from modfab.build.compose import LEVELS, AnyConfig
from modfab.build.core import ModexpCore
from modfab.build.farm import FarmCore
from modfab.build.files import rtl_texts
from modfab.build.rsa import RsaCore
from modfab.errors import UsageError

BUILT = "mf_top"
"""Name of the measured module, which a build composes."""

RSA_LEVELS = ("rsa", "rsa_axil", "farm")
"""Levels that need the configuration of an RSA core."""


@dataclass(frozen=True, slots=True)
class Design:
    """One design under measurement: a level of the library with one configuration.

    Attributes:
        config: Engine and sequencer; of an RSA core those for its primes.
        level: One of `LEVELS`.
        rsa: The RSA core; with `RSA_LEVELS` only.
        farm: How many of them; with the level `farm` only.
    """

    config: ModexpCore
    level: str
    rsa: RsaCore | None = None
    farm: FarmCore | None = None

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UsageError(
                f"There is no level {self.level!r}; choose one of {', '.join(LEVELS)}."
            )
        if (self.rsa is not None) != (self.level in RSA_LEVELS):
            raise UsageError(
                f"The levels {', '.join(RSA_LEVELS)} need the configuration of an RSA core, the "
                f"others have none, but the level is {self.level}; use `rsa_design` for one."
            )
        if (self.farm is not None) != (self.level == "farm"):
            raise UsageError(
                f"The level farm needs the configuration of a farm, the others have none, but the "
                f"level is {self.level}; use `farm_design` for one."
            )

    @property
    def built(self) -> AnyConfig:
        """What is built."""
        return self.farm or self.rsa or self.config

    def rtl(self, vendor: str) -> dict[str, str]:
        """File name -> text of the measured module `BUILT` and all below it, packages first.

        The generic primitives are replaced by the vendor's own where it has some.
        """
        return rtl_texts(self.built, self.level, BUILT, vendor)

    @property
    def top(self) -> str:
        """Name of the measured module."""
        return BUILT


def rsa_design(config: RsaCore, level: str = "rsa") -> Design:
    """An RSA core under measurement: `rsa` without its bus, `rsa_axil` with it."""
    return Design(config.core, level, config)


def farm_design(config: FarmCore) -> Design:
    """A farm with its bus under measurement."""
    return Design(config.rsa.core, "farm", config.rsa, config)


def digest_of(sources: dict[str, str]) -> str:
    """A short fingerprint of names and texts.

    >>> digest_of({"a.sv": "x"}) == digest_of({"a.sv": "y"})
    False
    """
    digest = hashlib.sha256()
    for name, text in sorted(sources.items()):
        digest.update(f"{name}\n{len(text)}\n{text}".encode())
    return digest.hexdigest()[:16]
