# SPDX-License-Identifier: Apache-2.0
"""The RTL of an AXI4-Lite core, simulated cycle by cycle."""

from __future__ import annotations

import ctypes
from pathlib import Path

from modfab.errors import DeviceError
from modfab.gen.config import CoreConfig, config_files
from modfab.gen.farm import FarmConfig, farm_files
from modfab.gen.rsa import RsaConfig, rsa_files
from modfab.paths import rtl_dir
from modfab.sim.power_up import power_up_seed
from modfab.sim.verilate import Design, build

TOP = "mf_modexp_axil"
RSA_TOP = "mf_rsa_axil"
FARM_TOP = "mf_rsa_farm_axil"
# Kept as modules, equal cores share their code, which halves the time a farm takes to compile.
_FARM_SHARED = """\
`verilator_config
no_inline -module "mf_rsa_farm_member"
no_inline -module "mf_rsa_unit"
"""
_FARM_LISTS = ("rsa/mf_rsa.f", "farm/mf_rsa_farm.f", f"top/{FARM_TOP}.f")


def read_file_list(name: str) -> tuple[str, ...]:
    """RTL files that a list below rtl/ names, in order."""
    lines = (rtl_dir() / name).read_text().splitlines()
    return tuple(line for line in lines if line and not line.startswith("//"))


def core_design(config: CoreConfig, trace: bool = False) -> Design:
    """The Verilator build of `mf_modexp_axil` in one configuration."""
    names = (*read_file_list(f"top/{TOP}.f"), *config.files())
    unique = tuple(dict.fromkeys(names))
    files = tuple(rtl_dir() / name for name in unique)
    return Design(TOP, files, config_files(config), "axil.cpp", trace)


def rsa_core_design(config: RsaConfig, trace: bool = False) -> Design:
    """The Verilator build of `mf_rsa_axil` in one configuration."""
    names = dict.fromkeys((*read_file_list(f"top/{RSA_TOP}.f"), *config.files()))
    files = tuple(rtl_dir() / name for name in names)
    return Design(RSA_TOP, files, rsa_files(config), "axil.cpp", trace)


def farm_core_design(config: FarmConfig, trace: bool = False, public: bool = False) -> Design:
    """The Verilator build of `mf_rsa_farm_axil` in one configuration."""
    listed = (name for text in _FARM_LISTS for name in read_file_list(text))
    names = dict.fromkeys((*listed, *config.files()))
    files = tuple(rtl_dir() / name for name in names)
    texts = farm_files(config) | {"shared.vlt": _FARM_SHARED}
    return Design(FARM_TOP, files, texts, "axil.cpp", trace, public)


def _design(config: CoreConfig | RsaConfig | FarmConfig, trace: bool, public: bool) -> Design:
    if isinstance(config, FarmConfig):
        return farm_core_design(config, trace, public)
    if isinstance(config, RsaConfig):
        return rsa_core_design(config, trace)
    return core_design(config, trace)


class RtlCore:
    """One simulated core behind its bus; nothing here knows the register map.

    Args:
        config: What to build.
        wave: Where to write a waveform.
        public: True gives a farm's subclass access to every register.
        seed: Of the state before reset; None for the one that `power_up_seed` chooses.
    """

    def __init__(
        self,
        config: CoreConfig | RsaConfig | FarmConfig,
        wave: Path | None = None,
        public: bool = False,
        seed: int | None = None,
    ) -> None:
        self._library = ctypes.CDLL(str(build(_design(config, wave is not None, public))))
        self._library.mf_open.restype = ctypes.c_void_p
        self._library.mf_clock.restype = ctypes.c_uint64
        path = str(wave).encode() if wave else None
        self._handle = ctypes.c_void_p(self._library.mf_open(path, power_up_seed(seed)))
        self._open = True

    def close(self) -> None:
        """Free the simulation."""
        if self._open:
            self._library.mf_close(self._handle)
            self._open = False

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

    def wait(self, max_clocks: int) -> bool:
        """Run until the interrupt output is high, at most `max_clocks`; whether it is high."""
        return bool(self._library.mf_wait(self._handle, ctypes.c_uint64(max_clocks)))

    @property
    def clock(self) -> int:
        """Clocks since the simulation began."""
        return int(self._library.mf_clock(self._handle))

    def _answered(self, response: int) -> int:
        if response < 0:
            raise DeviceError("The simulated core does not answer on its bus; this is a bug in it.")
        return response
