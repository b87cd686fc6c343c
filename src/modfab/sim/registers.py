# SPDX-License-Identifier: Apache-2.0
"""The registers and memories of a simulated core, for faults and for looking after a wipe."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property

from modfab.sim.handle import Simulation

COPIES = ("u_memory.u_ram_a.mem_q", "u_memory.u_ram_b.mem_q")
"""How the names of both copies of an RSA core's word memory end; an engine has RAMs of its own."""


@dataclass(frozen=True, slots=True)
class Register:
    """A register or memory of the simulated core: hierarchical name, words, bits of a word."""

    index: int
    name: str
    elements: int
    element_bits: int

    def place(self, element: int, bit: int = 0) -> tuple[int, int, int]:
        """One bit of it as the harness takes it, which writes wherever it is told.

        >>> Register(7, "mem_q", 4, 8).place(3, 5)
        (7, 3, 5)

        Raises:
            IndexError: It has no such bit.
        """
        if not (0 <= element < self.elements and 0 <= bit < self.element_bits):
            raise IndexError(
                f"{self.name} has {self.elements} elements of {self.element_bits} bits, and so no "
                f"bit {bit} of element {element}."
            )
        return self.index, element, bit


class Registers(Simulation):
    """A simulation whose registers can be reached; needs a public build.

    One with snapshots can also go back to an earlier state.
    """

    _found: tuple[Register, ...] = ()

    def registers(self) -> list[Register]:
        """Every register and memory; needs a public build."""
        number = self._library.mf_num_registers(self._handle)
        if len(self._found) != number:
            self._found = tuple(self._register(index) for index in range(number))
        return list(self._found)

    def _register(self, index: int) -> Register:
        name, elements, bits = ctypes.c_char_p(), ctypes.c_uint32(), ctypes.c_uint32()
        self._library.mf_register(
            *(self._handle, index, ctypes.byref(name)),
            *(ctypes.byref(elements), ctypes.byref(bits)),
        )
        return Register(index, (name.value or b"").decode(), elements.value, bits.value)

    @cached_property
    def word_memory(self) -> Register:
        """The first copy of an RSA core's word memory."""
        (memory,) = (found for found in self.registers() if found.name.endswith(COPIES[0]))
        return memory

    def is_zero(self, register: Register) -> bool:
        """Whether every bit of it is zero now."""
        return bool(self._library.mf_is_zero(self._handle, register.index))

    def save(self) -> int:
        """Keep the state; the number of the snapshot."""
        return int(self._library.mf_save(self._handle))

    def restore(self, snapshot: int) -> None:
        """Go back to a snapshot; nothing is held and no fault is to come any more."""
        self._library.mf_restore(self._handle, snapshot)
