# SPDX-License-Identifier: Apache-2.0
"""The RTL of the RSA core without a bus, behind the same calls as its golden model."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from modfab.build.rsa import ENTROPY_CYCLES, RsaCore, watchdog_cycles
from modfab.errors import DeviceError
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.machine import RsaRun
from modfab.numbers import from_words, to_words
from modfab.sim.cache import load_library
from modfab.sim.core import core_design
from modfab.sim.power_up import power_up_seed
from modfab.sim.registers import Register, Registers
from modfab.sim.verilate import Design, build


class RtlRsa(Registers):
    """The RSA core's RTL, simulated cycle by cycle.

    Args:
        config: What to build.
        public: True gives access to `registers`, for faults and for looking after a wipe.
        seed: Of the state before reset; None for the one that `power_up_seed` chooses.
        design: What to compile, if it is not the build of `config`.
    """

    def __init__(
        self,
        config: RsaCore,
        public: bool = False,
        seed: int | None = None,
        design: Design | None = None,
    ) -> None:
        self.config, self.image = config, config.image
        design = design or core_design(config, False, "rsa.cpp", public=public)
        library = load_library(build(design))
        library.mf_open.restype = ctypes.c_void_p
        library.mf_idle.restype = ctypes.c_uint64
        library.mf_cycles.restype = ctypes.c_uint64
        super().__init__(library, library.mf_open(power_up_seed(seed)))
        self.limit = 3 * watchdog_cycles(config) * 16 + 4 * ENTROPY_CYCLES
        self.idle()

    # ---- as RsaModel ----
    def put(self, name: str, value: int) -> None:
        """As `RsaModel.put`."""
        address, words = self.image.variables[name]
        for offset, word in enumerate(to_words(value, words)):
            self.write(address + offset, word)

    def write(self, address: int, word: int) -> None:
        """Offer a word to the core's port."""
        self._library.mf_write(self._handle, address, word)

    def get(self, name: str) -> int:
        """The result, `M`, through the core's port; DeviceError when the core refuses it."""
        address, words = self.image.variables[name]
        return from_words([self._read(address + offset) for offset in range(words)])

    def peek(self, name: str) -> int:
        """As `RsaModel.get`, past the port; needs a public build."""
        address, words = self.image.variables[name]
        address = self.image.place(address, self.context)
        return from_words(
            [self.value(self.word_memory, address + offset) for offset in range(words)]
        )

    def _read(self, address: int) -> int:
        word, good = self.read(address)
        if not good:
            raise DeviceError(
                f"Word {address} of the RSA core's memory has changed since it was written, or it "
                "is no valid result; the core refuses to give it."
            )
        return word

    def run(self, entry: RsaEntry, e_bits: int, target: int | None = None) -> RsaRun:
        """As `RsaModel.run`; DeviceError when it does not end."""
        self.aim(self.context if target is None else target)
        if not self.try_run(entry, e_bits):
            raise DeviceError(
                f"The RSA core did not end its program {entry.name.lower()} in {self.limit} "
                "cycles; this is a bug in it."
            )
        return RsaRun(self.status, self.cycles)

    @property
    def key_valid(self) -> bool:
        """As `RsaModel.key_valid`."""
        return bool(self._library.mf_flags(self._handle) & 1)

    @property
    def context(self) -> int:
        """As `RsaModel.context`."""
        return int(self._library.mf_contexts(self._handle) & 3)

    @property
    def valid_keys(self) -> tuple[bool, ...]:
        """As `RsaModel.valid_keys`."""
        return self._each(2)

    @property
    def result_valid(self) -> bool:
        """As `RsaModel.result_valid`."""
        return bool(self._library.mf_flags(self._handle) & 2)

    # ---- what only the RTL has ----
    @property
    def locks(self) -> tuple[bool, ...]:
        """Which contexts are locked."""
        return self._each(6)

    def _each(self, place: int) -> tuple[bool, ...]:
        bits = self._library.mf_contexts(self._handle) >> place
        return tuple(bool(bits >> context & 1) for context in range(self.image.num_keys))

    def aim(self, target: int) -> None:
        """The context that a change goes to, from now on."""
        if self.image.num_keys > 1:
            self._library.mf_aim(self._handle, target)

    @property
    def cycles(self) -> int:
        """Of the last operation, without a wipe and without waits for random words."""
        return int(self._library.mf_cycles(self._handle))

    @property
    def status(self) -> RsaStatus:
        """How the last operation ended."""
        return RsaStatus(self.status_code)

    @property
    def status_code(self) -> int:
        """The same as a number, which a fault can make any."""
        return int(self._library.mf_status(self._handle))

    def try_run(self, entry: RsaEntry, e_bits: int) -> bool:
        """Run a program; whether it ended in ample time."""
        return bool(
            self._library.mf_run(self._handle, int(entry), e_bits, ctypes.c_uint64(self.limit))
        )

    def entropy(self, words: Sequence[int]) -> None:
        """The words that the entropy port gives from now on; after them it gives none."""
        self._library.mf_entropy(self._handle, (ctypes.c_uint32 * len(words))(*words), len(words))

    def idle(self) -> int:
        """Run until the core is idle; returns the cycles."""
        return int(self._library.mf_idle(self._handle, ctypes.c_uint64(self.limit)))

    @property
    def alarm(self) -> bool:
        """Whether the core's alarm is up."""
        return bool(self._library.mf_flags(self._handle) & 8)

    def fault_limit(self, faults: int) -> None:
        """So many faults raise the alarm; 0: any number."""
        self._library.mf_fault_limit(self._handle, faults)

    def lock(self) -> None:
        """Refuse key words from now on."""
        self._library.mf_lock(self._handle)

    def wipe(self, zeroize: bool = True) -> int:
        """Pulse zeroize or reset; returns the cycles until the core is idle."""
        self._library.mf_pulse(self._handle, int(zeroize))
        return self.idle()

    def value(self, register: Register, element: int = 0) -> int:
        """What an element of it holds now."""
        data = ctypes.create_string_buffer(-(-register.element_bits // 64) * 8)
        self._library.mf_element(self._handle, register.index, element, data)
        return int.from_bytes(data.raw, "little") & ((1 << register.element_bits) - 1)

    def flip(self, register: Register, element: int, bit: int) -> None:
        """Flip one bit now."""
        self._library.mf_flip(self._handle, *register.place(element, bit))

    def stick(
        self, register: Register, element: int, bit: int, value: int, cycles: int = 1 << 62
    ) -> None:
        """Hold one bit at a value, from the next cycle on, so long, or until `release`."""
        place = register.place(element, bit)
        self._library.mf_stick(self._handle, *place, value, ctypes.c_uint64(cycles))

    def release(self) -> None:
        """End every `stick`."""
        self._library.mf_release(self._handle)

    def step(self, cycles: int = 1) -> None:
        """Let so many cycles pass."""
        self._library.mf_step(self._handle, cycles)

    def pulse(self, zeroize: bool = True) -> None:
        """Start a wipe without waiting for its end."""
        self._library.mf_pulse(self._handle, int(zeroize))

    def read(self, address: int) -> tuple[int, bool]:
        """A word as the port gives it, and whether the core says that it is good."""
        word = ctypes.c_uint32()
        good = self._library.mf_read(self._handle, address, ctypes.byref(word))
        return word.value, bool(good)

    def fault(self, clock: int, register: Register, element: int, bit: int) -> None:
        """Flip one bit that many cycles after the start of the next operation."""
        place = register.place(element, bit)
        self._library.mf_fault(self._handle, ctypes.c_uint64(clock), *place)
