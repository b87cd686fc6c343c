# SPDX-License-Identifier: Apache-2.0
"""The RTL of a farm of RSA cores: its bus, and both ends of its job queue."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from modfab.build.farm import FarmCore
from modfab.sim.core import RtlCore, bus_design
from modfab.sim.registers import Register, Registers
from modfab.sim.verilate import Design

_FARM = "TOP.mf_top.u_core.u_farm."
_NOT_OWN = {"u_rsa", "u_entropy"}


def farm_design(config: FarmCore) -> Design:
    """The Verilator build of a farm, every flip-flop within reach."""
    return bus_design(config, whole=True)


@dataclass(frozen=True, slots=True)
class Beat:
    """One word of a stream, and the clock in which it was taken."""

    clock: int
    data: int
    last: bool


class RtlFarm(RtlCore, Registers):
    """One simulated farm. Packets that are sent wait outside until the farm takes them.

    Args:
        config: What to build.
        wave: Where to write a waveform.
        seed: As for `RtlCore`.
        design: `farm_design`, or a changed one, for access to registers and snapshots.
    """

    def __init__(
        self,
        config: FarmCore,
        wave: Path | None = None,
        seed: int | None = None,
        design: Design | None = None,
    ) -> None:
        super().__init__(config, wave, seed, design)
        self._library.mf_answers.restype = ctypes.c_uint64
        self._library.mf_taken.restype = ctypes.c_uint64

    # ---- the job queue ----
    def send(self, words: Sequence[int]) -> None:
        """Put a packet behind those that wait."""
        self._library.mf_send(self._handle, (ctypes.c_uint32 * len(words))(*words), len(words))

    def pauses(self, jobs: int, answers: int, seed: int = 1) -> None:
        """Let sender and receiver pause at random, in so many 256ths of the cycles from now on.

        Args:
            jobs, answers: 0 for never, 256 for always.
            seed: State of a xorshift generator of 32 bits, not 0. In each cycle it is drawn first
                for a job's word that waits and was not offered yet, then for the answers; not for
                a side that never pauses.
        """
        self._library.mf_pauses(self._handle, jobs, answers, ctypes.c_uint32(seed))

    def run_until(self, answer_beats: int, max_cycles: int) -> int:
        """Run until that many words of answers have come in all; how many there are."""
        counts = (ctypes.c_uint64(answer_beats), ctypes.c_uint64(max_cycles))
        return int(self._library.mf_answers(self._handle, *counts))

    def run(self, cycles: int) -> None:
        """Run that many cycles."""
        self.run_until(1 << 62, cycles)

    @property
    def num_answer_beats(self) -> int:
        """Words of answers so far."""
        return self.run_until(0, 0)

    @property
    def num_taken_beats(self) -> int:
        """Words of jobs that the farm has taken so far."""
        return int(self._library.mf_taken(self._handle))

    def answer_beats(self, first: int = 0, end: int | None = None) -> list[Beat]:
        """Words of answers, from one on; to the last one unless `end` says otherwise."""
        stop = self.num_answer_beats if end is None else end
        return [self._beat(1, index) for index in range(first, stop)]

    def taken_beats(self) -> list[Beat]:
        """Words of jobs that the farm has taken."""
        return [self._beat(0, index) for index in range(self.num_taken_beats)]

    def starve(self, starved: bool) -> None:
        """Whether the entropy port gives nothing."""
        self._library.mf_starve(self._handle, int(starved))

    def stick(self) -> None:
        """Let the entropy port give always the same word, until `starve`."""
        self._library.mf_starve(self._handle, 2)

    def flip(self, register: Register, element: int, bit: int) -> None:
        """Flip one bit now."""
        self._library.mf_flip(self._handle, *register.place(element, bit))

    def flip_after(self, cycles: int, register: Register, element: int, bit: int) -> None:
        """Flip one bit after so many cycles; an earlier call is forgotten."""
        place = register.place(element, bit)
        self._library.mf_flip_after(self._handle, ctypes.c_uint64(cycles), *place)

    def own_registers(self) -> dict[str, Register]:
        """The farm's registers without those of cores and generator, by names below the farm."""
        named = {
            found.name.replace("__BRA__", "[").replace("__KET__", "]"): found
            for found in self.registers()
        }
        return {
            name.removeprefix(_FARM): found
            for name, found in named.items()
            if name.startswith(_FARM) and not _NOT_OWN & set(name.split("."))
        }

    def words_of(self, register: Register) -> list[int]:
        """Its value in words of 32 bits, of one element after the other."""
        count = -(-register.element_bits // 32)
        buffer, words = ctypes.create_string_buffer(4 * count + 8), []
        for element in range(register.elements):
            self._library.mf_element(self._handle, register.index, element, buffer)
            value = int.from_bytes(buffer.raw[: -(-register.element_bits // 8)], "little")
            words += [value >> 32 * i & 0xFFFFFFFF for i in range(count)]
        return words

    def _beat(self, answer: int, index: int) -> Beat:
        clock, data, last = ctypes.c_uint64(), ctypes.c_uint32(), ctypes.c_int()
        outputs = (ctypes.byref(clock), ctypes.byref(data), ctypes.byref(last))
        self._library.mf_word(self._handle, answer, ctypes.c_uint64(index), *outputs)
        return Beat(clock.value, data.value, bool(last.value))
