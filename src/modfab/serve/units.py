# SPDX-License-Identifier: Apache-2.0
"""What computes private operations for the daemon: an RSA core, or a farm of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from modfab.build.farm import FarmCore
from modfab.build.rsa import RsaCore
from modfab.errors import NoDeviceError
from modfab.host import rsa_commands
from modfab.host.choice import check_primes
from modfab.host.closing import closed_on_error
from modfab.host.defaults import SIMULATED
from modfab.host.farm_device import FarmDevice
from modfab.host.farm_transport import SimFarmTransport
from modfab.host.keys import RsaPrivate
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_open import open_hardware, open_rsa_device, prime_bits_of
from modfab.serve.jobs import PrivateResult


class Unit(Protocol):
    """One device of the daemon, used by one thread at a time."""

    batch: int
    """Jobs that it takes at a time."""
    key_loads: int
    """Keys that it has set up so far."""

    def prepare(self) -> None:
        """Open hardware and wipe it, before the first key; a simulation waits for a key's width.

        Raises:
            DeviceError: The device does not answer, or computes with no private key.
        """

    def exponentiate(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
        """base^d mod n of each base.

        Raises:
            OperandError: The key or a base does not fit into this device.
            DeviceError: The device ended with an error, or does not answer.
        """

    def close(self) -> None:
        """Zeroize and release the device."""


UnitOpener = Callable[[], Unit]


class CoreUnit:
    """An RSA core; a simulated one is built anew when a key does not fit.

    A core with several key contexts keeps as many of the daemon's keys. One in hardware is wiped
    when it is opened, but for keys that are locked: a daemon that was killed has left its own.

    Args:
        spec: `sim`, `model`, `uio:/dev/uioN` or `devmem:0xADDRESS`.
        config: The core for primes of so many bits.
    """

    batch = 1

    def __init__(self, spec: str, config: Callable[[int], RsaCore]) -> None:
        self._spec, self._config = spec, config
        self._device: RsaDevice | None = None
        self.key_loads = 0

    def prepare(self) -> None:
        """As `Unit.prepare`."""
        if self._spec in SIMULATED or self._device is not None:
            return
        device = open_hardware(self._spec)
        with closed_on_error(device):
            if device.public_only:
                raise NoDeviceError(rsa_commands.NO_PRIVATE)
            _wipe(device)
        self._device = device

    def exponentiate(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
        """As `Unit.exponentiate`."""
        check_primes(key)
        device = self._device_for(key)
        loads = device.key_loads
        setup = device.use(key)
        self.key_loads += device.key_loads - loads
        done = []
        for base in bases:
            result = device.private(base)
            done.append(PrivateResult(result.value, result.exp_cycles, setup))
            setup = 0
        return done

    def close(self) -> None:
        """As `Unit.close`."""
        device, self._device = self._device, None
        if device is not None:
            device.close()

    def _device_for(self, key: RsaPrivate) -> RsaDevice:
        if self._device is not None and self._spec in SIMULATED:
            fits = range(self._device.min_prime_bits + 1, self._device.prime_bits + 1)
            if not {key.p.bit_length(), key.q.bit_length()} <= set(fits):
                self.close()
        self.prepare()
        if self._device is None:
            self._device = open_rsa_device(self._spec, self._config(prime_bits_of(key)))
        return self._device


def _wipe(device: RsaDevice) -> None:
    """Empty every context that is not locked."""
    locked = device.locked_keys
    if not any(locked):
        device.zeroize()
        return
    for context in range(device.contexts):
        if not locked[context]:
            device.choose(context)
            device.erase()


class FarmUnit:
    """A simulated farm, built anew when the key's length changes.

    Args:
        config: The farm for primes of so many bits.
        cores: Its cores.
    """

    def __init__(self, config: Callable[[int], FarmCore], cores: int) -> None:
        self._config = config
        self.batch = 3 * cores
        self.key_loads = 0
        self._device: FarmDevice | None = None
        self._key: RsaPrivate | None = None

    def prepare(self) -> None:
        """As `Unit.prepare`: nothing, as it is simulated."""

    def exponentiate(self, key: RsaPrivate, bases: Sequence[int]) -> list[PrivateResult]:
        """As `Unit.exponentiate`; the cycles are those of the last job of a core."""
        check_primes(key)
        prime_bits = prime_bits_of(key)
        if self._device is not None and self._device.prime_bits != prime_bits:
            self.close()
        if self._device is None:
            self._device = FarmDevice(SimFarmTransport(self._config(prime_bits)))
        setup = 0
        if self._key != key:
            self._device.load_key(key)  # a key that is refused leaves the one that is there
            self._key = key
            self.key_loads += 1
            setup = self._device.core(0).last_cycles
        values = self._device.run(bases)
        cycles = max(self._device.core(i).last_cycles for i in range(self._device.num_cores))
        return [
            PrivateResult(value, cycles, setup if i == 0 else 0) for i, value in enumerate(values)
        ]

    def close(self) -> None:
        """As `Unit.close`."""
        device, self._device, self._key = self._device, None, None
        if device is not None:
            device.close()
