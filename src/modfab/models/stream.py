# SPDX-License-Identifier: Apache-2.0
"""Cycle-exact models of the stream parts `mf_skid_buffer`, `mf_rsa_farm_skid`, `mf_rr_arb`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class Skid(Generic[Item]):
    """Two places; both handshakes of a cycle are decided by what is there when it begins.

    >>> skid = Skid[int]()
    >>> skid.step(1, ready=False), skid.step(2, ready=False), skid.step(3, ready=False)
    (True, True, False)
    >>> skid.front
    1
    """

    places: list[Item] = field(default_factory=list)

    @property
    def front(self) -> Item | None:
        """What is offered, None when nothing is."""
        return self.places[0] if self.places else None

    @property
    def ready(self) -> bool:
        """Whether a word can come in."""
        return len(self.places) < 2

    def step(self, item: Item | None, ready: bool) -> bool:
        """One cycle.

        Args:
            item: What comes in, None for nothing.
            ready: The front is taken if there is one.

        Returns:
            Whether the item was taken.
        """
        taken = item is not None and self.ready
        if ready and self.places:
            del self.places[0]
        if taken and item is not None:
            self.places.append(item)
        return taken


@dataclass(slots=True)
class RoundRobin:
    """Round-robin arbiter.

    >>> arbiter = RoundRobin()
    >>> [arbiter.take([True, False, True]) for _ in range(3)]
    [0, 2, 0]
    """

    last: int | None = None

    def pick(self, asking: Sequence[bool]) -> int | None:
        """The next index that asks behind the last one taken; None when none asks."""
        who = [index for index, asks in enumerate(asking) if asks]
        behind = [index for index in who if self.last is not None and index > self.last]
        return next(iter(behind or who), None)

    def take(self, asking: Sequence[bool]) -> int | None:
        """As `pick`; the next pick begins behind it."""
        picked = self.pick(asking)
        if picked is not None:
            self.last = picked
        return picked
