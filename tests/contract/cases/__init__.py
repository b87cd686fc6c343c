# SPDX-License-Identifier: Apache-2.0
"""The parameter sets that go through the contract suite: a file for each engine, of its name."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from modfab.catalog import ENGINES, Engine, Params, get_engine
from tests.contract.pair import pair_port


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One parameter set of an engine.

    Attributes:
        id: Its name among the engine's cases, part of the test's name.
        num_bits: Width; a range draws one with the printed seed.
        params: Parameters other than the defaults; a range draws a value in the same way.
        pair: One port of the engine's dual-port form instead of the engine itself.
        full: Run with --full only.
    """

    id: str
    num_bits: int | range = range(16, 200)
    params: Mapping[str, int | range] = field(default_factory=dict)
    pair: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A case and the engine that it is of."""

    engine_name: str
    case: Case

    @property
    def id(self) -> str:
        """Name among all subjects."""
        return f"{self.engine_name}-{self.case.id}"

    @property
    def engine(self) -> Engine:
        """What is built."""
        engine = get_engine(self.engine_name)
        return pair_port(engine) if self.case.pair else engine

    def resolve(self, rng: random.Random) -> Params:
        """All parameters; a random width comes from `rng`."""
        chosen = self.case.num_bits
        num_bits = rng.choice(chosen) if isinstance(chosen, range) else chosen
        params = {
            name: rng.choice(value) if isinstance(value, range) else value
            for name, value in self.case.params.items()
        }
        return self.engine.resolve(num_bits, params)


def _text(value: int | range) -> str:
    return f"{value.start}to{value.stop - 1}" if isinstance(value, range) else str(value)


def sweep(*, num_bits: int | range, params: Mapping[str, int | range], pair: bool = False) -> Case:
    """A case of a sweep, for --full, named after all that it sets."""
    values = "-".join(f"{name}{_text(value)}" for name, value in params.items())
    head = ["pair" if pair else "sweep", _text(num_bits)]
    name = "-".join([*head, *([values] if values else [])])
    return Case(id=name, num_bits=num_bits, params=params, pair=pair, full=True)


def cases_of(engine_name: str) -> list[Case]:
    """The `CASES` of an engine's file."""
    found: list[Case] = import_module(f"{__name__}.{engine_name}").CASES
    return found


def subjects() -> list[Subject]:
    """All cases of all engines of the catalogue."""
    return [Subject(engine_name=name, case=case) for name in ENGINES for case in cases_of(name)]
