# SPDX-License-Identifier: Apache-2.0
"""Driver of the core `mf_modexp_axil`, over any transport."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from modfab.catalog import ENGINES, SEQUENCERS
from modfab.errors import DeviceError, OperandError
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.status import status_sentence
from modfab.host.transport import Transport
from modfab.models.engine import Status
from modfab.numbers import from_words, to_words, words_of

Progress = Callable[[int, int | None], None]
"""Told now and then: cycles done, and cycles in total when they are known."""

CycleEstimate = Callable[[int, int], int]
"""(exponent, exp_bits) -> cycles of an exponentiation, for progress displays."""

_WAIT_S = 0.1


@dataclass(frozen=True, slots=True)
class PowmodResult:
    """One modular power.

    Attributes:
        value: base**exp mod modulus.
        exp_cycles: Clocks of the exponentiation, first product to first result word.
        setup_cycles: Clocks of the modulus' set-up; 0 when it was loaded already.
        total_cycles: Clocks from start to done.
    """

    value: int
    exp_cycles: int
    setup_cycles: int
    total_cycles: int


class Device:
    """One core, used by one program at a time.

    Args:
        transport: The way to the core; closed together with the device.
        estimate: Cycles of an exponentiation, when the caller knows the core's engine.
        stall_s: Seconds without a change of the core's cycle counter that count as a dead core.

    Raises:
        DeviceError: What answers is not this core, or its register map is another one.
    """

    def __init__(
        self,
        transport: Transport,
        estimate: CycleEstimate | None = None,
        stall_s: float = 10.0,
    ) -> None:
        self._transport = transport
        self._estimate = estimate
        self._stall_s = stall_s
        self._modulus: int | None = None
        try:
            self._check_identity()
        except DeviceError:
            transport.close()
            raise
        capability = self._read(regs.CAPABILITY)
        self.engine_id = _field(capability, regs.CAPABILITY_ENGINE_MASK)
        self.sequencer_id = _field(capability, regs.CAPABILITY_SEQUENCER_MASK)
        self.num_lanes = _field(capability, regs.CAPABILITY_LANES_MASK)
        self.runtime_words = bool(capability & regs.CAPABILITY_RUNTIME_WORDS_MASK)
        self._num_words: int | None = None
        self.num_bits = self._read(regs.NUM_BITS)
        self.exp_bits = self._read(regs.EXP_BITS_MAX)
        self._write(regs.IRQ_ENABLE, regs.IRQ_ENABLE_DONE_MASK)

    # ---- what was built ----
    @property
    def engine(self) -> str:
        """Name of the core's engine."""
        return _name_of(self.engine_id, {e.engine_id: name for name, e in ENGINES.items()})

    @property
    def sequencer(self) -> str:
        """Name of the core's sequencer."""
        return _name_of(self.sequencer_id, {s.sequencer_id: n for n, s in SEQUENCERS.items()})

    # ---- operations ----
    def powmod(
        self,
        base: int,
        exp: int,
        modulus: int,
        exp_bits: int | None = None,
        progress: Progress | None = None,
        num_words: int = 0,
    ) -> PowmodResult:
        """Compute base**exp mod modulus; a modulus that is loaded already is not set up again.

        Args:
            base: 0 or more, below the modulus.
            exp: 0 or more, at most `exp_bits` bits.
            modulus: Odd, 3 or more, at most `num_bits` bits.
            exp_bits: Exponent bits to process, which alone decide the number of cycles with a
                constant sequencer; the core's capacity when None.
            progress: Told now and then how far the core is.
            num_words: 32-bit words to compute with, on cores with `runtime_words`; 0 for all.

        Raises:
            OperandError: An operand out of range; the core was not touched.
            DeviceError: The core ended with an error, or does not answer.
        """
        bits = self.exp_bits if exp_bits is None else exp_bits
        self._check_operands(base, exp, modulus, bits)
        self._check_words(modulus, num_words)
        self._wait_until_idle()
        self._choose_words(num_words)
        loaded = self._load(base, exp, modulus, bits)
        total = self._estimate(exp, bits) if self._estimate else None
        self._write(regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK)
        self._write(regs.CTRL, regs.CTRL_START_MASK)
        self._wait_until_idle(progress, total)
        self._raise_error()
        self._modulus = modulus
        words_used = num_words or words_of(self.num_bits)
        words = [self._read(regs.RESULT_WINDOW + 4 * i) for i in range(words_used)]
        exp_cycles = self._read_long(regs.EXP_CYCLES_LO, regs.EXP_CYCLES_HI)
        if progress:
            progress(exp_cycles, exp_cycles)
        return PowmodResult(
            from_words(words),
            exp_cycles,
            0 if loaded else self._read(regs.SETUP_CYCLES),
            self._total_cycles(),
        )

    def zeroize(self) -> None:
        """Wipe operands, result and engine; ends what runs."""
        self._modulus = None
        self._write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
        self._wait_until_idle()

    def close(self) -> None:
        """Zeroize the core and release the transport."""
        try:
            self.zeroize()
        finally:
            self._transport.close()

    def __enter__(self) -> Device:
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
                "There is no modfab core at this address: its identification register holds "
                "something else; check the address and that the bitstream is loaded."
            )
        major = _field(self._read(regs.VERSION), regs.VERSION_MAJOR_MASK)
        if major != regs.VERSION_MAJOR_VALUE:
            raise DeviceError(
                f"This driver knows version {regs.VERSION_MAJOR_VALUE} of the register map, but "
                f"the core has version {major}; use the modfab release that built the core."
            )

    def _check_operands(self, base: int, exp: int, modulus: int, exp_bits: int) -> None:
        if min(base, exp, modulus, exp_bits) < 0:
            raise OperandError(
                "Base, exponent, modulus and exponent length must not be negative; "
                "reduce the base modulo the modulus first."
            )
        if modulus < 2 or modulus % 2 == 0:
            code = (Status.MOD_ZERO, Status.MOD_ONE)[modulus] if modulus < 2 else Status.MOD_EVEN
            raise OperandError(status_sentence(code))
        if modulus.bit_length() > self.num_bits:
            raise OperandError(status_sentence(Status.MOD_WIDE))
        if base >= modulus:
            raise OperandError(status_sentence(Status.OPERAND))
        if exp_bits > self.exp_bits:
            raise OperandError(status_sentence(Status.EXP_BITS))
        if exp.bit_length() > exp_bits:
            raise OperandError(
                f"The exponent has {exp.bit_length()} bits, but {exp_bits} bits were to be "
                "processed; ask for more exponent bits, or use a core with a longer window."
            )

    def _check_words(self, modulus: int, num_words: int) -> None:
        if num_words and not self.runtime_words:
            raise OperandError(
                f"The engine {self.engine} always computes with all its words, but {num_words} "
                "words were asked for; ask for 0, or use a core with the engine sos."
            )
        least, most = words_of(modulus.bit_length()), words_of(self.num_bits)
        if num_words and not least <= num_words <= most:
            raise OperandError(
                f"This modulus can be computed with {least} to {most} words, but {num_words} "
                "were asked for; choose a number in between, or 0 for all."
            )

    def _choose_words(self, num_words: int) -> None:
        """Set the active width; a new one makes the core set the modulus up again."""
        if self.runtime_words and self._num_words != num_words:
            self._write(regs.NUM_WORDS, num_words)
            self._num_words = num_words

    def _load(self, base: int, exp: int, modulus: int, exp_bits: int) -> bool:
        """Write the operands; whether the core has set this modulus up already."""
        valid = self._read(regs.STATUS) & regs.STATUS_MODULUS_VALID_MASK
        loaded = bool(valid) and self._modulus == modulus
        if not loaded:
            self._modulus = None
            self._put(regs.MODULUS_WINDOW, modulus, self.num_bits)
        self._put(regs.BASE_WINDOW, base, self.num_bits)
        self._put(regs.EXPONENT_WINDOW, exp, self.exp_bits)
        self._write(regs.EXP_BITS, exp_bits)
        return loaded

    def _wait_until_idle(self, progress: Progress | None = None, total: int | None = None) -> None:
        """Wait while the core is busy; DeviceError when its cycle counter stands still."""
        seen, since = -1, time.monotonic()
        while self._read(regs.STATUS) & regs.STATUS_BUSY_MASK:
            self._transport.wait(_WAIT_S)
            done = self._total_cycles()
            now = time.monotonic()
            if done != seen:
                seen, since = done, now
                if progress:  # the total is that of the exponentiation, without the set-up
                    progress(min(done, total or done), total)
            elif now - since > self._stall_s:
                raise DeviceError(
                    f"The core is busy, but its cycle counter has not moved for {self._stall_s:g} "
                    "seconds; check its clock and reset."
                )

    def _raise_error(self) -> None:
        code = _field(self._read(regs.STATUS), regs.STATUS_ERROR_MASK)
        if code != Status.OK:
            self._modulus = None
            known = code in set(Status)
            raise DeviceError(
                status_sentence(Status(code))
                if known
                else f"The core ended with the unknown error code {code}; use the modfab release "
                "that built it."
            )

    # ---- words ----
    def _total_cycles(self) -> int:
        return self._read_long(regs.TOTAL_CYCLES_LO, regs.TOTAL_CYCLES_HI)

    def _read(self, address: int) -> int:
        return self._transport.read32(address)

    def _write(self, address: int, value: int) -> None:
        self._transport.write32(address, value)

    def _put(self, window: int, value: int, num_bits: int) -> None:
        for index, word in enumerate(to_words(value, words_of(num_bits))):
            self._write(window + 4 * index, word)

    def _read_long(self, low_address: int, high_address: int) -> int:
        """A counter of 64 bits, which may be counting."""
        high = self._read(high_address)
        while True:
            low, again = self._read(low_address), self._read(high_address)
            if again == high:
                return high << 32 | low
            high = again


def _field(word: int, mask: int) -> int:
    return (word & mask) // (mask & -mask)


def _name_of(number: int, names: dict[int, str]) -> str:
    return names.get(number, f"unknown ({number})")
