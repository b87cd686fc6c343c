# SPDX-License-Identifier: Apache-2.0
"""The life of a simulation: what every simulated design does alike."""

from __future__ import annotations

import ctypes

from modfab.errors import ClosedError


class Simulation:
    """A loaded library and the simulation that its `mf_open` made.

    Args:
        library: A build of `modfab.sim.verilate`.
        pointer: What `mf_open` returned.
    """

    def __init__(self, library: ctypes.CDLL, pointer: int) -> None:
        self._library = library
        self._simulation: ctypes.c_void_p | None = ctypes.c_void_p(pointer)

    @property
    def _handle(self) -> ctypes.c_void_p:
        """The simulation; every call into the library asks for it, so that none comes too late."""
        if self._simulation is None:
            raise ClosedError
        return self._simulation

    def close(self) -> None:
        """Free the simulation; a second call does nothing, every other one raises ClosedError."""
        if self._simulation is not None:
            self._library.mf_close(self._simulation)
            self._simulation = None
