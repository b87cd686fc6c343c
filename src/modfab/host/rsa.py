# SPDX-License-Identifier: Apache-2.0
"""The RSA operations of one key on the exponentiator."""

from __future__ import annotations

from typing import Protocol

from modfab.errors import CryptoError, DeviceError
from modfab.host.check import WRONG_RESULT, checked_result
from modfab.host.core_device import CycleProgress
from modfab.host.core_key import ModExp
from modfab.host.device import PowmodResult
from modfab.host.key_check import check_private, check_public
from modfab.host.keys import RsaPrivate, RsaPublic


class ModExpResult(Protocol):
    """What a device returns for one modular exponentiation."""

    @property
    def value(self) -> int:
        """The result."""

    @property
    def exp_cycles(self) -> int:
        """Cycles of the exponentiation."""

    @property
    def setup_cycles(self) -> int:
        """Cycles of the set-up of the modulus; 0 when it was loaded already."""

    @property
    def total_cycles(self) -> int:
        """Cycles from start to done."""


class ModExpDevice(Protocol):
    """The part of `modfab.host.device.Device` that RSA needs."""

    def powmod(
        self,
        base: int,
        exp: int,
        modulus: int,
        exp_bits: int | None = None,
        progress: CycleProgress | None = None,
    ) -> ModExpResult:
        """As `modfab.host.device.Device.powmod`."""


class RsaOnModexp:
    """One key on one device.

    Attributes:
        last: Result and cycles of the last exponentiation, with those of a second one that checks
            it; None before the first.

    Args:
        device: An open device, wide enough for the key.
        progress: Told how far a running exponentiation is.
    """

    def __init__(self, device: ModExpDevice, progress: CycleProgress | None = None) -> None:
        self._device = device
        self._progress = progress
        self.last: ModExpResult | None = None

    def public_operation(self, key: RsaPublic) -> ModExp:
        """Map x to x**e mod n; the exponent is public, so only its own bits are walked.

        Raises:
            OperandError: This is no key.
        """
        check_public(key)
        return lambda base: self._run(base, key.e, key.n, key.e.bit_length()).value

    def private_operation(self, key: RsaPublic) -> ModExp:
        """Map x to x**d mod n, over as many exponent bits as the modulus has, whatever d is.

        The result is checked before anybody sees it, with the public exponent or, where `e` is
        0, by a second exponentiation: a faulty private result can betray the key.

        Raises:
            CryptoError: The key is only the public half.
            OperandError: This is no key.
            DeviceError: From the exponentiation: its result is wrong.
        """
        if not isinstance(key, RsaPrivate):
            raise CryptoError(
                "A private operation on this core needs the private key, but only the public one "
                "is here; give the file with the private key."
            )
        check_private(key)
        exponent = key.d

        def run(base: int) -> ModExpResult:
            return self._run(base, exponent, key.n, key.num_bits)

        def modexp(base: int) -> int:
            first = run(base)
            if not key.e:
                second = run(base)
                self.last = _both(first, second)
                if first.value != second.value:
                    raise DeviceError(WRONG_RESULT)
            return checked_result(first.value, base, key)

        return modexp

    def _run(self, base: int, exp: int, modulus: int, exp_bits: int) -> ModExpResult:
        result = self._device.powmod(base, exp, modulus, exp_bits=exp_bits, progress=self._progress)
        self.last = result
        return result


def _both(first: ModExpResult, second: ModExpResult) -> PowmodResult:
    """The first result with the cycles of both exponentiations."""
    return PowmodResult(
        first.value,
        first.exp_cycles + second.exp_cycles,
        first.setup_cycles + second.setup_cycles,
        first.total_cycles + second.total_cycles,
    )
