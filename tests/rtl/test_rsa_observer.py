# SPDX-License-Identifier: Apache-2.0
"""What an observer of the RSA core could guess is not computed, and idle data paths stand still."""

from __future__ import annotations

import random
from typing import Any

import pytest

from modfab.build.rsa import rsa_core
from modfab.models.engine import EngineModel
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.instructions import Instruction, RsaOp
from modfab.models.rsa.machine import RsaModel
from modfab.numbers import from_words
from tests.support.rsa_attack import HALF, TWO, loaded, named
from tests.support.rsa_core import load, make_key, make_model, ok, operate


def _computed(model: RsaModel, patch: pytest.MonkeyPatch) -> set[int]:
    """Gets each number that the word machine writes and each value that an engine computes."""
    seen: set[int] = set()
    write, command = model._write, model._command

    def spy_write(address: int, value: int, length: int) -> None:
        seen.add(value)
        write(address, value, length)

    def spy_command(engine: EngineModel[Any], instruction: Instruction, address: int) -> int:
        cycles = command(engine, instruction, address)
        if instruction.op in (RsaOp.STORE, RsaOp.STORE2):
            seen.add(from_words(model.memory[instruction.dst :][: engine.num_words]))
        elif engine.modulus:
            value = engine.to_integer(engine.slots[instruction.dst])
            free = pow(1 << engine.r_bits, -1, engine.modulus)
            seen.update((value, value * free % engine.modulus))
        return cycles

    patch.setattr(model, "_write", spy_write)
    patch.setattr(model, "_command", spy_command)
    return seen


@pytest.mark.parametrize("engines", [1, 2])
@pytest.mark.parametrize("entry", [RsaEntry.PRIVATE, RsaEntry.PUBLIC], ids=lambda e: e.program)
@pytest.mark.parametrize("hardened", [True, False], ids=["hardened", "basic"])
def test_neither_a_residue_nor_the_recombination_appears(
    hardened: bool,
    entry: RsaEntry,
    engines: int,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """C and M modulo p and q, and M div q: who knows C and M and guesses a prime knows these.

    Not in the memory, nor in an engine, with or without its Montgomery factor.
    """
    config = rsa_core("qp_systolic", 64, engines=engines, pair=engines == 2, hardened=hardened)
    model = make_model(config, lambda: rng.getrandbits(32))
    key = make_key(rng, HALF, HALF)
    ok(load(model, key))
    seen = _computed(model, monkeypatch)
    for number in range(4):
        message = rng.randrange(key.n)
        model.put("C", message)
        ok(model.run(entry, key.e.bit_length()))
        result = model.get("M")
        residues = {value % prime for value in (message, result) for prime in (key.p, key.q)}
        appear = seen & (residues | {result // key.q}) - {message, result}
        assert bool(appear) != hardened, (number, [hex(value) for value in appear])
        seen.clear()
    assert ok(operate(model, key, 3))
    assert model.get("M") == pow(3, key.d, key.n)


def test_idle_data_paths_stand_still(rng: random.Random) -> None:
    """During an exponentiation neither the word machine's data nor the feed changes."""
    rtl, key = loaded(TWO, rng)
    rtl.put("C", rng.randrange(key.n))
    ample, rtl.limit = rtl.limit, 2200
    assert not rtl.try_run(RsaEntry.PRIVATE, 17)
    rtl.limit = ample
    quiet = [
        register
        for register in rtl.registers()
        if any(part in register.name for part in ("u_alu.", "u_feed.", "u_memory.wr_"))
    ]
    assert len(quiet) > 10
    running = named(rtl, "u_control.hot_inv_q")
    state = rtl.value(running)
    before = [rtl.value(register, 0) for register in quiet]
    for _ in range(200):
        rtl.step()
        assert rtl.value(running) == state, "not in an exponentiation"
        assert [rtl.value(register, 0) for register in quiet] == before
    rtl.close()
