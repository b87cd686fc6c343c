# SPDX-License-Identifier: Apache-2.0
"""One engine's RTL behind the same `run` as its golden model."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from modfab.build.core import EngineCore
from modfab.catalog import Engine, Params
from modfab.errors import DeviceError
from modfab.models.engine import SLOT_MOD, Command, CommandResult, Op, active_words
from modfab.models.generated.status import Status
from modfab.numbers import words_of
from modfab.paths import rtl_dir
from modfab.sim.cache import load_library
from modfab.sim.core import core_design
from modfab.sim.handle import Simulation
from modfab.sim.power_up import power_up_seed
from modfab.sim.verilate import Design, build

_DONE, _HANGS, _TOO_MANY = range(3)
"""What `mf_run` of engine.cpp returns; anything else is a program that was stopped."""


@dataclass(frozen=True, slots=True)
class Run:
    """Outcome of a program.

    Attributes:
        results: Of each command, in order.
        status: Of the last set-up.
        finished: Whether all was done; false for a program that was stopped.
        accepted: Commands that the engine took.
    """

    results: tuple[CommandResult, ...]
    status: Status
    finished: bool
    accepted: int


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a program is left in the middle.

    Attributes:
        command: Number of the command, from 0.
        cycles: Cycles from the one in which it is accepted, that one included; at least 1.
    """

    command: int
    cycles: int


_CONTRACT = "tb/mf_mul_contract.sv"


def _bind_contract(engine: Engine, params: Params) -> str:
    """The contract's assertions at the ports of the engine."""
    slots = f".NumSlots(NumSlots), .FactorSlots({engine.factor_slots(params)})"
    values = f"{slots}, .WipeCycles({engine.cycles.wipe(params)})"
    return f"bind {engine.top} mf_mul_contract #({values}) u_contract (.*);\n"


def engine_design(engine: Engine, params: Params, trace: bool = False) -> Design:
    """The Verilator build of one engine, with the contract's assertions at its ports."""
    design = core_design(EngineCore(engine, params), False, "engine.cpp", trace)
    texts = {**design.texts, "mf_bind_contract.sv": _bind_contract(engine, params)}
    files = (*design.files, rtl_dir() / _CONTRACT)
    return replace(design, texts=texts, files=files, assertions=True, brief=True)


def _results(
    lengths: Sequence[int], outs: Sequence[int], edges: Sequence[int], first: Sequence[int]
) -> tuple[CommandResult, ...]:
    """Each command's result.

    Args:
        lengths: Words that each command stores.
        outs: All words, in order.
        edges: Cycles of the acceptances, and the last cycle of all.
        first: Of each command, the clock of its first word.
    """
    results, taken = [], 0
    for i, length in enumerate(lengths):
        out = tuple(outs[taken : taken + length])
        taken += length
        latency = first[i] - edges[i] if out else 0
        results.append(CommandResult(edges[i + 1] - edges[i], out, latency))
    return tuple(results)


class RtlEngine(Simulation):
    """An engine's RTL, simulated cycle by cycle; every call is kept so that it can be replayed.

    Args:
        engine, params: What to build.
        wave: Where to write a waveform.
        seed: Of the state before reset; None for the one that `power_up_seed` chooses.
    """

    def __init__(
        self, engine: Engine, params: Params, wave: Path | None = None, seed: int | None = None
    ) -> None:
        self.engine, self.params, self.seed = engine, params, seed
        self._words = words_of(params["NumBits"])
        library = load_library(build(engine_design(engine, params, wave is not None)))
        library.mf_open.restype = ctypes.c_void_p
        library.mf_wipe.restype = ctypes.c_uint64
        path = str(wave).encode() if wave else None
        super().__init__(library, library.mf_open(path, power_up_seed(seed)))
        self._history: list[tuple[Sequence[Command], int, Stop | None] | int] = []

    def run(self, command: Command) -> CommandResult:
        """One command by itself, as the model's `run`."""
        run = self.run_all([command])
        return run.results[0]

    def run_all(
        self, commands: Sequence[Command], stall_seed: int = 0, stop: Stop | None = None
    ) -> Run:
        """Offer commands back to back and wait until all is done.

        Args:
            commands: The program.
            stall_seed: Not 0: random gaps on every stream.
            stop: Leave the program here.

        Returns:
            Results; cycles of the last command run to the end of its work. Those of a program that
            was stopped are not complete.

        Raises:
            DeviceError: The engine did not finish in ample time, or broke a rule of the contract.
        """
        self._history.append((tuple(commands), stall_seed, stop))
        lengths = [self._stored_words(command) for command in commands]
        limit = 1000 + 100 * len(commands) * self._ample()
        code, outs, edges, first = self._drive(commands, sum(lengths), stall_seed, stop, limit)
        if code in (_HANGS, _TOO_MANY):
            raise DeviceError(
                f"Engine {self.engine.name} "
                f"{'gave too many words' if code == _TOO_MANY else 'hangs'}: "
                f"{len(commands)} commands were not finished after {limit} cycles."
            )
        accepted = sum(edge > 0 for edge in edges[:-1])  # reset comes before clock 1
        results = _results(lengths, outs, edges, first)
        return Run(results, self.status, code == _DONE, accepted)

    def _drive(
        self,
        commands: Sequence[Command],
        num_out: int,
        stall_seed: int,
        stop: Stop | None,
        limit: int,
    ) -> tuple[int, Sequence[int], Sequence[int], Sequence[int]]:
        """Outcome, words, cycles of the acceptances and the last one, cycles of first words."""
        words = [word for command in commands for word in command.words]
        outs = (ctypes.c_uint32 * max(num_out, 1))()
        accepted = (ctypes.c_uint64 * max(len(commands), 1))()
        first = (ctypes.c_uint64 * max(len(commands), 1))()
        end = ctypes.c_uint64()
        code = self._library.mf_run(
            self._handle,
            (ctypes.c_uint64 * max(len(commands), 1))(*(command.packed() for command in commands)),
            len(commands),
            (ctypes.c_uint32 * max(len(words), 1))(*words),
            len(words),
            outs,
            num_out,
            accepted,
            first,
            ctypes.byref(end),
            ctypes.c_uint32(stall_seed),
            ctypes.c_uint64(limit),
            stop.command if stop else -1,
            ctypes.c_uint64(stop.cycles if stop else 0),
        )
        self._check_rules()
        edges = [*accepted[: len(commands)], end.value - 1]  # idle starts after the last cycle
        return code, list(outs), edges, list(first)

    def wipe(self, zeroize: bool) -> int:
        """Pulse zeroize or reset; returns the cycles until the engine is idle."""
        self._history.append(int(zeroize))
        self._words = words_of(self.params["NumBits"])
        cycles = int(self._library.mf_wipe(self._handle, int(zeroize), ctypes.c_uint64(1 << 20)))
        self._check_rules()
        return cycles

    def _check_rules(self) -> None:
        if self._library.mf_broken(self._handle):
            raise DeviceError(
                f"A rule of the engine contract is broken at the ports of {self.engine.name}; the "
                "simulator's message on standard output names the assertion."
            )

    @property
    def status(self) -> Status:
        """Status of the last set-up."""
        return Status(self._library.mf_status(self._handle))

    @property
    def busy(self) -> bool:
        """Whether a command or a wipe is in progress."""
        return bool(self._library.mf_busy(self._handle))

    def forget(self) -> None:
        """Start a new history for `replay`."""
        self._history = []

    def replay(self, wave: Path) -> None:
        """Repeat everything this object did, with a VCD waveform."""
        twin = RtlEngine(self.engine, self.params, wave, self.seed)
        try:
            for item in list(self._history):
                if isinstance(item, int):
                    twin.wipe(bool(item))
                else:
                    twin.run_all(*item)
        finally:
            twin.close()

    def _stored_words(self, command: Command) -> int:
        """Words that a command gives; a modulus that is loaded sets how many."""
        if command.op is Op.LOAD and command.dst0 == SLOT_MOD and self.engine.runtime_words:
            self._words = active_words(words_of(self.params["NumBits"]), command.num_words)
        return self._words if command.op is Op.STORE else 0

    def _ample(self) -> int:
        cycles, params = self.engine.cycles, self.params
        longest = (cycles.mul, cycles.setup, cycles.load, cycles.store, cycles.wipe)
        return max(formula(params) for formula in longest)
