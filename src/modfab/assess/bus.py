# SPDX-License-Identifier: Apache-2.0
"""What the bus of an RSA core shows of an operation: polls, interrupt, time of a read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from modfab.assess.stage import AssessKey
from modfab.build.rsa import RsaCore
from modfab.errors import DeviceError
from modfab.host.generated import mf_rsa_regs as regs
from modfab.models.rsa.entry import RsaEntry
from modfab.numbers import from_words, to_words
from modfab.sim.core import RtlCore

_LIMIT = 1 << 32


@dataclass(frozen=True, slots=True)
class Seen:
    """What a program on the bus sees of one private operation.

    Attributes:
        polls: Reads of STATUS, one behind the other, until it says done.
        interrupt: Cycles from the answer to the start until the interrupt.
        read: Cycles that reading the result takes, by word.
        set_up: Cycles from the start of the key's set-up until the interrupt.
    """

    polls: int
    interrupt: int
    read: tuple[int, ...]
    set_up: int


class BusObserver:
    """An RSA core behind its bus.

    Args:
        core: The build.
        seed: Of the state before reset.
    """

    def __init__(self, core: RsaCore, seed: int) -> None:
        self.core, self.rtl = core, RtlCore(core, seed=seed)
        self._set_up = 0

    def load(self, key: AssessKey) -> None:
        """Write a key and let the core set it up, from a wiped generator of random words on.

        After a reset the generator has its seed before a host writes the first key, after a
        zeroize a set-up waits for it: the first key is loaded twice.
        """
        if not self._set_up:
            self._load(key)
        self._load(key)

    def _load(self, key: AssessKey) -> None:
        half, parts = self.core.shape.half_words, key.parts()
        self._write(regs.CTRL, regs.CTRL_ZEROIZE_MASK)
        self._poll()
        for name, window in (("P", regs.P_WINDOW), ("Q", regs.Q_WINDOW)):
            self._put(window, parts[name], half)
        for name, window in (
            *(("DP", regs.DP_WINDOW), ("DQ", regs.DQ_WINDOW), ("QI", regs.QI_WINDOW)),
        ):
            self._put(window, parts[name], half)
        self._put(regs.E_WINDOW, key.e, self.core.shape.num_words)
        self._write(regs.E_BITS, key.e.bit_length())
        self._write(regs.IRQ_ENABLE, regs.IRQ_ENABLE_DONE_MASK)
        self._set_up = self._until_interrupt(regs.CTRL_KEY_MASK)

    def operate(self, key: AssessKey, message: int) -> Seen:
        """The same private operation twice: with the interrupt, and with polls.

        Raises:
            DeviceError: A result is wrong.
        """
        words = self.core.shape.num_words
        self._put(regs.MESSAGE_WINDOW, message, words)
        interrupt = self._until_interrupt(regs.CTRL_START_PRIVATE_MASK)
        times, result = self._result(words)
        self._put(regs.MESSAGE_WINDOW, message, words)
        self._write(regs.CTRL, regs.CTRL_START_PRIVATE_MASK)
        polls = self._poll()
        again, repeated = self._result(words)
        if not result == repeated == pow(message, key.d, key.n):
            raise DeviceError("The simulated core gave a wrong result on its bus; this is a bug.")
        return Seen(polls, interrupt, times + again, self._set_up)

    def _until_interrupt(self, command: int) -> int:
        self._write(regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK)
        self._write(regs.CTRL, command)
        start = self.rtl.clock
        if not self.rtl.wait(_LIMIT):
            raise DeviceError("The simulated core did not raise its interrupt; this is a bug.")
        return self.rtl.clock - start

    def _poll(self) -> int:
        polls = 1
        while self._read(regs.STATUS) & regs.STATUS_BUSY_MASK:
            polls += 1
        return polls

    def _result(self, words: int) -> tuple[tuple[int, ...], int]:
        times, found = [], []
        for index in range(words):
            start = self.rtl.clock
            found.append(self._read(regs.RESULT_WINDOW + 4 * index))
            times.append(self.rtl.clock - start)
        return tuple(times), from_words(found)

    def _put(self, window: int, value: int, words: int) -> None:
        for index, word in enumerate(to_words(value, words)):
            self._write(window + 4 * index, word)

    def _write(self, address: int, data: int) -> None:
        if self.rtl.write(address, data):
            raise DeviceError(f"The simulated core refused a write of {address:#x}; this is a bug.")

    def _read(self, address: int) -> int:
        response, data = self.rtl.read(address)
        if response:
            raise DeviceError(f"The simulated core refused a read of {address:#x}; this is a bug.")
        return data

    def close(self) -> None:
        """Free the simulation."""
        self.rtl.close()


@dataclass(slots=True)
class BusRow:
    """What was seen with one kind of key or message.

    Attributes:
        runs: Operations, each twice.
        after: Cycles from the end that build and e give to the interrupt.
        set_up: The same for a key's set-up.
        read: Cycles of a read of a result's word.
        deviations: Operations that the bus could tell from others of the same build and e.
    """

    runs: int = 0
    after: set[int] = field(default_factory=set)
    set_up: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)
    deviations: int = 0

    def data(self) -> dict[str, Any]:
        """For a report."""
        found = {"runs": self.runs, "deviations": self.deviations}
        for name, values in (("interrupt", self.after), ("set_up", self.set_up)):
            found |= {f"{name}_least": min(values), f"{name}_most": max(values)}
        return found | {"read_least": min(self.read), "read_most": max(self.read)}


class BusRows:
    """All rows, and what the first operation has shown."""

    def __init__(self, core: RsaCore) -> None:
        self.programs = core.programs()
        self.rows: dict[str, BusRow] = {}
        self.polls: dict[int, int] = {}
        self.usual: tuple[int, int, int] | None = None

    def add(self, names: Sequence[str], key: AssessKey, seen: Seen) -> None:
        """Compare an operation with the first one, and count it in these rows."""
        cycles = self.programs.program(RsaEntry.PRIVATE, key.e)
        after = seen.interrupt - cycles
        set_up = seen.set_up - self.programs.program(RsaEntry.KEY, key.e)
        shown = (after, set_up, max(seen.read))
        self.usual = self.usual or shown
        same = shown == self.usual and len(set(seen.read)) == 1
        same = same and self.polls.setdefault(cycles, seen.polls) == seen.polls
        for name in names:
            row = self.rows.setdefault(name, BusRow())
            row.runs += 1
            row.after.add(after)
            row.set_up.add(set_up)
            row.read |= set(seen.read)
            row.deviations += not same

    def data(self) -> dict[str, dict[str, Any]]:
        """For a report."""
        return {name: row.data() for name, row in self.rows.items()}
