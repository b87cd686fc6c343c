# SPDX-License-Identifier: Apache-2.0
"""The golden model behind the register map of `mf_modexp_axil`: a device without any tool."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field

from modfab.build.core import ModexpCore
from modfab.errors import ClosedError
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.transport import BusError
from modfab.models.generated.status import Status
from modfab.models.modexp import ModexpModel, ModexpResult
from modfab.numbers import from_words, words_of

_Operation = Generator[int, None, ModexpResult]
_WORD = 0xFFFFFFFF


@dataclass(slots=True)
class _State:
    """Registers of the core that change."""

    error: Status = Status.NO_MODULUS
    done: bool = False
    modulus_valid: bool = False
    result_valid: bool = False
    irq: int = 0
    irq_enable: int = 0
    setup_cycles: int = 0
    exp_cycles: int = 0
    total_cycles: int = 0
    windows: dict[int, list[int]] = field(default_factory=dict)


class ModelTransport:
    """Registers and windows as the RTL has them, products by the golden model.

    An operation advances during `wait`, and by one product with each read of STATUS. Cycle
    counts of set-up and exponentiation are those of the RTL; TOTAL_CYCLES leaves out the transport
    of words between windows and engine.
    """

    def __init__(self, config: ModexpCore) -> None:
        self._config, self._open = config, True
        self._model = ModexpModel(
            config.engine.model(config.params), config.sequencer.commands, config.exp_bits
        )
        self._num_words = words_of(config.num_bits)
        self._exp_words = words_of(config.exp_bits)
        self._operation: _Operation | None = None
        self._result_words = 0
        self._setup_only = False
        self._state = self._fresh(Status.NO_MODULUS)
        self._exp_bits = config.exp_bits

    # ---- the transport protocol ----
    def read32(self, address: int) -> int:
        """As `Transport.read32`."""
        self._check_open()
        window, word = address & ~0xFFF, (address & 0xFFF) >> 2
        if window == regs.MODULUS_WINDOW and not self._busy and word < self._num_words:
            return self._state.windows[window][word]
        if window == regs.RESULT_WINDOW and self._state.result_valid and word < self._result_words:
            return self._state.windows[window][word]
        if address & ~3 == regs.STATUS:
            self._advance()
        value = self._registers().get(address & ~3)
        if value is None:
            raise BusError("read", address)
        return value & _WORD

    def write32(self, address: int, value: int) -> None:
        """As `Transport.write32`."""
        self._check_open()
        window = address & ~0xFFF
        if address & 3:
            raise BusError("written", address)
        if window in self._state.windows and window != regs.RESULT_WINDOW:
            self._write_window(window, address, value)
        elif address == regs.CTRL:
            self._command(value)
        elif address == regs.IRQ_STATUS:
            self._state.irq &= ~value
        elif address == regs.IRQ_ENABLE:
            self._state.irq_enable = value & regs.IRQ_ENABLE_DONE_MASK
        elif address == regs.EXP_BITS and not self._busy:
            self._exp_bits = value
        elif address == regs.NUM_WORDS and not self._busy:
            self._model.num_words = value & 0xFFFF
            self._state.modulus_valid = False
        else:
            raise BusError("written", address)

    def wait(self, timeout_s: float) -> None:
        """As `Transport.wait`; the operation runs meanwhile."""
        self._check_open()
        end = time.monotonic() + timeout_s
        while self._busy and time.monotonic() < end:
            self._advance()

    def close(self) -> None:
        """As `Transport.close`."""
        self._open = False
        self._operation = None
        self._model.zeroize()
        self._state = self._fresh(Status.ZEROIZED)

    # ---- the core ----
    def _check_open(self) -> None:
        if not self._open:
            raise ClosedError

    @property
    def _busy(self) -> bool:
        return self._operation is not None

    def _fresh(self, error: Status) -> _State:
        state = _State(error)
        for window in (regs.MODULUS_WINDOW, regs.BASE_WINDOW, regs.RESULT_WINDOW):
            state.windows[window] = [0] * self._num_words
        state.windows[regs.EXPONENT_WINDOW] = [0] * self._exp_words
        return state

    def _registers(self) -> dict[int, int]:
        config, state = self._config, self._state
        lanes = config.engine.num_lanes(config.params)
        return {
            regs.ID: regs.ID_MAGIC_VALUE,
            regs.VERSION: regs.VERSION_MAJOR_VALUE << regs.VERSION_MAJOR_SHIFT
            | regs.VERSION_MINOR_VALUE << regs.VERSION_MINOR_SHIFT,
            regs.CAPABILITY: config.engine.engine_id << regs.CAPABILITY_ENGINE_SHIFT
            | config.sequencer.sequencer_id << regs.CAPABILITY_SEQUENCER_SHIFT
            | lanes << regs.CAPABILITY_LANES_SHIFT
            | config.engine.runtime_words << regs.CAPABILITY_RUNTIME_WORDS_SHIFT,
            regs.NUM_BITS: config.num_bits,
            regs.EXP_BITS_MAX: config.exp_bits,
            regs.CTRL: 0,
            regs.STATUS: self._busy << regs.STATUS_BUSY_SHIFT
            | state.done << regs.STATUS_DONE_SHIFT
            | state.modulus_valid << regs.STATUS_MODULUS_VALID_SHIFT
            | state.result_valid << regs.STATUS_RESULT_VALID_SHIFT
            | state.error << regs.STATUS_ERROR_SHIFT,
            regs.IRQ_STATUS: state.irq,
            regs.IRQ_ENABLE: state.irq_enable,
            regs.EXP_BITS: self._exp_bits,
            regs.NUM_WORDS: self._model.num_words,
            regs.SETUP_CYCLES: state.setup_cycles,
            regs.EXP_CYCLES_LO: state.exp_cycles,
            regs.EXP_CYCLES_HI: state.exp_cycles >> 32,
            regs.TOTAL_CYCLES_LO: state.total_cycles,
            regs.TOTAL_CYCLES_HI: state.total_cycles >> 32,
        }

    def _write_window(self, window: int, address: int, value: int) -> None:
        words, index = self._state.windows[window], (address & 0xFFF) >> 2
        if self._busy or index >= len(words):
            raise BusError("written", address)
        words[index] = value & _WORD
        if window == regs.MODULUS_WINDOW:
            self._state.modulus_valid = False

    def _command(self, flags: int) -> None:
        setup_only = bool(flags & regs.CTRL_SETUP_ONLY_MASK)
        if flags & regs.CTRL_ZEROIZE_MASK:
            self._zeroize()
        elif setup_only or flags & regs.CTRL_START_MASK:
            if self._busy:
                raise BusError("written", regs.CTRL)
            self._start(setup_only)

    def _zeroize(self) -> None:
        ended, irq_enable = self._busy, self._state.irq_enable
        irq = self._state.irq | ended
        self._operation = None
        self._model.zeroize()
        self._state = self._fresh(Status.ZEROIZED)
        self._state.irq, self._state.irq_enable, self._state.done = irq, irq_enable, ended

    def _start(self, setup_only: bool) -> None:
        state, self._setup_only = self._state, setup_only
        state.done = state.result_valid = False
        self._result_words = self._model.num_words or self._num_words
        state.exp_cycles = state.total_cycles = 0
        values = {window: from_words(words) for window, words in state.windows.items()}
        modulus = values[regs.MODULUS_WINDOW]
        if not state.modulus_valid or setup_only:
            self._model.forget()
        if setup_only:
            self._operation = self._set_up(modulus)
        else:
            self._operation = self._model.steps(
                values[regs.BASE_WINDOW],
                values[regs.EXPONENT_WINDOW],
                modulus,
                min(self._exp_bits, 0xFFFF),
            )

    def _set_up(self, modulus: int) -> _Operation:
        yield 0
        return self._model.setup(modulus)

    def _advance(self) -> None:
        """One product of the running operation, if there is one."""
        if self._operation is None:
            return
        try:
            self._state.total_cycles = next(self._operation)
        except StopIteration as end:
            self._finish(end.value)

    def _finish(self, result: ModexpResult) -> None:
        state, was_valid = self._state, self._state.modulus_valid
        self._operation = None
        state.error, state.done, state.irq = result.status, True, regs.IRQ_STATUS_DONE_MASK
        if result.status is not Status.EXP_BITS:
            state.modulus_valid = result.status in (Status.OK, Status.OPERAND)
            state.setup_cycles = result.setup_cycles
        state.exp_cycles = result.exp_cycles
        setup_ran = state.modulus_valid and not was_valid
        state.total_cycles = result.exp_cycles + (result.setup_cycles if setup_ran else 0)
        if result.status is Status.OK and not self._setup_only:
            words = state.windows[regs.RESULT_WINDOW]
            words[:] = [result.value >> 32 * i & _WORD for i in range(len(words))]
            state.result_valid = True
