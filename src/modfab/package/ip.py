# SPDX-License-Identifier: Apache-2.0
"""What a package is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from modfab.build.core import Core
from modfab.flow.record import Record
from modfab.flow.targets import Target
from modfab.package.kind import KINDS, PUBLIC, Kind


@dataclass(frozen=True, slots=True)
class IpPackage:
    """What a package is made from.

    Attributes:
        core: What is packed.
        name: Name of the top module and of most files.
        target: Device whose primitives are used; None for the generic ones.
        records: Measurements that the datasheet may show.
        floorplan: SVG of a placement; empty for none.
    """

    core: Core
    name: str
    target: Target | None = None
    records: Sequence[Record] = field(default=(), hash=False)
    floorplan: str = ""

    @property
    def kind(self) -> Kind:
        """What is special about packages of this kind of core."""
        if (self.core.choices() or {}).get("public_only"):
            return PUBLIC
        return KINDS[self.core.kind]
