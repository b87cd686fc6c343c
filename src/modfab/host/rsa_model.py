# SPDX-License-Identifier: Apache-2.0
"""The RSA core's golden model behind the register map of `mf_rsa_axil`."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from modfab.build.rsa import RsaCore
from modfab.errors import ClosedError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.rsa_commands import COMMANDS
from modfab.host.transport import BusError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.machine import RsaModel, RsaRun
from modfab.numbers import from_words, to_words

_HALVES = {
    regs.P_WINDOW: "P",
    regs.Q_WINDOW: "Q",
    regs.DP_WINDOW: "DP",
    regs.DQ_WINDOW: "DQ",
    regs.QI_WINDOW: "QI",
}
_FULL = {regs.E_WINDOW: "E", regs.D_WINDOW: "D", regs.MESSAGE_WINDOW: "C"}
_PUBLIC = ("P", "E", "C")
_CHANGES = (RsaEntry.CHANGE, RsaEntry.LEAVE)


def _mask(flags: Sequence[bool]) -> int:
    return sum(flag << place for place, flag in enumerate(flags))


class RsaModelTransport:
    """Registers and windows as the RTL has them; a command runs when it is written.

    Randomness is the operating system's. The core is never seen busy.
    """

    def __init__(self, config: RsaCore) -> None:
        self._config, self._open = config, True
        self._model = self._fresh()
        self._last = RsaRun(RsaStatus.NO_KEY, 0)
        self._state = {"done": False, "irq": 0, "irq_enable": 0}
        self._target, self._locks = 0, [False] * config.shape.keys
        self._e_bits, self._faults, self._limit = 17, 0, 16

    def read32(self, address: int) -> int:
        """As `Transport.read32`."""
        self._check_open()
        window, word = address & ~0xFFF, (address & 0xFFF) >> 2
        if window == regs.RESULT_WINDOW and self._model.result_valid:
            words = to_words(self._model.get("M"), self._model.image.variables["M"][1])
            if word < self._config.shape.num_words:
                return words[word]
        value = self._registers().get(address & ~3)
        if value is None:
            raise BusError("read", address)
        return value

    def write32(self, address: int, value: int) -> None:
        """As `Transport.write32`."""
        self._check_open()
        if address & 3:
            raise BusError("written", address)
        if address & ~0xFFF:
            self._write_window(address, value)
        elif address == regs.CTRL:
            self._command(value)
        elif address == regs.IRQ_STATUS:
            self._state["irq"] &= ~value
        elif address == regs.IRQ_ENABLE:
            self._state["irq_enable"] = value & regs.IRQ_ENABLE_DONE_MASK
        elif address == regs.E_BITS and not self._fixed:
            self._e_bits = value
        elif address == regs.FAULT_LIMIT and not any(self._locks):
            self._limit = value & regs.FAULT_LIMIT_COUNT_MASK
        elif address == regs.CONTEXT and value < self._config.shape.keys:
            self._target = value
        else:
            raise BusError("written", address)

    def wait(self, timeout_s: float) -> None:
        """As `Transport.wait`: there is nothing to wait for."""
        self._check_open()

    def close(self) -> None:
        """As `Transport.close`."""
        self._open = False
        self._model = self._fresh()

    # ---- the core ----
    def _check_open(self) -> None:
        if not self._open:
            raise ClosedError

    @property
    def _fixed(self) -> bool:
        """The key of the chosen context cannot be written."""
        return self._locks[self._model.context] or self._model.key_valid

    @property
    def _sequencer_id(self) -> int:
        return 0 if self._config.shape.public_only else self._config.unit.sequencer.sequencer_id

    def _fresh(self) -> RsaModel:
        core = self._config.unit
        return RsaModel(
            self._config.image,
            [core.engine.model(core.params) for _ in range(self._config.shape.engines)],
            core.sequencer.commands,
            lambda: secrets.randbits(32),
            self._config.programs().transfers,
        )

    def _write_window(self, address: int, value: int) -> None:
        window, word = address & ~0xFFF, (address & 0xFFF) >> 2
        shape = self._config.shape
        name = _HALVES.get(window) or _FULL.get(window)
        limit = shape.half_words if window in _HALVES else shape.num_words
        secret = shape.public_only and name not in _PUBLIC
        if name is None or secret or word >= limit or (self._fixed and name != "C"):
            raise BusError("written", address)
        words = to_words(self._model.get(name), self._model.image.variables[name][1])
        words[word] = value
        self._model.put(name, from_words(words))

    def _command(self, value: int) -> None:
        if value & regs.CTRL_ZEROIZE_MASK:
            self._model = self._fresh()
            self._last = RsaRun(RsaStatus.ZEROIZED, 0)
            self._locks = [False] * len(self._locks)
            self._state["done"] = False
            return
        entry = next((e for e, mask in COMMANDS.items() if value & mask), None)
        if entry in (RsaEntry.DERIVE, RsaEntry.PRIVATE) and self._config.shape.public_only:
            raise BusError("written", regs.CTRL)
        if entry is RsaEntry.DERIVE and self._fixed:
            raise BusError("written", regs.CTRL)
        if entry is RsaEntry.TEST and any(self._model.valid_keys):
            raise BusError("written", regs.CTRL)
        if entry in _CHANGES and len(self._locks) == 1:
            raise BusError("written", regs.CTRL)
        if value & regs.CTRL_LOCK_MASK:
            self._locks[self._model.context] = True
        if entry is not None:
            target = self._target if entry is RsaEntry.CHANGE else None
            if entry is RsaEntry.LEAVE:
                self._locks[self._model.context] = False
            self._last = self._run(entry, target)
            self._faults += self._last.status is RsaStatus.FAULT
            self._state["done"] = True
            self._state["irq"] = regs.IRQ_STATUS_DONE_MASK

    def _run(self, entry: RsaEntry, target: int | None) -> RsaRun:
        if entry is RsaEntry.DERIVE and self._fixed:  # by the lock that was written beside it
            self._model.result_valid = False
            return RsaRun(RsaStatus.KEY, 0)
        return self._model.run(entry, min(self._e_bits, 0xFFFF), target)

    def _registers(self) -> dict[int, int]:
        shape, core, state = self._config.shape, self._config.unit, self._state
        lanes = core.engine.num_lanes(core.params)
        return {
            regs.ID: regs.ID_MAGIC_VALUE,
            regs.VERSION: regs.VERSION_MAJOR_VALUE << regs.VERSION_MAJOR_SHIFT
            | regs.VERSION_MINOR_VALUE << regs.VERSION_MINOR_SHIFT,
            regs.CAPABILITY: core.engine.engine_id << regs.CAPABILITY_ENGINE_SHIFT
            | self._sequencer_id << regs.CAPABILITY_SEQUENCER_SHIFT
            | lanes << regs.CAPABILITY_LANES_SHIFT
            | shape.message_blinding << regs.CAPABILITY_BLIND_MESSAGE_SHIFT
            | (shape.exponent_words > 0) << regs.CAPABILITY_BLIND_EXPONENT_SHIFT
            | shape.hardened << regs.CAPABILITY_HARDENED_SHIFT
            | shape.address_blinding << regs.CAPABILITY_BLIND_ADDRESS_SHIFT
            | shape.public_only << regs.CAPABILITY_PUBLIC_ONLY_SHIFT,
            regs.PRIME_BITS: shape.half_bits,
            regs.MIN_PRIME_BITS: 32 * shape.chunk_words,
            regs.CTRL: 0,
            regs.STATUS: state["done"] << regs.STATUS_DONE_SHIFT
            | self._model.key_valid << regs.STATUS_KEY_VALID_SHIFT
            | self._model.result_valid << regs.STATUS_RESULT_VALID_SHIFT
            | self._last.status << regs.STATUS_ERROR_SHIFT
            | self._locks[self._model.context] << regs.STATUS_LOCKED_SHIFT,
            regs.IRQ_STATUS: state["irq"],
            regs.IRQ_ENABLE: state["irq_enable"],
            regs.E_BITS: self._e_bits,
            regs.FAULTS: self._faults,
            regs.FAULT_LIMIT: self._limit,
            regs.CONTEXT: self._target
            | self._model.context << regs.CONTEXT_CHOSEN_SHIFT
            | shape.keys << regs.CONTEXT_COUNT_SHIFT,
            regs.KEYS: _mask(self._model.valid_keys) << regs.KEYS_VALID_SHIFT
            | _mask(self._locks) << regs.KEYS_LOCKED_SHIFT,
            regs.CYCLES_LO: self._last.cycles & 0xFFFFFFFF,
            regs.CYCLES_HI: self._last.cycles >> 32,
        }
