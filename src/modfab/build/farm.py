# SPDX-License-Identifier: Apache-2.0
"""The farm: RSA cores behind one queue of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

from modfab.build.core import Core, ModexpCore
from modfab.build.rsa import SET_BY_CORE, RsaCore, rsa_core, rsa_core_of
from modfab.catalog import Params
from modfab.errors import UsageError
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E

DEFAULT_CORES = 2
MAX_CORES = 32
MAX_ID_BITS = 16

FARM_NAMES = ("cores", "small_cores", "small_elements")
"""Options of a farm beside those of its cores."""

_ELEMENTS = "NumElements"
_FULL_ONLY = ("QuotientTables", "FactorSlots", "LoadSum", "TwoInTurn")
"""Parameters that a folded engine does not have."""
_FOLDED = {"window5": "window"}
"""What takes the place of a sequencer in a folded engine: a table of 32 powers pays with few factor
slots, and would need more words than an element's block RAM has."""


@dataclass(frozen=True, slots=True)
class WordCycles:
    """Cycles that depend on W, the words of a message.

    Attributes:
        per_word: For each of the W words.
        fixed: Besides.
    """

    per_word: int
    fixed: int

    def at(self, num_words: int) -> int:
        """The cycles for messages of that many words.

        >>> WordCycles(4, 16).at(2)
        24
        """
        return self.per_word * num_words + self.fixed

    @property
    def text(self) -> str:
        """The formula.

        >>> WordCycles(4, 16).text
        '4 W + 16'
        """
        return f"{self.per_word} W + {self.fixed}"


LONE_CYCLES = WordCycles(4, 35)
"""Cycles of a job in an idle farm beside its core's own, first word to first word."""
CHANGE_CYCLES = WordCycles(3, 18)
"""Cycles of a core between two operations, when a job waits and answers are taken."""


@dataclass(frozen=True, slots=True)
class FarmCore(Core):
    """A farm: RSA cores with one key behind one queue of jobs.

    Attributes:
        rsa: Each of the cores, but for the small ones.
        cores: How many there are in all.
        id_bits: Bits of a job's id.
        small: What the last ones of the cores are instead, see `small_core`.
        small_cores: How many of them.
    """

    kind: ClassVar[str] = "farm"
    bus_module: ClassVar[str] = "mf_rsa_farm_axil"
    lists: ClassVar[tuple[str, ...]] = ("rsa/files.f", "farm/files.f")
    bus_lists: ClassVar[tuple[str, ...]] = ("bus/farm_axil.f",)

    rsa: RsaCore
    cores: int = DEFAULT_CORES
    id_bits: int = MAX_ID_BITS
    small: RsaCore | None = None
    small_cores: int = 0

    def __post_init__(self) -> None:
        if self.rsa.shape.public_only:
            raise UsageError(
                "A farm shares one private key, but its cores were to be for public operations "
                "only (public_only); leave that out, or choose --core rsa."
            )
        if self.rsa.shape.keys > 1:
            raise UsageError(
                f"A farm shares one key, but its cores were to keep {self.rsa.shape.keys} (keys); "
                "leave that out, or choose --core rsa."
            )
        if self.rsa.shape.keygen:
            raise UsageError(
                "The cores of a farm share one key that the host gives them, but they were to make "
                "their own (keygen); leave that out, or choose --core rsa."
            )
        if not 1 <= self.cores <= MAX_CORES:
            raise UsageError(
                f"Expected 1 to {MAX_CORES} cores, but got {self.cores}; use several farms for "
                "more."
            )
        if not 0 <= self.small_cores < self.cores or bool(self.small_cores) != bool(self.small):
            raise UsageError(
                f"Of {self.cores} cores 0 to {self.cores - 1} can be small ones, but "
                f"{self.small_cores} were to be; choose one of these, and small_elements with it."
            )
        if not 1 <= self.id_bits <= MAX_ID_BITS:
            raise UsageError(
                f"Expected 1 to {MAX_ID_BITS} bits of a job's id, but got {self.id_bits}; choose "
                "one of these."
            )

    @property
    def num_words(self) -> int:
        """Words of a message and of a result."""
        return self.rsa.shape.num_words

    def own_cycles(self, entry: RsaEntry) -> list[int]:
        """Cycles of a program with the usual e, in each core."""
        large, *small = [core.programs().program(entry, USUAL_E) for core in self.different()]
        return [large] * (self.cores - self.small_cores) + small * self.small_cores

    def lone_cycles(self, own: int) -> int:
        """Cycles of a job in an idle farm, first word to first word.

        Args:
            own: Those of its core.
        """
        return own + LONE_CYCLES.at(self.num_words)

    def full_cycles(self, owns: Sequence[int]) -> int:
        """Cycles from one job of a full queue to the next, on average and rounded up.

        Args:
            owns: Those of each core. None of them waits, so a job goes to each as often as it can
                take one.

        >>> farm_core("bit_serial", 64, cores=2).full_cycles([1000, 1000])
        515
        """
        change = CHANGE_CYCLES.at(self.num_words)
        return ceil(1 / sum(Fraction(1, own + change) for own in owns))

    @property
    def unit(self) -> ModexpCore:
        """Engine and sequencer of each core."""
        return self.rsa.unit

    @property
    def num_bits(self) -> int:
        """Bits of n."""
        return self.rsa.num_bits

    def choices(self) -> dict[str, int]:
        """Those of its cores, how many there are, and which of them are small.

        >>> farm_core("bit_serial", 64, cores=3).choices()["cores"]
        3
        """
        return {**self.rsa.choices(), **self._own_choices()}

    def non_defaults(self) -> dict[str, int]:
        """Those of its cores, how many there are, and which of them are small."""
        return {**self.rsa.non_defaults(), **self._own_choices()}

    def _own_choices(self) -> dict[str, int]:
        if self.small is None:
            return {"cores": self.cores}
        elements = self.small.unit.params[_ELEMENTS]
        return dict(zip(FARM_NAMES, (self.cores, self.small_cores, elements), strict=True))

    def inner(self) -> tuple[Core, ...]:
        """The farm, and one of its cores of each kind."""
        return (self, *self.different())

    def different(self) -> tuple[RsaCore, ...]:
        """One of its cores of each kind, the small one last."""
        return (self.rsa, self.small) if self.small else (self.rsa,)

    def engine_files(self) -> tuple[str, ...]:
        """Those of its cores."""
        return tuple(
            dict.fromkeys(file for core in self.different() for file in core.engine_files())
        )

    def cycles(self) -> dict[str, int]:
        """Those of each core that is not small."""
        return self.rsa.cycles()


def small_core(rsa: RsaCore, elements: int) -> RsaCore:
    """A core that does the same in less area: two folded engines instead of two or a dual-port one.

    The memory map is that of the other core, so that both take the same key words. So are the
    programs, but for what a folded engine does without loads that add, and for its slots where it
    has another sequencer.

    Args:
        rsa: The other core.
        elements: Of each array.

    Raises:
        UsageError: Its engine cannot be folded, or not to so many elements.

    >>> large = rsa_core("qp_systolic", 64, {"Contexts": 1}, engines=2, pair=True)
    >>> small = small_core(large, 3)
    >>> small.unit.params["NumElements"], small.image == large.image
    (3, True)
    """
    if _ELEMENTS not in rsa.unit.params or rsa.shape.engines != 2:
        raise UsageError(
            "Small cores of a farm have two folded engines (small_elements), but the engine is "
            f"{rsa.unit.engine.name} and engines={rsa.shape.engines}; choose an engine with "
            f"{_ELEMENTS} and engines=2, or no small cores."
        )
    left = {
        name: value
        for name, value in rsa.unit.params.items()
        if name not in ("NumBits", *_FULL_ONLY, *SET_BY_CORE)
    }
    options = {**rsa.non_defaults(), "engines": 2}
    options.pop("pair", None)
    sequencer = _FOLDED.get(rsa.unit.sequencer_name, rsa.unit.sequencer_name)
    params = {**left, _ELEMENTS: elements}
    return rsa_core_of(rsa.unit.engine.name, rsa.num_bits, params, sequencer, options)


def farm_core(
    engine: str,
    half_bits: int,
    cores: int,
    overrides: Params | None = None,
) -> FarmCore:
    """Look up and check a configuration.

    Args:
        engine, half_bits, overrides: As for `rsa_core`.
        cores: RSA cores.

    Raises:
        UsageError: An unknown name or a value out of range.
    """
    return FarmCore(rsa_core(engine, half_bits, overrides), cores)


def farm_core_of(
    engine: str, num_bits: int, overrides: Params, sequencer: str, options: Mapping[str, int]
) -> FarmCore:
    """A farm for a modulus of that many bits, its options by their names.

    Args:
        engine, num_bits, overrides, sequencer: As for `rsa_core_of`.
        options: Those of `rsa_core_of`, and `FARM_NAMES`.

    Raises:
        UsageError: As `rsa_core_of` and `small_core`, or a number of cores that is out of range.
    """
    left = {name: value for name, value in options.items() if name not in FARM_NAMES}
    cores, number = options.get("cores", DEFAULT_CORES), options.get("small_cores", 0)
    rsa = rsa_core_of(engine, num_bits, overrides, sequencer, left)
    elements = options.get("small_elements", 0)
    small = small_core(rsa, elements) if elements else None
    return FarmCore(rsa, cores, small=small, small_cores=number)
