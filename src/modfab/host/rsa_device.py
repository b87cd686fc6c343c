# SPDX-License-Identifier: Apache-2.0
"""Driver of the core `mf_rsa_axil`, over any transport."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from modfab.errors import DeviceError, OperandError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.keys import RsaPrivate
from modfab.host.rsa_status import rsa_status_sentence
from modfab.host.transport import Transport
from modfab.models.rsa_status import RsaStatus
from modfab.numbers import from_words, to_words, words_of

Progress = Callable[[int, int | None], None]
"""Told now and then: cycles done, and cycles in total when they are known."""

_WAIT_S = 0.1


@dataclass(frozen=True, slots=True)
class RsaPower:
    """One operation of the RSA core.

    Attributes:
        value: The result.
        exp_cycles: Clocks of the operation.
        setup_cycles: Clocks of the key's set-up; 0 when it was loaded already.
        total_cycles: Both.
    """

    value: int
    exp_cycles: int
    setup_cycles: int

    @property
    def total_cycles(self) -> int:
        """Clocks from start to done, set-up included."""
        return self.exp_cycles + self.setup_cycles


class RsaDevice:
    """One RSA core, used by one program at a time; keeps a key for many operations.

    Args:
        transport: The way to the core; closed together with the device.
        stall_s: Seconds without a change of the core's cycle counter that count as a dead core.

    Raises:
        DeviceError: What answers is not this core, or its register map is another one.
    """

    def __init__(self, transport: Transport, stall_s: float = 10.0) -> None:
        self._transport = transport
        self._stall_s = stall_s
        self._key: RsaPrivate | None = None
        self._setup_cycles = 0
        try:
            self._check_identity()
        except DeviceError:
            transport.close()
            raise
        self.prime_bits = self._read(regs.PRIME_BITS)
        self.min_prime_bits = self._read(regs.MIN_PRIME_BITS)
        self._write(regs.IRQ_ENABLE, regs.IRQ_ENABLE_DONE_MASK)

    # ---- operations ----
    def load_key(self, key: RsaPrivate, progress: Progress | None = None) -> int:
        """Write a key and let the core check and prepare it; a loaded key is not written again.

        Returns:
            Clocks of the set-up; 0 when this key is there already.

        Raises:
            OperandError: The key does not fit into this core.
            DeviceError: The core refused the key, or does not answer.
        """
        valid = self._read(regs.STATUS) & regs.STATUS_KEY_VALID_MASK
        if valid and self._key == key:
            return 0
        self._check_key(key)
        self._wait_until_idle()
        self._key = None
        parts = {
            regs.P_WINDOW: key.p,
            regs.Q_WINDOW: key.q,
            regs.DP_WINDOW: key.d % (key.p - 1),
            regs.DQ_WINDOW: key.d % (key.q - 1),
            regs.QI_WINDOW: pow(key.q, -1, key.p),
        }
        for window, value in parts.items():
            self._put(window, value, self.prime_bits)
        self._put(regs.E_WINDOW, key.e, 2 * self.prime_bits)
        self._write(regs.E_BITS, key.e.bit_length())
        cycles = self._run(regs.CTRL_KEY_MASK, progress)
        self._key = key
        return cycles

    def private(self, base: int, progress: Progress | None = None) -> RsaPower:
        """base^d mod n with the loaded key.

        Raises:
            OperandError: The base is not below n, or no key is loaded.
            DeviceError: The core ended with an error, or does not answer.
        """
        return self._operate(regs.CTRL_START_PRIVATE_MASK, base, progress)

    def public(self, base: int, progress: Progress | None = None) -> RsaPower:
        """base^e mod n with the loaded key; raises as `private`."""
        return self._operate(regs.CTRL_START_PUBLIC_MASK, base, progress)

    def lock(self) -> None:
        """Refuse every change of the key until the core is zeroized or reset."""
        self._write(regs.CTRL, regs.CTRL_LOCK_MASK)

    @property
    def faults(self) -> int:
        """Operations that ended with a fault or by the watchdog since the core's reset."""
        return self._read(regs.FAULTS)

    def zeroize(self) -> None:
        """Wipe key, message and result; ends what runs."""
        self._key = None
        self._write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
        self._wait_until_idle()

    def close(self) -> None:
        """Zeroize the core and release the transport."""
        try:
            self.zeroize()
        finally:
            self._transport.close()

    def __enter__(self) -> RsaDevice:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except DeviceError:
            if error is None:  # otherwise the first error says more than this one
                raise

    # ---- steps ----
    def _check_identity(self) -> None:
        if self._read(regs.ID) != regs.ID_MAGIC_VALUE:
            raise DeviceError(
                "There is no modfab RSA core at this address: its identification register holds "
                "something else; check the address and that the bitstream is loaded."
            )
        major = self._read(regs.VERSION) >> regs.VERSION_MAJOR_SHIFT
        if major != regs.VERSION_MAJOR_VALUE:
            raise DeviceError(
                f"This driver knows version {regs.VERSION_MAJOR_VALUE} of the RSA core's register "
                f"map, but the core has version {major}; use the modfab release that built it."
            )

    def _check_key(self, key: RsaPrivate) -> None:
        for prime in (key.p, key.q):
            if not self.min_prime_bits < prime.bit_length() <= self.prime_bits:
                raise OperandError(
                    f"The core takes primes of {self.min_prime_bits + 1} to {self.prime_bits} "
                    f"bits, but the key has one of {prime.bit_length()} bits; use a core that was "
                    "built for this key."
                )

    def _operate(self, command: int, base: int, progress: Progress | None) -> RsaPower:
        if self._key is None:
            raise OperandError(rsa_status_sentence(RsaStatus.NO_KEY))
        if not 0 <= base < self._key.n:
            raise OperandError(rsa_status_sentence(RsaStatus.OPERAND))
        self._wait_until_idle()
        self._put(regs.MESSAGE_WINDOW, base, 2 * self.prime_bits)
        cycles = self._run(command, progress)
        count = words_of(2 * self.prime_bits)
        words = [self._read(regs.RESULT_WINDOW + 4 * i) for i in range(count)]
        return RsaPower(from_words(words), cycles, 0)

    def _run(self, command: int, progress: Progress | None) -> int:
        """Start a command, wait for its end; its clocks."""
        self._write(regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK)
        self._write(regs.CTRL, command)
        self._wait_until_idle(progress)
        error = self._read(regs.STATUS) & regs.STATUS_ERROR_MASK
        code = error >> regs.STATUS_ERROR_SHIFT
        if code != RsaStatus.OK:
            if not self._read(regs.STATUS) & regs.STATUS_KEY_VALID_MASK:
                self._key = None
            raise DeviceError(rsa_status_sentence(code))
        return self._cycles()

    def _wait_until_idle(self, progress: Progress | None = None) -> None:
        seen, since = -1, time.monotonic()
        while self._read(regs.STATUS) & regs.STATUS_BUSY_MASK:
            self._transport.wait(_WAIT_S)
            done, now = self._cycles(), time.monotonic()
            if done != seen:
                seen, since = done, now
                if progress:
                    progress(done, None)
            elif now - since > self._stall_s:
                raise DeviceError(
                    f"The core is busy, but its cycle counter has not moved for {self._stall_s:g} "
                    "seconds; check its clock and reset."
                )

    # ---- words ----
    def _cycles(self) -> int:
        """The counter of 64 bits, which may be counting."""
        high = self._read(regs.CYCLES_HI)
        while True:
            low, again = self._read(regs.CYCLES_LO), self._read(regs.CYCLES_HI)
            if again == high:
                return high << 32 | low
            high = again

    def _read(self, address: int) -> int:
        return self._transport.read32(address)

    def _write(self, address: int, value: int) -> None:
        self._transport.write32(address, value)

    def _put(self, window: int, value: int, num_bits: int) -> None:
        for index, word in enumerate(to_words(value, words_of(num_bits))):
            self._write(window + 4 * index, word)
