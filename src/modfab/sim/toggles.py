# SPDX-License-Identifier: Apache-2.0
"""How many bits of every register of the simulated RSA core toggle in every cycle."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from modfab.build.rsa import RsaCore
from modfab.sim.registers import COPIES, Register
from modfab.sim.snapshots import SnapshotRsa
from modfab.sim.verilate import Design

Counts = npt.NDArray[np.uint32]
Squares = npt.NDArray[np.uint64]

_DONE = 1 << 63


@dataclass(frozen=True, slots=True)
class Window:
    """Cycles after the start of an operation: `start` up to, not with, `end`."""

    start: int
    end: int


class ToggleRsa(SnapshotRsa):
    """A simulated RSA core whose toggles are counted in windows of an operation.

    Args:
        config, seed, design: As for `SnapshotRsa`.
    """

    def __init__(
        self, config: RsaCore, seed: int | None = None, design: Design | None = None
    ) -> None:
        super().__init__(config, seed, design)
        for name in ("mf_watch_open", "mf_watch_sums", "mf_watch_squares"):
            getattr(self._library, name).restype = ctypes.c_void_p
        for name in ("mf_watch_go", "mf_record"):
            getattr(self._library, name).restype = ctypes.c_uint64
        self._watch: ctypes.c_void_p | None = None
        self.names = [register.name for register in self.registers()]
        self.num_points = 0

    def watch(self, windows: Sequence[Window], num_groups: int) -> None:
        """Count in these windows from now on; every sum of `num_groups` groups is 0.

        Args:
            windows: Ascending, apart.
            num_groups: Sums are kept for each; 0 when only totals are wanted.
        """
        self._stop_watching()
        numbers = ctypes.c_uint64 * len(windows)
        starts, ends = (numbers(*(getattr(w, end) for w in windows)) for end in ("start", "end"))
        self._watch = ctypes.c_void_p(
            self._library.mf_watch_open(self._handle, starts, ends, len(windows), num_groups)
        )
        self.num_points = sum(window.end - window.start for window in windows)

    def go_watched(self, group: int | None, max_cycles: int) -> tuple[bool, int, Counts]:
        """As `go` from the start of an operation on, and the toggles of each watched clock.

        Args:
            group: Whose sums by register they are added to; None for no group.
            max_cycles: At most so many cycles.
        """
        totals = np.zeros(self.num_points, np.uint32)
        place = totals.ctypes.data_as(ctypes.POINTER(ctypes.c_uint32))
        number = -1 if group is None else group
        limit = ctypes.c_uint64(max_cycles)
        cycles = int(self._library.mf_watch_go(self._handle, self._watch, number, limit, place))
        return bool(cycles & _DONE), cycles & ~_DONE, totals

    def sums(self, group: int) -> tuple[Counts, Squares]:
        """Sums of toggles and of their squares: a row for each watched clock, by register."""
        shape = (self.num_points, len(self.names))
        found = []
        for name, kind in (
            ("mf_watch_sums", ctypes.c_uint32),
            ("mf_watch_squares", ctypes.c_uint64),
        ):
            address = getattr(self._library, name)(self._watch, group)
            place = ctypes.cast(address, ctypes.POINTER(kind))
            found.append(np.ctypeslib.as_array(place, shape))
        return found[0], found[1]

    def record(self, registers: Sequence[Register], cycles: int) -> Squares:
        """Run so many cycles of what was started; the low 64 bits of each register after each."""
        out = np.zeros((cycles, len(registers)), np.uint64)
        indices = (ctypes.c_uint32 * len(registers))(*(r.index for r in registers))
        place = out.ctypes.data_as(ctypes.POINTER(ctypes.c_uint64))
        limit = ctypes.c_uint64(cycles)
        self._library.mf_record(self._handle, indices, len(registers), limit, place)
        return out

    def poke(self, name: str, value: int) -> None:
        """Put a variable into both copies of the word memory, past the port."""
        address, words = self.image.variables[name]
        for register in self.registers():
            if register.name.endswith(COPIES):
                for offset in range(words):
                    word = value >> 32 * offset & 0xFFFFFFFF
                    data = word.to_bytes(8, "little")
                    index, element, _ = register.place(address + offset)
                    self._library.mf_poke(self._handle, index, element, data)

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._library.mf_watch_close(self._watch)
            self._watch = None

    def close(self) -> None:
        """As for every simulation."""
        self._stop_watching()
        super().close()
