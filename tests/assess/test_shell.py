# SPDX-License-Identifier: Apache-2.0
"""Faults in the bus shell: the core behind it keeps its key, one without a gate does not."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from modfab.assess.campaign import Request
from modfab.assess.page import page
from modfab.assess.shell import COLUMNS, MODELS, ShellBench, read_address, run_shell
from modfab.build.rsa import rsa_core
from modfab.host.generated.mf_rsa_regs import P_WINDOW, RESULT_WINDOW
from modfab.sim.shell import RtlShell, shell_design
from modfab.sim.verilate import Design

CORE = rsa_core("qp_systolic", 64, engines=2, pair=True)
RUNS = 60


def test_a_sound_core_behind_a_faulty_shell(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    report = run_shell(Request(CORE, RUNS), lambda *done: told.append(done))
    assert told[-1] == (RUNS, RUNS)
    assert list(report["models"]) == list(MODELS)
    for row in report["models"].values():
        assert tuple(row) == COLUMNS
        assert row["runs"] == RUNS // len(MODELS)
        assert row["wrong"] == row["factoring"] == row["disclosed"] == row["secret_left"] == 0
    assert report["total"]["detected"] > 0
    alone = run_shell(Request(CORE, 1, first=RUNS - 1))
    assert alone["models"]["shell_wipe"]["runs"] == 1
    assert "disclosed" in page("shell", report)


def without_gate(folder: Path) -> Design:
    """The same RTL, except that the core gives what it is asked for, and the shell asks for P.

    The simulated memory does not wrap round its depth, as a block RAM does.
    """
    design = shell_design(CORE)
    changes = {
        "mf_rsa_memory.sv": ("idle_i && result_valid_i;", "idle_i && result_valid_i || idle_i;"),
        "mf_rsa_axil.sv": (
            "? base + addr_t'(word) : Cfg.var_m;",
            "? base + addr_t'(word) : Cfg.var_p + addr_t'(word);",
        ),
    }
    files = []
    for file in design.files:
        if file.name in changes:
            text, (before, after) = file.read_text(), changes[file.name]
            assert text.count(before) == 1
            file = folder / file.name
            file.write_text(text.replace(before, after))
        files.append(file)
    return replace(design, files=tuple(files))


def disclosing(bench: ShellBench) -> int:
    """In how many cycles of a read of the result one flip of `allowed_q` gives a key's word."""
    (allowed,) = (r for r in bench.registers if r.name.endswith(".u_core.allowed_q"))
    found = 0
    for index in range(CORE.shape.half_words):
        for after in range(1, 9):
            bench._rtl.flip_after(after, allowed, 0, 0)
            found += bench.read(RESULT_WINDOW + 4 * index)[1] in bench.secrets
    return found


def test_without_the_gate_of_the_core_the_shell_gives_the_key_away(tmp_path: Path) -> None:
    open_gate = ShellBench(CORE, 1, without_gate(tmp_path))
    assert disclosing(open_gate) > 0
    open_gate.close()
    sound = ShellBench(CORE, 1)
    assert disclosing(sound) == 0
    sound.close()


def test_the_blinding_of_the_last_operation_is_a_secret() -> None:
    """Each makes another one; with one engine for both halves it is in the memory."""
    one_engine = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
    bench, rng = ShellBench(one_engine, 1), random.Random(1)
    MODELS["shell_operation"](bench, rng)
    memory, (place, words) = bench._rtl.memory(), bench.core.image.variables["AP"]
    today = set(memory[place : place + words]) - {0, 1}
    assert today - bench.secrets, "it was another one"
    MODELS["shell_read"](bench, rng)
    assert today <= bench.secrets
    bench.close()


def test_reads_are_of_words_that_are_there() -> None:
    """Most of a key's window or of the result; a word beyond them is refused by its place alone."""
    bench, rng = ShellBench(CORE, 1), random.Random(1)
    asked = [read_address(bench, rng) for _ in range(400)]
    bench.close()
    half, whole = 4 * CORE.shape.half_words, 4 * CORE.shape.num_words
    primes = sum(P_WINDOW <= address < P_WINDOW + half for address in asked)
    results = sum(RESULT_WINDOW <= address < RESULT_WINDOW + whole for address in asked)
    assert primes > 15
    assert results > 50
    assert any(address & 0xFFF >= whole for address in asked)


def rtl_bits(rtl: RtlShell, end: str) -> int:
    (found,) = (register for register in rtl.shell_registers() if register.name.endswith(end))
    return found.elements * found.element_bits


def test_the_shell_has_its_flip_flops() -> None:
    rtl = RtlShell(CORE, seed=1)
    names = {register.name.removeprefix("TOP.mf_top.u_core.") for register in rtl.shell_registers()}
    assert {
        "allowed_q",
        "u_axil.state_q",
        "u_axil.s_axi_rdata",
        "gen_entropy.u_entropy.even_q",
    } <= names
    assert rtl_bits(rtl, "u_regs.field_storage") > 40, "the fields of the register block"
    assert not any("u_fetch" in name or "u_engine" in name for name in names)
    rtl.close()
