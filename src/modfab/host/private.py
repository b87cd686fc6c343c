# SPDX-License-Identifier: Apache-2.0
"""A private key in a core, or in every core of a farm, for one or for many operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from modfab.build.farm import FarmCore
from modfab.errors import CryptoError, UsageError
from modfab.host.batch import Job, run_batch
from modfab.host.choice import CoreChoice, check_fits, prime_bits_of
from modfab.host.core_device import CycleProgress
from modfab.host.core_key import ModExp
from modfab.host.farm_device import FarmDevice
from modfab.host.farm_transport import SimFarmTransport
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.rsa import ModExpResult

_T = TypeVar("_T")

_BATCH_A_CORE = 8  # jobs that are computed together: enough to keep a queue full


class PrivateKeyCore(Protocol):
    """A core that computes with a private key."""

    @property
    def last(self) -> ModExpResult | None:
        """What the last operation cost."""

    def private_operation(self, key: RsaPublic) -> ModExp:
        """Map x to x**d mod n."""


@dataclass(frozen=True, slots=True)
class Farm:
    """A simulated farm that holds a key, and the simulator that it is in."""

    device: FarmDevice
    transport: SimFarmTransport

    @property
    def clock(self) -> int:
        """Cycles since the simulation began."""
        return self.transport.farm.clock


@contextmanager
def open_farm(choice: CoreChoice, key: RsaPublic, cores: int) -> Iterator[Farm]:
    """A simulated farm of RSA cores that all hold the key.

    Raises:
        UsageError: The device is no simulation, or the core is not the RSA core.
        CryptoError: The key is only the public half.
    """
    if choice.rsa is None or choice.device != "sim":
        raise UsageError(
            "Several cores are a farm of RSA cores in the simulator, but another core or device "
            "was chosen; leave --cores out, or choose --core rsa and --device sim."
        )
    if not isinstance(key, RsaPrivate):
        raise CryptoError(
            "A farm needs the private key, but only the public one is here; give the file with the "
            "private key."
        )
    check_fits(choice, key)
    core = FarmCore(choice.rsa_core(prime_bits_of(key)), cores)
    transport = SimFarmTransport(core)
    with FarmDevice(transport) as device:
        device.load_key(key)
        yield Farm(device, transport)


def run_on_farm(
    device: FarmDevice, jobs: Sequence[Job[_T]], progress: CycleProgress | None = None
) -> list[_T]:
    """Jobs on all cores of a farm at the same time; as many results as jobs, in their order."""
    results: list[_T] = []
    size = _BATCH_A_CORE * device.num_cores
    for start in range(0, len(jobs), size):

        def modexps(bases: Sequence[int], before: int = start) -> list[int]:
            def done(number: int, total: int | None) -> None:
                del total
                if progress:
                    progress(before + number, len(jobs))

            return device.run(bases, done=done)

        results += run_batch(jobs[start : start + size], modexps)
    return results
