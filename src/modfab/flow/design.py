# SPDX-License-Identifier: Apache-2.0
"""What is measured: an engine, an exponentiator, an RSA core, a farm of them; its RTL files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from modfab.build.core import BUS, Core
from modfab.build.files import rtl_texts
from modfab.build.named import LEVELS
from modfab.errors import UsageError

BUILT = "mf_top"
"""Name of the measured module, which a build composes."""


@dataclass(frozen=True, slots=True)
class Design:
    """A core under measurement.

    Attributes:
        core: What is measured.
        bus: With its bus.
    """

    core: Core
    bus: bool = False

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UsageError(
                f"There is no level {self.level!r}; choose one of {', '.join(LEVELS)}."
            )

    @property
    def level(self) -> str:
        """Name of what is measured: the core's kind, with `_axil` for its bus."""
        return self.core.kind + (BUS if self.bus else "")

    def rtl(self, vendor: str) -> dict[str, str]:
        """File name -> text of the measured module `BUILT` and all below it, packages first.

        The generic primitives are replaced by the vendor's own where it has some.
        """
        return rtl_texts(self.core, self.bus, BUILT, vendor)

    @property
    def top(self) -> str:
        """Name of the measured module."""
        return BUILT


def digest_of(sources: dict[str, str]) -> str:
    """A short fingerprint of names and texts.

    >>> digest_of({"a.sv": "x"}) == digest_of({"a.sv": "y"})
    False
    """
    digest = hashlib.sha256()
    for name, text in sorted(sources.items()):
        digest.update(f"{name}\n{len(text)}\n{text}".encode())
    return digest.hexdigest()[:16]
