# SPDX-License-Identifier: Apache-2.0
"""Opening the RSA core of a device by name, and the private operation of a key on it."""

from __future__ import annotations

from pathlib import Path

from modfab.build.rsa import RsaCore
from modfab.errors import NoDeviceError
from modfab.host.choice import prime_bits_of as prime_bits_of
from modfab.host.core_device import CycleProgress
from modfab.host.core_key import ModExp
from modfab.host.key_check import check_private, check_public
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.open import parse_address, unknown_device
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_model import RsaModelTransport
from modfab.host.rsa_result import RsaResult
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
        DeviceError: The hardware does not answer.
        NoDeviceError: It was built for shorter primes, or for the other kind of key.
        ToolError: The simulation cannot be compiled.
    """
    simulated = spec in ("sim", "model")
    cycles = config.programs().program if simulated else None
    device = RsaDevice(_transport(spec, config), cycles)
    problem = _mismatch(device, config)
    if problem:
        device.close()
        raise NoDeviceError(problem)
    return device


def open_hardware(spec: str) -> RsaDevice:
    """Open an RSA core in hardware whatever it was built as.

    Args:
        spec: `uio:/dev/uioN`, `devmem:0xADDRESS` or `serial:PATH[,BAUD]`.

    Raises:
        UsageError: The spec is wrong, or names a simulation.
        DeviceError: The hardware does not answer.
    """
    return RsaDevice(_hardware(spec))


def _mismatch(device: RsaDevice, config: RsaCore) -> str:
    """Why a core cannot do what is asked; empty when it can."""
    public = config.shape.public_only
    if device.public_only != public:
        has, needs = ("a private key", "a public key alone")[:: 1 if public else -1]
        option = "with" if public else "without"
        return (
            f"The RSA core is built for {has}, but {needs} is to be used; load a bitstream that "
            f"was built {option} public_only=1."
        )
    held, needed = device.prime_bits, config.shape.half_bits
    if held < needed:
        what = "a modulus" if public else "primes"
        return (
            f"The RSA core takes {what} of {held} bits, but {needed} are needed; load a "
            "bitstream that was built for this."
        )
    return ""


def _transport(spec: str, config: RsaCore) -> Transport:
    if spec == "sim":
        return SimTransport(config)
    if spec == "model":
        return RsaModelTransport(config)
    return _hardware(spec)


def _hardware(spec: str) -> Transport:
    kind, _, place = spec.partition(":")
    if kind == "uio" and place:
        return open_uio(Path(place), map_bytes=RSA_MAP_BYTES)
    if kind == "devmem" and place:
        return open_devmem(parse_address(place), map_bytes=RSA_MAP_BYTES)
    if kind == "serial" and place:
        return open_serial(place)
    raise unknown_device(spec)


class RsaVerifier:
    """The public operation of a key on an RSA core for public operations only.

    Attributes:
        last: What the last operation cost; None before it.

    Args:
        device: An open core that takes the key.
        progress: Told how far the core is.
    """

    def __init__(self, device: RsaDevice, progress: CycleProgress | None = None) -> None:
        self._device = device
        self._progress = progress
        self.last: RsaResult | None = None

    def public_operation(self, key: RsaPublic) -> ModExp:
        """Map x to x**e mod n; the core computes it twice and compares before it shows it.

        Raises:
            OperandError: This is no key.
        """
        check_public(key)

        def modexp(base: int) -> int:
            setup = self._device.load_public(key, self._progress)
            done = self._device.public(base, self._progress)
            self.last = RsaResult(done.value, done.exp_cycles, setup)
            return done.value

        return modexp


class RsaUnit:
    """The private operation of a key on one RSA core.

    Attributes:
        last: What the last operation cost; None before it.

    Args:
        device: An open core that takes the key.
        progress: Told how far the core is.
        derive: As for `RsaDevice.load_key`.
        loaded: The core holds the key already, and keeps it; only its public half is needed.
        context: Where it holds it.
    """

    def __init__(
        self,
        device: RsaDevice,
        progress: CycleProgress | None = None,
        derive: bool = False,
        loaded: bool = False,
        context: int = 0,
    ) -> None:
        device.keep = loaded
        if loaded:
            device.choose(context)
        self._device = device
        self._progress = progress
        self._derive = derive
        self.last: RsaResult | None = None

    def private_operation(self, key: RsaPublic) -> ModExp:
        """Map x to x**d mod n; the core checks the result before it shows it.

        Raises:
            OperandError: This is no key.
        """
        if isinstance(key, RsaPrivate):
            check_private(key)

        def modexp(base: int) -> int:
            setup = 0
            if isinstance(key, RsaPrivate):
                setup = self._device.load_key(key, self._progress, self._derive)
            else:
                self._device.adopt(key)
            done = self._device.private(base, self._progress)
            self.last = RsaResult(done.value, done.exp_cycles, setup)
            return done.value

        return modexp
