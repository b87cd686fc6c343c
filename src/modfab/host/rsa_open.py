# SPDX-License-Identifier: Apache-2.0
"""Opening the RSA core of a device by name, and the private power of a key on it."""

from __future__ import annotations

from pathlib import Path

from modfab.build.rsa import RsaCore
from modfab.errors import NoDeviceError
from modfab.host.choice import prime_bits_of as prime_bits_of
from modfab.host.core_device import CycleProgress
from modfab.host.core_key import Power
from modfab.host.key_check import check_private
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.open import parse_address, unknown_device
from modfab.host.rsa_device import RsaDevice, RsaPower
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.transport import Transport
from modfab.host.transport_serial import open_serial
from modfab.host.transport_sim import SimTransport
from modfab.host.transport_uio import RSA_MAP_BYTES, open_devmem, open_uio


def open_rsa_device(spec: str, config: RsaCore) -> RsaDevice:
    """Open an RSA core; use it as a context manager, so that the key is wiped at the end.

    Args:
        spec: `sim`, `model`, `uio:/dev/uioN`, `devmem:0xADDRESS` or `serial:PATH[,BAUD]`.
        config: Of a simulated core; hardware is what it was built as, but as wide as this or wider.

    Raises:
        UsageError: The spec is wrong.
        DeviceError: The hardware does not answer, or was built for shorter primes.
        ToolError: The simulation cannot be compiled.
    """
    simulated = spec in ("sim", "model")
    cycles = config.programs().program if simulated else None
    device = RsaDevice(_transport(spec, config), cycles)
    held, needed = device.prime_bits, config.shape.half_bits
    if held < needed:
        device.close()
        raise NoDeviceError(
            f"The RSA core takes primes of {held} bits, but {needed} are needed; load a "
            "bitstream that was built for this."
        )
    return device


def _transport(spec: str, config: RsaCore) -> Transport:
    kind, _, place = spec.partition(":")
    if spec == "sim":
        return SimTransport(config)
    if spec == "model":
        return RsaModelTransport(config)
    if kind == "uio" and place:
        return open_uio(Path(place), map_bytes=RSA_MAP_BYTES)
    if kind == "devmem" and place:
        return open_devmem(parse_address(place), map_bytes=RSA_MAP_BYTES)
    if kind == "serial" and place:
        return open_serial(place)
    raise unknown_device(spec)


class RsaUnit:
    """The private power of a key on one RSA core; keeps what the last one cost.

    Args:
        device: An open core that takes the key.
        progress: Told how far the core is.
        derive: As for `RsaDevice.load_key`.
        loaded: The core holds the key already, and keeps it; only its public half is needed.
    """

    def __init__(
        self,
        device: RsaDevice,
        progress: CycleProgress | None = None,
        derive: bool = False,
        loaded: bool = False,
    ) -> None:
        device.keep = loaded
        self._device = device
        self._progress = progress
        self._derive = derive
        self.last: RsaPower | None = None

    def private_power(self, key: RsaPublic) -> Power:
        """Map x to x**d mod n; the core checks the result before it shows it.

        Raises:
            OperandError: This is no key.
        """
        if isinstance(key, RsaPrivate):
            check_private(key)

        def power(base: int) -> int:
            setup = 0
            if isinstance(key, RsaPrivate):
                setup = self._device.load_key(key, self._progress, self._derive)
            else:
                self._device.adopt(key)
            done = self._device.private(base, self._progress)
            self.last = RsaPower(done.value, done.exp_cycles, setup)
            return done.value

        return power
