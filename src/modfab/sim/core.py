# SPDX-License-Identifier: Apache-2.0
"""The RTL of an AXI4-Lite core, simulated cycle by cycle."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from pathlib import Path

from modfab.build.compose import compose
from modfab.build.core import Core
from modfab.build.farm import FarmCore
from modfab.errors import DeviceError
from modfab.paths import rtl_dir
from modfab.sim.cache import load_library
from modfab.sim.handle import Simulation
from modfab.sim.power_up import power_up_seed
from modfab.sim.verilate import Design, build

TOP = "mf_top"
"""Name of the simulated module, which a build composes."""

# Kept as modules, equal cores share their code, which halves the time a farm takes to compile.
_FARM_SHARED = """\
`verilator_config
no_inline -module "mf_rsa_farm_member"
no_inline -module "mf_rsa_unit"
"""


def core_design(
    core: Core,
    bus: bool,
    harness: str,
    trace: bool = False,
    public: bool = False,
    snapshots: bool = False,
) -> Design:
    """The Verilator build of a core.

    Args:
        core: What to build.
        bus: With its bus.
        harness, trace, public, snapshots: As for `Design`.
    """
    files = tuple(rtl_dir() / name for name in core.files(bus))
    texts = compose(core, bus, TOP)
    if core.kind == FarmCore.kind:
        texts["shared.vlt"] = f'{_FARM_SHARED}no_inline -module "{core.unit.engine.top}"\n'
    return Design(TOP, files, texts, harness, trace, public, snapshots, title=_title(core))


def _title(core: Core) -> str:
    kinds = {"modexp": "an exponentiator", "rsa": "an RSA core", "farm": "a farm of RSA cores"}
    kind = kinds.get(core.kind, "an engine")
    return f"{kind} of {core.num_bits} bits ({core.unit.engine.name})"


def bus_design(core: Core, trace: bool = False, whole: bool = False) -> Design:
    """The Verilator build of a core with its bus; `whole`: its flip-flops in reach, snapshots."""
    design = core_design(core, True, "axil.cpp", trace, public=whole, snapshots=whole)
    if not whole:
        return design
    regs = [file for file in design.files if file.stem.endswith(("_regs", "_regs_pkg"))]
    files = tuple(file for file in design.files if file not in regs)
    texts = {file.name: packed(file.read_text()) for file in regs}
    return replace(design, files=files, texts={**design.texts, **texts})


def packed(regs: str) -> str:
    r"""A generated register block whose structs are vectors: the simulator can reach and keep them.

    >>> packed("    typedef struct {\n struct {\n logic v;\n } A;\n } field_storage_t;")
    '    typedef struct packed {\n struct packed {\n logic v;\n } A;\n } field_storage_t;'
    """
    return regs.replace("struct {", "struct packed {")


class RtlCore(Simulation):
    """One simulated core behind its bus; nothing here knows the register map.

    Args:
        core: What to build.
        wave: Where to write a waveform.
        seed: Of the state before reset; None for the one that `power_up_seed` chooses.
        design: What to compile, if it is not the build of `core`.
    """

    def __init__(
        self,
        core: Core,
        wave: Path | None = None,
        seed: int | None = None,
        design: Design | None = None,
    ) -> None:
        design = design or bus_design(core, wave is not None)
        library = load_library(build(design))
        library.mf_open.restype = ctypes.c_void_p
        library.mf_clock.restype = ctypes.c_uint64
        path = str(wave).encode() if wave else None
        super().__init__(library, library.mf_open(path, power_up_seed(seed)))

    def read(self, address: int) -> tuple[int, int]:
        """Response (0 okay, 2 slave error) and data of one bus read."""
        data = ctypes.c_uint32()
        response = self._library.mf_read(self._handle, ctypes.c_uint32(address), ctypes.byref(data))
        return self._answered(response), data.value

    def write(self, address: int, data: int) -> int:
        """Response of one bus write."""
        return self._answered(
            self._library.mf_write(self._handle, ctypes.c_uint32(address), ctypes.c_uint32(data))
        )

    def write_then_reset(self, address: int, data: int, cycles: int) -> bool:
        """Offer a write for so many cycles, then reset for one; whether the write was answered."""
        words = ctypes.c_uint32(address), ctypes.c_uint32(data), ctypes.c_uint32(cycles)
        return bool(self._library.mf_write_then_reset(self._handle, *words))

    def wait(self, max_cycles: int) -> bool:
        """Run until the interrupt output is high, at most `max_cycles`; whether it is high."""
        return bool(self._library.mf_wait(self._handle, ctypes.c_uint64(max_cycles)))

    def alarm(self) -> bool:
        """Whether the alarm output is high; False for a core without one."""
        return bool(self._library.mf_alarm(self._handle))

    @property
    def clock(self) -> int:
        """Cycles since the simulation began."""
        return int(self._library.mf_clock(self._handle))

    def _answered(self, response: int) -> int:
        if response < 0:
            raise DeviceError("The simulated core does not answer on its bus; this is a bug in it.")
        return response
