# SPDX-License-Identifier: Apache-2.0
"""RTL and golden model side by side: every program runs on both and must agree."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from modfab.catalog import Engine, Params
from modfab.models.engine import SLOT_FREE, SLOT_MOD, Command, CommandResult, Op
from modfab.models.generated.status import Status
from modfab.numbers import from_words, to_words, words_of
from modfab.sim.engine import RtlEngine, Stop

A, B, C, D = range(SLOT_FREE, SLOT_FREE + 4)
"""Free slots for operands and results."""


class Bench:
    """One engine under test."""

    def __init__(self, engine: Engine, params: Params, seed: int | None = None) -> None:
        self.engine, self.params = engine, params
        self.rtl = RtlEngine(engine, params, seed=seed)
        self.model = engine.model(params)
        self.choose_words(words_of(params["NumBits"]))

    def choose_words(self, num_words: int) -> None:
        """Active width of every modulus from here on; the built width is the first."""
        self.num_words = num_words
        active = self.engine.at_words(self.params, num_words)
        self.num_bits = active["NumBits"]
        self.r_bits = self.engine.r_bits(active)

    # ---- commands ----
    def load(self, slot: int, value: int) -> Command:
        return Command(Op.LOAD, dst0=slot, words=tuple(to_words(value, self.num_words)))

    def start(self, modulus: int) -> list[Command]:
        num_words = self.num_words if self.num_words != self.model.num_words else 0
        load = replace(self.load(SLOT_MOD, modulus), num_words=num_words)
        return [load, Command(Op.SETUP, num_words=num_words)]

    # ---- running ----
    def both(self, commands: Sequence[Command], stall_seed: int = 0) -> list[int]:
        """Run on RTL and model; assert equal words, cycles and formulas; return stored values."""
        run = self.rtl.run_all(commands, stall_seed)
        stored = []
        for command, result in zip(commands, run.results, strict=True):
            expected = self.model.run(command)
            assert result.words == expected.words, f"{command} gave other words than the model"
            if stall_seed == 0 and not self._refused(command):
                assert result == expected, f"{command} took other cycles than the model"
                self.check_formula(command, result)
            if command.op is Op.STORE:
                stored.append(from_words(result.words))
        assert run.status == self.model.status
        return stored

    def check_formula(self, command: Command, result: CommandResult) -> None:
        cycles = self.engine.cycles
        active = self.engine.at_words(self.params, self.model.active_words)
        is_modulus = command.op is Op.LOAD and command.dst0 == SLOT_MOD
        is_short = self.model.resume and command.b != 0
        formula = {
            Op.LOAD: cycles.load_modulus if is_modulus else cycles.load,
            Op.STORE: cycles.store,
            Op.SETUP: cycles.resume if is_short else cycles.setup,
            Op.MUL: lambda params: self.engine.product_cycles(params, command.a0, command.b),
            Op.MUL2: cycles.mul2,
        }[command.op]
        assert formula is not None
        assert result.cycles == formula(active), f"{command.op.name} against catalogue"
        if command.op is Op.STORE:
            assert result.first_word == cycles.store_latency(active)

    def _refused(self, command: Command) -> bool:
        return command.op is Op.SETUP and self.model.status is not Status.OK

    def cut(self, commands: Sequence[Command], index: int, rng: random.Random) -> None:
        """Run a program on the RTL alone, and leave it in a random cycle of one of its commands.

        The whole program runs once before, so that slots hold what it leaves.
        """
        whole = self.rtl.run_all(commands)
        cycles = rng.randrange(whole.results[index].cycles) + 1
        run = self.rtl.run_all(commands, stop=Stop(index, cycles))
        assert not run.finished, "the program was over before the cut"
        assert run.accepted == index + 1, f"the cut is not in command {index}"
        assert self.rtl.busy, f"nothing runs after {cycles} cycles of command {index}"

    # ---- numbers ----
    @property
    def smallest(self) -> int:
        """The smallest modulus that the engine takes."""
        return max(3, (1 << self.engine.min_mod_bits(self.params)) + 1)

    def product(self, a: int, b: int, modulus: int) -> int:
        return a * b * pow(1 << self.r_bits, -1, modulus) % modulus

    def moduli(self, rng: random.Random) -> list[int]:
        """Odd moduli at the edges of the range, and one at random."""
        n = self.num_bits
        return [
            self.smallest,
            (1 << n) - 1,
            (1 << (n - 1)) + 1,
            rng.getrandbits(n) | 1 << (n - 1) | 1,
        ]

    def operands(self, modulus: int, rng: random.Random) -> list[int]:
        """Residues at the edges of the range, all ones, and two at random."""
        ones = (1 << (modulus.bit_length() - 1)) - 1
        return [0, 1, modulus - 1, ones, rng.randrange(modulus), rng.randrange(modulus)]


def needs(applies: bool, what: str) -> None:
    """Skip, with the reason, a test of something that the contract leaves to an engine.

    What an engine has is the catalogue's word; `test_model_and_catalogue_agree_on_what_there_is`
    holds it against the model, and `cases/` has engines with each of it.
    """
    if not applies:
        pytest.skip(f"does not apply without {what}")


def store(*slots: int) -> list[Command]:
    return [Command(Op.STORE, a0=slot) for slot in slots]


def load_by(bench: Bench, slot: int, value: int, factor: int) -> Command:
    """A load that multiplies by the slot `factor`."""
    return replace(bench.load(slot, value), b=factor)
