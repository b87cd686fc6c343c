# SPDX-License-Identifier: Apache-2.0
"""One configuration of a farm of RSA cores: that of a core, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass

from modfab.build.rsa import (
    RsaCore,
    rsa_core,
    shape_record,
)
from modfab.catalog import Params
from modfab.errors import UsageError

DEFAULT_CORES = 2
MAX_CORES = 32
MAX_ID_BITS = 16


@dataclass(frozen=True, slots=True)
class FarmCore:
    """One configuration of a farm.

    Attributes:
        rsa: Every core's.
        cores: How many.
        id_bits: Bits of a job's id.
    """

    rsa: RsaCore
    cores: int = DEFAULT_CORES
    id_bits: int = MAX_ID_BITS

    def __post_init__(self) -> None:
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

    @property
    def lone_cycles(self) -> int:
        """Clocks of a job in an idle farm beside its core's own, first word to first word."""
        return 4 * self.num_words + 14

    @property
    def change_cycles(self) -> int:
        """Clocks of a core between two operations, when a job waits and answers are taken."""
        return 3 * self.num_words + 6

    def files(self) -> tuple[str, ...]:
        """RTL files below rtl/ that the configured engine and sequencer need, in order."""
        return self.rsa.files()


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


def farm_record(config: FarmCore) -> dict[str, int]:
    """A farm as a measurement stores it: the shape of its cores, and how many.

    >>> farm_record(farm_core("bit_serial", 64, cores=3))["cores"]
    3
    """
    return (shape_record(config.rsa) or {}) | {"cores": config.cores}
