# SPDX-License-Identifier: Apache-2.0
"""The RSA core's RTL with snapshots and every flip-flop in reach."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from modfab.build.rsa import RsaCore
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.core import core_design
from modfab.sim.registers import Register
from modfab.sim.rsa import RtlRsa
from modfab.sim.verilate import Design

_DONE = 1 << 63

WRITE_CYCLES, COPY_CYCLES, READ_CYCLES = 2, 1, 3
"""Cycles of a host access. Write: the word is in the registers of the port, then of the memory.
Copy, which the next write overlaps: the memory's registers hold the message's second copy. Read:
the words are in the block RAMs, then in their output registers, then at the port."""


def snapshot_design(config: RsaCore) -> Design:
    """The Verilator build of a core whose state can be kept."""
    return core_design(config, False, "rsa.cpp", public=True, snapshots=True)


class SnapshotRsa(RtlRsa):
    """A simulated RSA core that can go back to an earlier state.

    Args:
        config: What to build.
        seed: As for `RtlRsa`.
        design: A changed `snapshot_design`, for a campaign against another RTL.
    """

    def __init__(
        self, config: RsaCore, seed: int | None = None, design: Design | None = None
    ) -> None:
        super().__init__(config, True, seed, design or snapshot_design(config))
        self._library.mf_go.restype = ctypes.c_uint64

    def same(self, snapshot: int) -> bool:
        """Whether the state is that of a snapshot and nothing is held."""
        return bool(self._library.mf_same(self._handle, snapshot))

    def forget(self) -> None:
        """Drop every snapshot."""
        self._library.mf_forget(self._handle)

    def begin(self, entry: RsaEntry, e_bits: int) -> None:
        """Start a program; its first cycle passes."""
        self._library.mf_begin(self._handle, int(entry), e_bits)

    def go(self, max_cycles: int) -> tuple[bool, int]:
        """Run what was started, at most so long; whether it is done, and the cycles."""
        cycles = int(self._library.mf_go(self._handle, ctypes.c_uint64(max_cycles)))
        return bool(cycles & _DONE), cycles & ~_DONE

    def put_word(self, name: str, index: int, word: int) -> None:
        """Write one word of a variable through the core's port."""
        self._library.mf_write(self._handle, self.image.variables[name][0] + index, word)

    def flip_in_access(self, cycle: int, flips: Sequence[tuple[Register, int, int]]) -> None:
        """Flip these bits behind that cycle, counted from 1, of the host's next access."""
        for register, element, bit in flips:
            place = register.place(element, bit)
            self._library.mf_flip_in_access(self._handle, ctypes.c_uint64(cycle), *place)
