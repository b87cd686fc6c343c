# SPDX-License-Identifier: Apache-2.0
"""A core in a regular file: a thread plays the hardware, `MmapTransport` maps the file."""

from __future__ import annotations

import ctypes
import mmap
import socket
import threading
import time
from pathlib import Path

from modfab.build.core import ModexpCore
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.transport import BusError
from modfab.host.transport_model import ModelTransport
from modfab.host.transport_uio import MAP_BYTES, MmapTransport
from modfab.numbers import words_of

PUBLISHED = (
    regs.ID,
    regs.VERSION,
    regs.CAPABILITY,
    regs.NUM_BITS,
    regs.EXP_BITS_MAX,
    regs.SETUP_CYCLES,
    regs.EXP_CYCLES_LO,
    regs.EXP_CYCLES_HI,
    regs.TOTAL_CYCLES_LO,
    regs.TOTAL_CYCLES_HI,
)


class FakeCore:
    """Hardware that lives in a file."""

    def __init__(self, path: Path, config: ModexpCore) -> None:
        self._model = ModelTransport(config)
        self._num_words, self._exp_words = words_of(config.num_bits), words_of(config.exp_bits)
        path.write_bytes(bytes(MAP_BYTES))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), MAP_BYTES)
        self._words = (ctypes.c_uint32 * (MAP_BYTES // 4)).from_buffer(self._map)
        self._modulus: list[int] = []
        self.interrupt, self._irq = socket.socketpair()
        self._irq.setblocking(False)
        self._stop = threading.Event()
        self._publish()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        del self._words
        self._map.close()
        self.interrupt.close()
        self._irq.close()

    def _serve(self) -> None:
        while not self._stop.is_set():
            if self._words[regs.CTRL // 4]:
                self._command(self._words[regs.CTRL // 4])
            elif self._busy():
                self._model.wait(0.0005)
                self._publish()
                if not self._busy():
                    self._irq.send(bytes(4))
            else:
                time.sleep(0.0002)

    def _busy(self) -> bool:
        return bool(self._words[regs.STATUS // 4] & regs.STATUS_BUSY_MASK)

    def _command(self, flags: int) -> None:
        try:
            if not self._busy():
                self._take_operands()
            self._model.write32(regs.CTRL, flags)
            if flags & regs.CTRL_ZEROIZE_MASK:
                self._modulus = []
        except BusError:
            pass  # a start while busy: hardware answers with an error that the file cannot carry
        self._publish()
        self._words[regs.CTRL // 4] = 0

    def _window(self, window: int, num_words: int) -> list[int]:
        return [self._words[window // 4 + i] for i in range(num_words)]

    def _take_operands(self) -> None:
        modulus = self._window(regs.MODULUS_WINDOW, self._num_words)
        exponent = self._window(regs.EXPONENT_WINDOW, self._exp_words)
        written = {
            regs.BASE_WINDOW: self._window(regs.BASE_WINDOW, self._num_words),
            regs.EXPONENT_WINDOW: exponent,
        }
        if modulus != self._modulus:
            written[regs.MODULUS_WINDOW] = self._modulus = modulus
        for window, words in written.items():
            for index, word in enumerate(words):
                self._model.write32(window + 4 * index, word)
        self._model.write32(regs.EXP_BITS, self._words[regs.EXP_BITS // 4])

    def _publish(self) -> None:
        status = self._model.read32(regs.STATUS)
        for index in range(self._num_words):
            try:
                word = self._model.read32(regs.RESULT_WINDOW + 4 * index)
            except BusError:
                word = 0
            self._words[regs.RESULT_WINDOW // 4 + index] = word
        for address in PUBLISHED:
            self._words[address // 4] = self._model.read32(address)
        # Last: whoever sees that the core is idle sees the rest as well.
        self._words[regs.STATUS // 4] = status


class FakeUio(MmapTransport):
    """The transport under test; like a bus, it ends a command's write when the core has it."""

    def write32(self, address: int, value: int) -> None:
        """As `MmapTransport.write32`."""
        super().write32(address, value)
        while address == regs.CTRL and self.read32(regs.CTRL):
            time.sleep(0.0001)
