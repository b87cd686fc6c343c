# SPDX-License-Identifier: Apache-2.0
"""The RSA powers of one key on one device."""

from __future__ import annotations

from typing import Protocol

from modfab.errors import CryptoError, DeviceError
from modfab.host.check import WRONG_POWER, checked_power
from modfab.host.core_device import CycleProgress
from modfab.host.core_key import Power
from modfab.host.device import PowmodResult
from modfab.host.key_check import check_private, check_public
from modfab.host.keys import RsaPrivate, RsaPublic


class PowerResult(Protocol):
    """What a device returns for one modular power."""

    @property
    def value(self) -> int:
        """The power."""

    @property
    def exp_cycles(self) -> int:
        """Clock cycles of the exponentiation."""

    @property
    def setup_cycles(self) -> int:
        """Clock cycles of the set-up of the modulus; 0 when it was loaded already."""

    @property
    def total_cycles(self) -> int:
        """Clock cycles from start to done."""


class PowerDevice(Protocol):
    """The part of `modfab.host.device.Device` that RSA needs."""

    def powmod(
        self,
        base: int,
        exp: int,
        modulus: int,
        exp_bits: int | None = None,
        progress: CycleProgress | None = None,
    ) -> PowerResult:
        """Compute base**exp mod modulus, walking `exp_bits` bits of the exponent."""


class RsaOnModexp:
    """One key on one device.

    Attributes:
        last: Result and cycles of the last exponentiation, with those of a second one that checks
            it; None before the first.

    Args:
        device: An open device, wide enough for the key.
        progress: Told how far a running power is.
    """

    def __init__(self, device: PowerDevice, progress: CycleProgress | None = None) -> None:
        self._device = device
        self._progress = progress
        self.last: PowerResult | None = None

    def public_power(self, key: RsaPublic) -> Power:
        """Map x to x**e mod n; the exponent is public, so only its own bits are walked.

        Raises:
            OperandError: This is no key.
        """
        check_public(key)
        return lambda base: self._run(base, key.e, key.n, key.e.bit_length()).value

    def private_power(self, key: RsaPublic) -> Power:
        """Map x to x**d mod n, over as many exponent bits as the modulus has, whatever d is.

        The result is checked before anybody sees it, with the public exponent or, where `e` is
        0, by a second power: a faulty private power can betray the key.

        Raises:
            CryptoError: The key is only the public half.
            OperandError: This is no key.
        """
        if not isinstance(key, RsaPrivate):
            raise CryptoError(
                "A private power on this core needs the private key, but only the public one is "
                "here; give the file with the private key."
            )
        check_private(key)
        exponent = key.d

        def run(base: int) -> PowerResult:
            return self._run(base, exponent, key.n, key.num_bits)

        def power(base: int) -> int:
            first = run(base)
            if not key.e:
                second = run(base)
                self.last = _both(first, second)
                if first.value != second.value:
                    raise DeviceError(WRONG_POWER)
            return checked_power(first.value, base, key)

        return power

    def _run(self, base: int, exp: int, modulus: int, exp_bits: int) -> PowerResult:
        result = self._device.powmod(base, exp, modulus, exp_bits=exp_bits, progress=self._progress)
        self.last = result
        return result


def _both(first: PowerResult, second: PowerResult) -> PowmodResult:
    """The first result with the cycles of both exponentiations."""
    return PowmodResult(
        first.value,
        first.exp_cycles + second.exp_cycles,
        first.setup_cycles + second.setup_cycles,
        first.total_cycles + second.total_cycles,
    )
