# SPDX-License-Identifier: Apache-2.0
"""Sequencers cycle by cycle: commands, back to back, with words two cycles after their address."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from modfab.catalog import get_sequencer
from modfab.filelists import listed_files
from modfab.models.engine import Command, Op
from modfab.models.exp_ladder_masked import commands as masked_commands
from modfab.models.exp_window import commands as window_commands
from modfab.numbers import words_of
from modfab.paths import rtl_dir
from modfab.sim.verilate import Design, build

HARNESS = Path(__file__).resolve().parent / "sequencer" / "sequencer.cpp"
EXP_BITS = 70
MEMORY_CYCLES = 2
"""From an address to its word."""

SECOND = 5
"""Cycles from `start_i` until a product that depends on the first digit can be offered."""

WINDOW = words_of(EXP_BITS)
MASK_BITS = 32 * (WINDOW + 1)
"""Words of the exponent, and bits of the masks that may follow it."""

TOP = """// SPDX-License-Identifier: Apache-2.0
module mf_test_sequencer (
  input  logic                      clk_i, rst_i, start_i,
  input  logic [15:0]               exp_bits_i,
  output logic [{address}-1:0]      exp_addr_o,
  input  logic [31:0]               exp_data_i,
  output logic                      cmd_valid_o,
  input  logic                      cmd_ready_i,
  output logic [$bits(mf_pkg::cmd_t)-1:0] cmd_o,
  output logic                      done_o
);
  {top} #(.ExpBits({bits}){params}) u_sequencer (.*);
endmodule
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A sequencer.

    Attributes:
        early: The product behind the first depends on a digit.
        least: Cycles of a product from which on they are back to back.
    """

    name: str
    num_lanes: int = 1
    window_bits: int = 0
    early: bool = False
    least: int = 3

    @property
    def lead(self) -> int:
        """Cycles from `start_i` until the first product is offered."""
        return 1 + get_sequencer(self.name).start_cycles

    @property
    def design(self) -> Design:
        entry = get_sequencer(self.name)
        files = tuple(rtl_dir() / file for file in listed_files(f"exp/{entry.top}.f"))
        address = (WINDOW * 2 if entry.masked else WINDOW).bit_length()
        params = f", .NumLanes({self.num_lanes})"
        params += f", .WindowBits({self.window_bits})" if self.window_bits else ""
        text = TOP.format(top=entry.top, bits=EXP_BITS, params=params, address=address)
        return Design("mf_test_sequencer", files, {"mf_test_sequencer.sv": text}, str(HARNESS))

    def commands(self, exponent: int, exp_bits: int, masks: int) -> list[Command]:
        made = get_sequencer(self.name).commands
        if get_sequencer(self.name).masked:
            made = partial(masked_commands, masks=masks, start=masks >> 32 * WINDOW)
        if self.window_bits:
            made = partial(window_commands, window_bits=self.window_bits)
        return list(made(exponent, exp_bits, self.num_lanes))


CASES = [
    Case("ladder", 1, early=True),
    Case("ladder", 2, early=True),
    Case("ladder_masked", 1, least=4),
    Case("ladder_masked", 2, least=8),
    Case("r2l", 1, early=True),
    Case("r2l", 2, early=True),
    Case("l2r"),
    Case("window", window_bits=1, early=True),
    Case("window", window_bits=4),
    Case("window5"),
]


@dataclass(frozen=True, slots=True)
class Engine:
    """Takes a product every `period` cycles, the first `lead` cycles after start or later."""

    period: int
    lead: int = 1
    stalls: float = 0.0


def used(command: Command) -> Command:
    """A command without the fields that nobody looks at: those of the second lane."""
    return command if command.op is Op.MUL2 else replace(command, dst1=0, a1=0)


class Rtl:
    """A sequencer with an exponent memory and an engine that computes nothing."""

    def __init__(self, case: Case, rng: random.Random) -> None:
        self.rng, self.simulator = rng, ctypes.CDLL(str(build(case.design)))
        self.simulator.mf_open.restype = ctypes.c_void_p
        self.simulator.mf_command.restype = ctypes.c_uint64
        self.handle = ctypes.c_void_p(self.simulator.mf_open(rng.randrange(1, 1 << 31)))
        self.step(reset=True)

    def step(
        self, reset: bool = False, start: bool = False, bits: int = 0, data: int = 0, ready: int = 0
    ) -> None:
        word = ctypes.c_uint32(data)
        self.simulator.mf_step(self.handle, int(reset), int(start), bits, word, ready)

    def run(
        self, exponent: int, exp_bits: int, masks: int, engine: Engine, limit: int = 1 << 20
    ) -> tuple[list[Command], list[int]]:
        """Commands and the cycles of their acceptance, counted from start; stops at `limit`."""
        rng, taken, cycles, offered = self.rng, list[Command](), list[int](), None
        exponent |= rng.getrandbits(64) << exp_bits  # what is above the bits does not count
        exponent = exponent % (1 << 32 * WINDOW) | masks << 32 * WINDOW
        answers = [rng.getrandbits(32) for _ in range(MEMORY_CYCLES)]  # before the start
        for clock in range(limit):
            free = cycles[-1] + engine.period if cycles else engine.lead
            ready = clock >= free and rng.random() >= engine.stalls
            self.step(False, clock == 0, exp_bits, answers[clock], int(ready))
            word = exponent >> 32 * self.simulator.mf_address(self.handle) & 0xFFFFFFFF
            answers.append(word if clock > 0 else rng.getrandbits(32))
            valid = bool(self.simulator.mf_valid(self.handle))
            command = int(self.simulator.mf_command(self.handle))
            assert offered is None or (valid and command == offered), "a command was withdrawn"
            offered = command if valid and not ready else None
            if valid and ready:
                taken.append(used(Command.unpack(command)))
                cycles.append(clock)
            done = bool(self.simulator.mf_done(self.handle))
            assert not done or (valid and ready)
            if done:
                break
        return taken, cycles

    def close(self) -> None:
        self.simulator.mf_close(self.handle)


@pytest.fixture(
    scope="module", params=CASES, ids=lambda c: f"{c.name}-{c.num_lanes}-{c.window_bits}"
)
def case(request: pytest.FixtureRequest) -> Case:
    assert isinstance(request.param, Case)
    return request.param


@pytest.fixture
def rtl(case: Case, rng: random.Random) -> Iterator[Rtl]:
    made = Rtl(case, rng)
    yield made
    made.close()


def exponents(rng: random.Random) -> list[tuple[int, int, int]]:
    """Exponents, their bits and masks; words begin at bits 32 and 64."""
    lengths = [1, 2, 3, 4, 5, 31, 32, 33, 64, 65, EXP_BITS]
    drawn = [(rng.getrandbits(bits), bits) for bits in lengths]
    ones = [((1 << bits) - 1, bits) for bits in (1, 33, EXP_BITS)]
    pairs = [(0, 0), (0, 1), (0, EXP_BITS), (1, EXP_BITS), (1 << 64, 65), *ones, *drawn]
    return [(*pair, rng.getrandbits(MASK_BITS)) for pair in pairs]


@pytest.mark.parametrize("lead", [1, 2, 9])
@pytest.mark.parametrize("period", [3, 4, 7])
def test_products_are_back_to_back(
    case: Case, rtl: Rtl, rng: random.Random, period: int, lead: int
) -> None:
    """Each `period` cycles after the one before, from 3 or 6 on, as README.md in rtl/exp says."""
    period = max(period, case.least)
    for exponent, exp_bits, masks in exponents(rng):
        taken, cycles = rtl.run(exponent, exp_bits, masks, Engine(period, lead))
        assert taken == case.commands(exponent, exp_bits, masks)
        gaps = [after - before for before, after in pairwise(cycles)]
        waits = case.early and (exp_bits > 0 or case.name != "ladder")
        first = max(period, SECOND - lead) if waits else period
        assert gaps == [first, *[period] * (len(gaps) - 1)]
        if case.name != "l2r":  # which looks for the leading one first
            assert cycles[0] == max(lead, case.lead)


def test_stalls_change_nothing(case: Case, rtl: Rtl, rng: random.Random) -> None:
    for period in (1, 2, 5):
        for exponent, exp_bits, masks in exponents(rng):
            taken, _ = rtl.run(exponent, exp_bits, masks, Engine(period, 1, stalls=0.4))
            assert taken == case.commands(exponent, exp_bits, masks)


def test_a_reset_ends_everything(case: Case, rtl: Rtl, rng: random.Random) -> None:
    exponent, exp_bits = rng.getrandbits(EXP_BITS), EXP_BITS
    masks = rng.getrandbits(MASK_BITS)
    expected = case.commands(exponent, exp_bits, masks)
    whole = rtl.run(exponent, exp_bits, masks, Engine(4, 9))
    for _ in range(30):
        other = rng.getrandbits(EXP_BITS), exp_bits, rng.getrandbits(MASK_BITS)
        rtl.run(*other, Engine(4), limit=rng.randrange(2, 200))
        rtl.step(reset=True)
        rtl.step()
        assert not rtl.simulator.mf_valid(rtl.handle)
        assert rtl.run(exponent, exp_bits, masks, Engine(4, 9)) == whole
    assert whole[0] == expected
