# SPDX-License-Identifier: Apache-2.0
"""The farm: RSA cores behind one queue of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from modfab.build.core import Core, ModexpCore
from modfab.build.rsa import RsaCore, rsa_core, rsa_core_of
from modfab.catalog import Params
from modfab.errors import UsageError

DEFAULT_CORES = 2
MAX_CORES = 32
MAX_ID_BITS = 16


@dataclass(frozen=True, slots=True)
class WordCycles:
    """Clocks that depend on W, the words of a message.

    Attributes:
        per_word: For each of the W words.
        fixed: Besides.
    """

    per_word: int
    fixed: int

    def at(self, num_words: int) -> int:
        """The clocks for messages of that many words.

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


LONE_CYCLES = WordCycles(4, 33)
"""Clocks of a job in an idle farm beside its core's own, first word to first word."""
CHANGE_CYCLES = WordCycles(3, 17)
"""Clocks of a core between two operations, when a job waits and answers are taken."""


@dataclass(frozen=True, slots=True)
class FarmCore(Core):
    """A farm: RSA cores with one key behind one queue of jobs.

    Attributes:
        rsa: Each of the cores.
        cores: How many.
        id_bits: Bits of a job's id.
    """

    kind: ClassVar[str] = "farm"
    bus_module: ClassVar[str] = "mf_rsa_farm_axil"
    lists: ClassVar[tuple[str, ...]] = ("rsa/files.f", "farm/files.f")
    bus_lists: ClassVar[tuple[str, ...]] = ("bus/farm_axil.f",)

    rsa: RsaCore
    cores: int = DEFAULT_CORES
    id_bits: int = MAX_ID_BITS

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
        if not 1 <= self.cores <= MAX_CORES:
            raise UsageError(
                f"Expected 1 to {MAX_CORES} cores, but got {self.cores}; use several farms for "
                "more."
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

    def lone_cycles(self, own: int) -> int:
        """Clocks of a job in an idle farm, first word to first word.

        Args:
            own: Those of its core.
        """
        return own + LONE_CYCLES.at(self.num_words)

    def full_cycles(self, own: int) -> int:
        """Clocks from one job of a full queue to the next, on average and rounded up.

        Args:
            own: Those of a core.
        """
        return -(-(own + CHANGE_CYCLES.at(self.num_words)) // self.cores)

    @property
    def unit(self) -> ModexpCore:
        """Engine and sequencer of each core."""
        return self.rsa.unit

    @property
    def num_bits(self) -> int:
        """Bits of n."""
        return self.rsa.num_bits

    def choices(self) -> dict[str, int]:
        """Those of its cores, and how many there are.

        >>> farm_core("bit_serial", 64, cores=3).choices()["cores"]
        3
        """
        return {**self.rsa.choices(), "cores": self.cores}

    def non_defaults(self) -> dict[str, int]:
        """Those of its cores, and how many there are."""
        return {**self.rsa.non_defaults(), "cores": self.cores}

    def inner(self) -> tuple[Core, ...]:
        """The farm, and one of its cores."""
        return (self, self.rsa)

    def engine_files(self) -> tuple[str, ...]:
        """Those of its cores."""
        return self.rsa.engine_files()

    def cycles(self) -> dict[str, int]:
        """Those of each core."""
        return self.rsa.cycles()


def farm_core(
    engine: str,
    half_bits: int,
    cores: int,
    overrides: Params | None = None,
    sequencer: str = "ladder",
    engines: int = 1,
) -> FarmCore:
    """Look up and check a configuration.

    Args:
        engine, half_bits, overrides, sequencer, engines: As for `rsa_core`.
        cores: RSA cores.

    Raises:
        UsageError: An unknown name or a value out of range.
    """
    return FarmCore(rsa_core(engine, half_bits, overrides, sequencer, engines=engines), cores)


def farm_core_of(
    engine: str, num_bits: int, overrides: Params, sequencer: str, options: Mapping[str, int]
) -> FarmCore:
    """A farm for a modulus of that many bits, its options by their names.

    Args:
        engine, num_bits, overrides, sequencer: As for `rsa_core_of`.
        options: Those of `rsa_core_of`, and `cores`.

    Raises:
        UsageError: As `rsa_core_of`, or a number of cores that is out of range.
    """
    left = dict(options)
    cores = left.pop("cores", DEFAULT_CORES)
    return FarmCore(rsa_core_of(engine, num_bits, overrides, sequencer, left), cores)
