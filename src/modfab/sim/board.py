# SPDX-License-Identifier: Apache-2.0
"""A whole board, simulated cycle by cycle, its serial line on a pseudo terminal."""

from __future__ import annotations

import argparse
import ctypes
import os
import threading
import tty
from contextlib import suppress
from types import TracebackType

from modfab.build.board_top import TOP, Link, board_files, board_generated
from modfab.build.boards import Pll
from modfab.build.core import Core
from modfab.build.rsa import half_of, rsa_core
from modfab.paths import rtl_dir
from modfab.sim.cache import load_library
from modfab.sim.power_up import power_up_seed
from modfab.sim.registers import Registers
from modfab.sim.verilate import Design, build

SIMULATED = Link(clk_hz=80_000_000, baud=8_000_000, timeout_cycles=200_000, wait_cycles=100_000)
"""A line that is fast in cycles, and waits that are short: a simulation is slow in seconds."""

_PLL = Pll(1, 24, 6, 100.0)  # bypassed
_SERVED = 2000  # cycles between two looks at the line


def board_design(core: Core, link: Link = SIMULATED) -> Design:
    """The Verilator build of a board, its PLL bypassed."""
    files = tuple(rtl_dir() / name for name in board_files(core))
    return Design(TOP, files, board_generated(core, _PLL, link), "board.cpp")


class RtlBoard(Registers):
    """A simulated board, its bytes given and taken by hand.

    Args:
        core: The core on it.
        link: Its serial line.
        seed: Of the state before reset; None for the one that `power_up_seed` chooses.
        design: A netlist or a changed `board_design`; None simulates the board's RTL.
    """

    def __init__(
        self,
        core: Core,
        link: Link = SIMULATED,
        seed: int | None = None,
        design: Design | None = None,
    ) -> None:
        library = load_library(build(design or board_design(core, link)))
        library.mf_bad_stops.restype = ctypes.c_uint64
        library.mf_open.restype = ctypes.c_void_p
        bits = ctypes.c_double(link.clk_hz / link.baud)
        super().__init__(library, library.mf_open(bits, power_up_seed(seed)))

    def put(self, data: bytes) -> None:
        """Bytes for the board, sent while it runs."""
        self._library.mf_put(self._handle, data, len(data))

    def get(self) -> bytes:
        """Bytes that came from the board."""
        data = ctypes.create_string_buffer(65536)
        count = self._library.mf_get(self._handle, data, len(data))
        return data.raw[:count]

    def run(self, cycles: int) -> None:
        """Let cycles pass."""
        self._library.mf_run(self._handle, ctypes.c_uint64(cycles))

    def serve(self, file: int) -> bool:
        """Some cycles with the line on a file descriptor; False when its other end is gone."""
        return bool(self._library.mf_serve(self._handle, file, ctypes.c_uint64(_SERVED)))

    def lose(self, count: int, *, from_board: bool) -> None:
        """Lose the byte after `count` - 1 others, on the way to the board or from it."""
        self._library.mf_lose(self._handle, ctypes.c_uint64(count), int(from_board))

    def spoil(self, count: int) -> None:
        """Change a bit of the byte from the board after `count` - 1 others."""
        self._library.mf_spoil(self._handle, ctypes.c_uint64(count))

    def drop_stop(self, count: int) -> None:
        """Send the byte after `count` - 1 others without its stop bit."""
        self._library.mf_no_stop(self._handle, ctypes.c_uint64(count))

    def spike(self, cycles: int) -> None:
        """Hold the idle line to the board low for some cycles."""
        self._library.mf_spike(self._handle, ctypes.c_uint64(cycles))

    def press(self, *, pressed: bool) -> None:
        """The reset button."""
        self._library.mf_button(self._handle, int(pressed))

    @property
    def leds(self) -> int:
        """Its eight LEDs."""
        return int(self._library.mf_leds(self._handle))

    @property
    def bad_stops(self) -> int:
        """Bytes from the board without a stop bit."""
        return int(self._library.mf_bad_stops(self._handle))


class PtyBoard:
    """A simulated board whose serial line is a pseudo terminal, running in a thread.

    Attributes:
        board: The simulation; to be touched before the thread starts only.
        path: The terminal's name, for `--device serial:PATH`.
    """

    def __init__(self, core: Core, link: Link = SIMULATED, design: Design | None = None) -> None:
        self.board = RtlBoard(core, link, design=design)
        self._master, self._slave = os.openpty()  # open at our side too, so that it stays
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._stop = threading.Event()
        self._open = True
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> PtyBoard:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop it and free everything; a second call does nothing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._open:
            self._open = False
            self.board.close()
            os.close(self._slave)
            os.close(self._master)

    def join(self) -> None:
        """Wait while the board runs, until an exception such as Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(1.0)

    def _run(self) -> None:
        while not self._stop.is_set() and self.board.serve(self._master):
            pass


def _main() -> None:
    parser = argparse.ArgumentParser(description="Simulate a board with an RSA core on a pty.")
    parser.add_argument("--bits", type=int, default=512, help="bits of n")
    parser.add_argument("--engine", default="bit_serial", help="engine of the core")
    chosen = parser.parse_args()
    with PtyBoard(rsa_core(chosen.engine, half_of(chosen.bits), sequencer="window")) as board:
        print(f"--device serial:{board.path}   (Ctrl-C ends it)", flush=True)
        with suppress(KeyboardInterrupt):
            board.join()


if __name__ == "__main__":
    _main()
