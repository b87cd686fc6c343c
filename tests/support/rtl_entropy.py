# SPDX-License-Identifier: Apache-2.0
"""`mf_rsa_entropy` in Verilator, with its inputs as arguments of `step`."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path

from modfab.models.rsa.entropy import Entropy
from modfab.paths import rtl_dir
from modfab.sim.verilate import Design, build

HARNESS = Path(__file__).resolve().parents[1] / "rtl" / "entropy" / "entropy.cpp"
TOP = "mf_rsa_entropy"


def wrapper(start_words: int, ones_late: bool) -> str:
    """The generator with parameters."""
    inputs = "input logic clk_i, rst_i, wipe_i, rnd_valid_i, take_i, input logic [31:0] rnd_data_i"
    outputs = "output logic rnd_ready_o, valid_o, seeded_o, failed_o, output logic [31:0] data_o"
    return (
        f"module entropy_top ({inputs}, {outputs});\n"
        f"  {TOP} #(.StartWords({start_words}), .OnesLate({int(ones_late)})) u_entropy (.*);\n"
        "endmodule\n"
    )


@dataclass(frozen=True, slots=True)
class Outputs:
    """Of one cycle, before its edge."""

    ready: bool
    valid: bool
    seeded: bool
    failed: bool
    data: int


def outputs_of(model: Entropy) -> Outputs:
    """The model's."""
    return Outputs(model.ready, model.valid, model.seeded, model.failed, model.data)


class RtlEntropy:
    """The generator, reset.

    Args:
        seed: Of the state before reset.
        start_words: As the parameter; None for the module alone, with registers to `flip`.
        ones_late: As the parameter; only with `start_words`.
    """

    def __init__(self, seed: int, start_words: int | None = None, ones_late: bool = False) -> None:
        files = tuple(rtl_dir() / "rsa" / f"{TOP}{part}.sv" for part in ("_health", ""))
        texts = {} if start_words is None else {"entropy_top.sv": wrapper(start_words, ones_late)}
        top = "entropy_top" if texts else TOP
        design = Design(top, files, texts, str(HARNESS), public=not texts)
        self._library = ctypes.CDLL(str(build(design)))
        self._library.mf_open.restype = ctypes.c_void_p
        self._library.mf_data.restype = ctypes.c_uint32
        self._library.mf_random.restype = ctypes.c_uint64
        self._handle = ctypes.c_void_p(self._library.mf_open(ctypes.c_uint32(seed)))
        self._clock(True, None, False, False)

    def step(self, word: int | None, take: bool = False, wipe: bool = False) -> None:
        """One cycle."""
        self._clock(False, word, take, wipe)

    def reset(self) -> None:
        """One cycle of reset."""
        self._clock(True, None, False, False)

    def random(self, state: int, cycles: int) -> int:
        """Random words at the port, each delivered word taken; the cycles until it failed."""
        counts = (ctypes.c_uint64(state), ctypes.c_uint64(cycles))
        return int(self._library.mf_random(self._handle, *counts))

    def outputs(self) -> Outputs:
        """What the ports show."""
        lib, handle = self._library, self._handle
        return Outputs(
            ready=bool(lib.mf_ready(handle)),
            valid=bool(lib.mf_valid(handle)),
            seeded=bool(lib.mf_seeded(handle)),
            failed=bool(lib.mf_failed(handle)),
            data=int(lib.mf_data(handle)),
        )

    def flip(self, register: str, bit: int) -> None:
        """Flip one bit now; `u_health.` before the register's name for those of the tests."""
        *path, name = register.split(".")
        scope = ".".join(["TOP", TOP, *path])
        assert self._library.mf_flip(self._handle, scope.encode(), name.encode(), bit), register

    def close(self) -> None:
        """Free the simulation."""
        self._library.mf_close(self._handle)

    def _clock(self, reset: bool, word: int | None, take: bool, wipe: bool) -> None:
        inputs = (int(reset), int(wipe), int(word is not None), ctypes.c_uint32(word or 0))
        self._library.mf_step(self._handle, *inputs, int(take))
