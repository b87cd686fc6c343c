# SPDX-License-Identifier: Apache-2.0
"""The RSA core with its bus, and every flip-flop in reach."""

from __future__ import annotations

import ctypes

from modfab.build.rsa import RsaCore
from modfab.sim.core import RtlCore, bus_design
from modfab.sim.registers import Register, Registers
from modfab.sim.verilate import Design

_CORE = "TOP.mf_top.u_core.u_rsa."
_SHELL = "TOP.mf_top.u_core."


def shell_design(core: RsaCore) -> Design:
    """The Verilator build of a core with its bus, every flip-flop within reach."""
    return bus_design(core, whole=True)


class RtlShell(RtlCore, Registers):
    """One simulated RSA core behind its bus.

    Args:
        core: The build.
        seed: As for `RtlCore`.
        design: A changed `shell_design`.
    """

    def __init__(
        self, core: RsaCore, seed: int | None = None, design: Design | None = None
    ) -> None:
        super().__init__(core, seed=seed, design=design or shell_design(core))

    def shell_registers(self) -> list[Register]:
        """The flip-flops of the bus shell: all but those of core, engines and sequencers."""
        return [
            register
            for register in self.registers()
            if register.name.startswith(_SHELL) and not register.name.startswith(_CORE)
        ]

    def memory(self) -> list[int]:
        """The words of the core's memory, past the port."""
        found = self.word_memory
        word, words = ctypes.create_string_buffer(8), []
        for element in range(found.elements):
            self._library.mf_element(self._handle, found.index, element, word)
            words.append(int.from_bytes(word.raw[:4], "little"))
        return words

    def flip_after(self, cycles: int, register: Register, element: int, bit: int) -> None:
        """Flip one bit after so many cycles; an earlier call is forgotten."""
        place = register.place(element, bit)
        self._library.mf_flip_after(self._handle, ctypes.c_uint64(cycles), *place)

    def run(self, cycles: int) -> None:
        """Let so many cycles pass."""
        self._library.mf_answers(self._handle, ctypes.c_uint64(1 << 62), ctypes.c_uint64(cycles))
