# SPDX-License-Identifier: Apache-2.0
"""Driver of the core `mf_modexp_axil`, over any transport."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from modfab.errors import DeviceError, OperandError
from modfab.host.built import built_of
from modfab.host.closing import closed_on_error
from modfab.host.core_device import CoreDevice, CoreMap, CycleProgress, field_of
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.status import status_sentence
from modfab.host.transport import Transport
from modfab.models.generated.status import Status
from modfab.numbers import words_of

CycleEstimate = Callable[[int, int], int]
"""(exponent, exp_bits) -> cycles of an exponentiation, for progress displays."""

_MAP = CoreMap("core", regs, regs.TOTAL_CYCLES_LO, regs.TOTAL_CYCLES_HI)


def check_modulus(modulus: int, num_bits: int) -> None:
    """Refuse what no core of so many bits takes; asked before one is compiled.

    Raises:
        OperandError: The modulus, 0 or more, is even, below 3 or too wide.
    """
    if modulus < 2 or modulus % 2 == 0:
        code = (Status.MOD_ZERO, Status.MOD_ONE)[modulus] if modulus < 2 else Status.MOD_EVEN
        raise OperandError(code.sentence)
    if modulus.bit_length() > num_bits:
        raise OperandError(Status.MOD_WIDE.sentence)


@dataclass(frozen=True, slots=True)
class PowmodResult:
    """Result and cycles of one modular exponentiation.

    Attributes:
        value: base**exp mod modulus.
        exp_cycles: Cycles of the exponentiation, first product to first result word.
        setup_cycles: Cycles of the modulus' set-up; 0 when it was loaded already.
        total_cycles: Cycles from start to done.
    """

    value: int
    exp_cycles: int
    setup_cycles: int
    total_cycles: int


class Device(CoreDevice):
    """One core, used by one program at a time.

    Args:
        transport: The way to the core; closed together with the device.
        estimate: Cycles of an exponentiation, when the caller knows the core's engine.
        stall_s: Seconds without a change of the core's cycle counter that count as a dead core.

    `engine` and `sequencer` are what the core says that it was built of.

    Raises:
        DeviceError: What answers is not this core, or its register map is another one.
    """

    def __init__(
        self,
        transport: Transport,
        estimate: CycleEstimate | None = None,
        stall_s: float = 10.0,
    ) -> None:
        super().__init__(_MAP, transport, stall_s)
        self._estimate = estimate
        self._modulus: int | None = None
        self._num_words: int | None = None
        with closed_on_error(transport):
            capability = self._read(regs.CAPABILITY)
            self.engine, self.sequencer = built_of(capability)
            self.num_lanes = field_of(capability, regs.CAPABILITY_LANES_MASK)
            self.runtime_words = bool(capability & regs.CAPABILITY_RUNTIME_WORDS_MASK)
            self.num_bits = self._read(regs.NUM_BITS)
            self.exp_bits = self._read(regs.EXP_BITS_MAX)

    # ---- operations ----
    def powmod(
        self,
        base: int,
        exp: int,
        modulus: int,
        exp_bits: int | None = None,
        progress: CycleProgress | None = None,
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
        self._check_open()
        bits = self.exp_bits if exp_bits is None else exp_bits
        self._check_operands(base, exp, modulus, bits)
        self._check_words(modulus, num_words)
        self._wait_until_idle()
        self._choose_words(num_words)
        loaded = self._load(base, exp, modulus, bits)
        total = self._estimate(exp, bits) if self._estimate else None
        self._raise_error(self._run(regs.CTRL_START_MASK, progress, total))
        self._modulus = modulus
        exp_cycles = self._read_long(regs.EXP_CYCLES_LO, regs.EXP_CYCLES_HI)
        if progress:
            progress(exp_cycles, exp_cycles)
        return PowmodResult(
            self._get(regs.RESULT_WINDOW, num_words or words_of(self.num_bits)),
            exp_cycles,
            0 if loaded else self._read(regs.SETUP_CYCLES),
            self._cycles(),
        )

    # ---- steps ----
    def _forget(self) -> None:
        self._modulus = None

    def _check_operands(self, base: int, exp: int, modulus: int, exp_bits: int) -> None:
        if min(base, exp, modulus, exp_bits) < 0:
            raise OperandError(
                "Base, exponent, modulus and exponent length must not be negative; "
                "reduce the base modulo the modulus first."
            )
        check_modulus(modulus, self.num_bits)
        if base >= modulus:
            raise OperandError(Status.OPERAND.sentence)
        if exp_bits > self.exp_bits:
            raise OperandError(Status.EXP_BITS.sentence)
        if exp.bit_length() > exp_bits:
            advice = f"ask for {exp.bit_length()} to {self.exp_bits}"
            if exp.bit_length() > self.exp_bits:
                advice = (
                    f"the core's window has {self.exp_bits}, so use a core with a longer one, or "
                    "reduce the exponent modulo the order of the base"
                )
            raise OperandError(
                f"The exponent has {exp.bit_length()} bits, but {exp_bits} bits were to be "
                f"processed; {advice}."
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

    def _raise_error(self, code: int) -> None:
        if code != Status.OK:
            self._modulus = None
            raise DeviceError(status_sentence(Status, code))
