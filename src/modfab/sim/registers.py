# SPDX-License-Identifier: Apache-2.0
"""The registers and memories of a simulated core, for faults and for looking after a wipe."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from modfab.sim.handle import Simulation


@dataclass(frozen=True, slots=True)
class Register:
    """A register or memory of the simulated core: hierarchical name, words, bits of a word."""

    index: int
    name: str
    elements: int
    element_bits: int


class Registers(Simulation):
    """A simulation whose registers can be reached; needs a public build."""

    def registers(self) -> list[Register]:
        """Every register and memory; needs a public build."""
        found = []
        for index in range(self._library.mf_num_registers(self._handle)):
            name, elements, bits = ctypes.c_char_p(), ctypes.c_uint32(), ctypes.c_uint32()
            self._library.mf_register(
                *(self._handle, index, ctypes.byref(name)),
                *(ctypes.byref(elements), ctypes.byref(bits)),
            )
            text = (name.value or b"").decode()
            found.append(Register(index, text, elements.value, bits.value))
        return found

    def is_zero(self, register: Register) -> bool:
        """Whether every bit of it is zero now."""
        return bool(self._library.mf_is_zero(self._handle, register.index))
