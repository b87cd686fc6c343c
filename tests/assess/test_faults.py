# SPDX-License-Identifier: Apache-2.0
"""The fault campaign: a sound core gives nothing away, one without its comparison does."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.assess import campaign
from modfab.assess.campaign import BLOCK, Block, Journal, Request, run_block, run_campaign
from modfab.assess.models import FOREVER, MODELS, Change, Phase, Plan
from modfab.assess.outcome import OUTCOMES, Outcome, gives_a_factor, run_fault
from modfab.assess.page import page
from modfab.assess.stage import Stage, random_key
from modfab.build.rsa import RsaCore, rsa_core
from modfab.errors import UsageError
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.registers import COPIES, Register
from modfab.sim.snapshots import (
    COPY_CYCLES,
    READ_CYCLES,
    WRITE_CYCLES,
    SnapshotRsa,
    snapshot_design,
)
from modfab.sim.verilate import Design

CORE = rsa_core("bit_serial", 64)
FAST = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
SOS = rsa_core("sos", 64)  # its engine has RAMs too, smaller ones with the same names
RUNS = 20 * len(MODELS)


def test_a_sound_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run_campaign(Request(CORE, BLOCK), tmp_path)
    assert first["total"]["runs"] == BLOCK
    told: list[tuple[int, int]] = []
    report = run_campaign(Request(CORE, RUNS), tmp_path, lambda *done: told.append(done))
    assert told[0] == (BLOCK, RUNS), "it goes on with what is there"
    assert told[-1] == (RUNS, RUNS)
    rows = report["models"]
    assert list(rows) == list(MODELS)
    for row in rows.values():
        assert {"runs", *OUTCOMES} <= set(row)
        ended = [row[outcome] for outcome in ("detected", "harmless", "wrong", "hung")]
        assert sum(ended) == row["runs"] == RUNS // len(MODELS)
        assert row["wrong"] == row["factoring"] == 0
    assert report["total"]["detected"] > 0
    again = run_campaign(Request(CORE, RUNS), tmp_path)
    assert again["models"] == rows
    html = page("faults", report)
    assert "<svg" in html
    assert all(name in html for name in MODELS)
    with pytest.raises(UsageError, match="another build, seed, RTL or set of models"):
        run_campaign(Request(CORE, RUNS, seed=2), tmp_path)
    monkeypatch.delitem(MODELS, "key_end")
    with pytest.raises(UsageError, match="another build, seed, RTL or set of models"):
        run_campaign(Request(CORE, RUNS), tmp_path)


def test_a_journal_of_a_killed_run_goes_on_where_it_is_whole(tmp_path: Path) -> None:
    """Wherever its last line was cut off, also where that looks like an end."""
    blocks = [Block(first, 4, {"word": {"runs": 4}}, []) for first in (0, 4)]
    whole = Journal(tmp_path, {"seed": 1})
    for block in blocks:
        whole.add(block)
    text = whole.path.read_bytes()
    ends = [found.end() for found in re.finditer(rb"\n", text)]
    for size in (0, 3, *(found.end() for found in re.finditer(rb"[}\n]", text))):
        whole.path.write_bytes(text[:size])
        again = Journal(tmp_path, {"seed": 1})
        kept = blocks[: max(0, sum(end <= size for end in ends) - 1)]
        assert again.blocks == kept
        again.add(blocks[1])
        assert Journal(tmp_path, {"seed": 1}).blocks == [*kept, blocks[1]]


def test_a_run_is_the_same_alone(tmp_path: Path) -> None:
    half = BLOCK // 2
    whole = run_campaign(Request(CORE, BLOCK), tmp_path / "whole")["models"]
    parts = [
        run_campaign(Request(CORE, half, first=first), tmp_path / str(first))["models"]
        for first in (0, half)
    ]
    for name, row in whole.items():
        assert row == {key: sum(part[name][key] for part in parts) for key in row}


def test_no_block_begins_after_the_time_limit(tmp_path: Path) -> None:
    report = run_campaign(Request(CORE, 2 * BLOCK, seconds=0.0), tmp_path)
    assert (report["asked"], report["total"], report["models"]) == (2 * BLOCK, {}, {})


def test_only_the_runs_that_are_asked_for_are_counted(tmp_path: Path) -> None:
    """The folder may have others of the same campaign."""
    request = Request(CORE, BLOCK, first=BLOCK, seconds=0.0)
    journal = Journal(tmp_path, {**request.identity(), "models": list(MODELS)})
    name = next(iter(MODELS))
    for first, count in ((0, BLOCK), (BLOCK, BLOCK), (BLOCK, 1)):
        journal.add(Block(first, count, {name: {"runs": count, "detected": count}}, []))
    report = run_campaign(request, tmp_path)
    assert report["total"]["runs"] == report["models"][name]["detected"] == BLOCK


@pytest.mark.parametrize("secret", [True, False])
def test_what_is_left_is_a_secret_if_another_key_leaves_something_else(
    secret: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fault of twenty leaves some words behind the wipe: of the key, or always the same."""
    words = iter(range(1 << 20))

    def leaves(stage: Stage, plan: Plan, rng: random.Random) -> Outcome:
        stage.rtl.wipe()
        if next(words) != 7:
            return Outcome("detected")
        return left(stage, plan, rng)

    def left(stage: Stage, _plan: Plan, _rng: random.Random) -> Outcome:
        monkeypatch.setattr(campaign, "run_fault", left)  # the same fault with the other keys
        stage.rtl.wipe()
        value = stage.key.p if secret else 0xFFFF_0000
        register = next(r for r in stage.cleared if r.element_bits >= 32)
        for bit in range(32):
            if value >> bit & 1:
                stage.rtl.flip(register, 0, bit)
        keys.append(stage.key.p)
        if len(keys) == 1 + (1 if secret else len(campaign.OTHER_KEYS)):
            monkeypatch.setattr(campaign, "run_fault", leaves)
        return Outcome("detected", secret_left=True)

    keys: list[int] = []
    monkeypatch.setattr(campaign, "run_fault", leaves)
    rtl = SnapshotRsa(CORE)
    block = run_block(rtl, 1, range(20))
    rtl.close()
    assert len(set(keys)) == len(keys) > 1
    counts = [row.get("secret_left", 0) for row in block.models.values()]
    assert sum(counts) == int(secret)
    assert [found.outcome for found in block.found] == ["secret_left"] * int(secret)


def without(core: RsaCore, module: str, assigned: str, folder: Path) -> Design:
    """The same RTL, except that a signal of a module is zero."""
    design = snapshot_design(core)
    (source,) = (file for file in design.files if file.stem == module)
    pattern, zero = rf"(assign {assigned} +=)([^;]*);", r"\1 1'b0 && (\2);"
    text, count = re.subn(pattern, zero, source.read_text())
    assert count == 1
    changed = folder / source.name
    changed.write_text(text)
    files = tuple(changed if file == source else file for file in design.files)
    return replace(design, files=files)


def test_without_its_comparison_the_core_gives_factors(tmp_path: Path) -> None:
    request = Request(CORE, RUNS, design=without(CORE, "mf_rsa", "need_fails", tmp_path))
    report = run_campaign(request, tmp_path / "report")
    assert report["total"]["factoring"] > 0
    assert report["total"]["wrong"] >= report["total"]["factoring"]
    found = [entry for entry in report["found"] if "factoring" in entry["outcome"]]
    assert len(found) == report["total"]["factoring"]
    assert json.loads(json.dumps(report)) == report


def test_factoring(rng: random.Random) -> None:
    key = random_key(rng, 64, 64)
    message = rng.randrange(2, key.n)
    result = pow(message, key.d, key.n)
    wrong_half = (result + key.p * rng.randrange(1, key.q)) % key.n
    assert gives_a_factor(key, message, wrong_half)
    assert not gives_a_factor(key, message, result)
    assert not gives_a_factor(key, message, result ^ 1), "wrong modulo both primes"


def test_every_flip_flop_is_reached(rng: random.Random) -> None:
    """Also those that are ports: a bit that is held from the start on does not stay unnoticed."""
    rtl = SnapshotRsa(CORE, seed=rng.getrandbits(30) + 1)
    stage = Stage(rtl, rng)
    for end in ("u_ram_a.rd_data_o", "u_ram_a.word_q", "u_take.data_o", "u_digits.valid_o"):
        register = next(found for found in stage.registers if found.name.endswith(end))
        bit = rng.randrange(register.element_bits)
        outcomes = {
            run_fault(stage, Plan("private", 1, (held,)), rng).name
            for held in (Change(register, 0, bit, value, FOREVER) for value in (0, 1))
        }
        assert "detected" in outcomes, (end, bit)
    stage.close()


def test_every_fault_is_in_a_bit_that_there_is(rng: random.Random) -> None:
    """A flip beyond a memory's end would change what the simulator itself keeps there."""
    stage = Stage(SnapshotRsa(SOS, seed=rng.getrandbits(30) + 1), rng)
    for name, model in MODELS.items():
        for change in (change for _ in range(100) for change in model(stage, rng).changes):
            assert change.element < change.register.elements, (name, change.text)
            assert change.bit < change.register.element_bits, (name, change.text)
    copies = [change.register for change in MODELS["memory_copies"](stage, rng).changes]
    assert [copy.name.split(".")[-3:] for copy in copies] == [
        ["u_memory", "u_ram_a", "mem_q"],
        ["u_memory", "u_ram_b", "mem_q"],
    ]
    stage.rtl.restore(stage.done)
    assert stage.rtl.peek("C") == stage.message, "the core's memory, not the engine's"
    for element, bit in ((copies[0].elements, 0), (0, copies[0].element_bits), (-1, 0)):
        with pytest.raises(IndexError, match="and so no bit"):
            stage.rtl.flip(copies[0], element, bit)
        with pytest.raises(IndexError, match="and so no bit"):
            stage.rtl.stick(copies[0], element, bit, 1)
    stage.close()


def test_a_snapshot_is_the_whole_state(rng: random.Random) -> None:
    rtl = SnapshotRsa(CORE, seed=rng.getrandbits(30) + 1)
    stage = Stage(rtl, rng)
    for _ in range(2):
        rtl.restore(stage.ready)
        assert rtl.same(stage.ready)
        rtl.begin(RsaEntry.PRIVATE, stage.e_bits)
        assert not rtl.same(stage.ready)
        assert rtl.go(rtl.limit) == (True, stage.cycles)
        assert rtl.get("M") == stage.result
    phases: tuple[Phase, ...] = ("key", "idle", "before", "private", "after", "wipe", "bus")
    for phase in phases:  # where nothing is changed, nothing happens
        assert run_fault(stage, Plan(phase, 0), rng).counted() == ["runs", "harmless"], phase
    assert run_fault(stage, Plan("refused_key", 0), rng).counted() == ["runs", "detected"]
    stage.close()


def test_the_message_that_the_core_stores_decides(rng: random.Random) -> None:
    """A message changed in every place before the start is another message, not a wrong result."""
    stage = Stage(SnapshotRsa(CORE, seed=rng.getrandbits(30) + 1), rng)
    variables = stage.rtl.image.variables
    copies = [found for found in stage.registers if found.name.endswith("ram_a.mem_q")]
    copies += [found for found in stage.registers if found.name.endswith("ram_b.mem_q")]
    bit = rng.randrange(16)
    both = [Change(copy, variables[name][0], bit) for copy in copies for name in ("C", "C2")]
    changed = run_fault(stage, Plan("before", 0, tuple(both)), rng)
    assert changed.counted() == ["runs", "harmless", "other_message"]
    one = run_fault(stage, Plan("before", 0, tuple(both[::2])), rng)
    assert one.counted() == ["runs", "detected"]
    stage.rtl.restore(stage.done)
    assert stage.rtl.peek("C") == stage.message, "it is still there after an operation"
    stage.close()


def cleared(stage: Stage, copy: Register, name: str) -> list[Change]:
    """What makes a variable zero in one copy of the memory of the core as it is now."""
    first, words = stage.rtl.image.variables[name]
    return [
        Change(copy, address, bit)
        for address in range(first, first + words)
        for bit in range(copy.element_bits)
        if stage.rtl.value(copy, address) >> bit & 1
    ]


@pytest.mark.parametrize("wiped", [False, True])
def test_the_zeros_of_a_wipe_are_no_message(wiped: bool, rng: random.Random) -> None:
    """A result 0 is right for a message 0 that the core stores, wrong where no key is valid."""
    stage = Stage(SnapshotRsa(FAST, seed=rng.getrandbits(30) + 1), rng)
    stage.rtl.restore(stage.done)
    copies = [found for found in stage.registers if found.name.endswith(COPIES)]
    changes = [change for copy in copies for name in "CM" for change in cleared(stage, copy, name)]
    (valid,) = (found for found in stage.registers if found.name.endswith("u_ending.key_q"))
    if wiped:  # both copies of the flag
        changes += [Change(valid, 0, bit) for bit in range(valid.element_bits)]
    outcome = run_fault(stage, Plan("after", 0, tuple(changes)), rng)
    expected = ("wrong", False) if wiped else ("harmless", True)
    assert (outcome.name, outcome.other_message) == expected
    assert not outcome.factoring
    stage.close()


def test_a_fault_of_the_bus_meets_each_cycle_of_an_access(rng: random.Random) -> None:
    """Of what leaves the core only the host's check sees a change in the last cycle of a read."""
    stage = Stage(SnapshotRsa(FAST, seed=rng.getrandbits(30) + 1), rng)
    words, bit = stage.rtl.image.variables["C"][1], rng.randrange(32)

    def outcomes(first: int, cycles: int, end: str) -> list[list[str]]:
        (register,) = (r for r in stage.registers if r.name.endswith(f"u_core.{end}"))
        plans = [Plan("bus", first + k, (Change(register, 0, bit),)) for k in range(cycles)]
        return [run_fault(stage, plan, rng).counted()[1:] for plan in plans]

    harmless, seen, caught = ["harmless"], ["detected"], ["detected", "caught_by_host"]
    last, written = (words - 1) * WRITE_CYCLES, words * WRITE_CYCLES + COPY_CYCLES
    read = written + rng.randrange(words) * READ_CYCLES
    assert outcomes(read, READ_CYCLES, "u_memory.host_data_o") == [harmless, harmless, caught]
    assert outcomes(read, READ_CYCLES, "u_memory.u_ram_a.rd_data_o") == [harmless, seen, harmless]
    assert outcomes(read, READ_CYCLES, "u_memory.u_ram_a.word_q") == [seen, harmless, harmless]
    assert outcomes(last, 3, "host_data_q") == [caught, harmless, harmless]
    assert outcomes(last, 3, "u_memory.wr_data_q") == [seen, caught, seen]
    plans = [MODELS["bus"](stage, random.Random(number)) for number in range(1000)]
    assert {plan.clock for plan in plans} == set(range(written + words * READ_CYCLES))
    names = {change.register.name for plan in plans for change in plan.changes}
    ends = ("u_core.host_data_q", "u_memory.host_data_o", "u_memory.u_ram_b.word_q")
    assert all(any(name.endswith(end) for name in names) for end in ends)
    stage.close()


ENDS = ("key_end", "refused_key")
NUM_ENDS = 200


def ends(rtl: SnapshotRsa, seed: int) -> dict[str, Counter[str]]:
    """What comes of faults where the set-up of a good and of a refused key ends."""
    stage = Stage(rtl, random.Random(seed))
    counts = {name: Counter[str]() for name in ENDS}
    for name in ENDS:
        for number in range(NUM_ENDS):
            chosen = random.Random(f"{seed} {name} {number}")
            counts[name].update(run_fault(stage, MODELS[name](stage, chosen), chosen).counted())
    stage.close()
    return counts


def test_where_the_set_up_of_a_key_ends(rng: random.Random) -> None:
    """A key is valid and works, or nothing of it is left."""
    counts = ends(SnapshotRsa(FAST, seed=rng.getrandbits(30) + 1), rng.getrandbits(30))
    for name in ENDS:
        row = counts[name]
        assert row["detected"] + row["harmless"] + row["hung"] == row["runs"] == NUM_ENDS, row
        assert row["secret_left"] == row["wrong"] == row["other_message"] == 0, row
    assert counts["key_end"]["harmless"] > 0
    assert counts["refused_key"]["harmless"] == 0, "it never computes"


def test_a_core_that_keeps_what_it_refuses_is_found(tmp_path: Path, rng: random.Random) -> None:
    design = without(FAST, "mf_rsa_ending", "drops", tmp_path)
    counts = ends(SnapshotRsa(FAST, 1, design), rng.getrandbits(30))
    assert counts["refused_key"]["secret_left"] > NUM_ENDS // 2
    assert counts["key_end"]["wrong"] == counts["refused_key"]["wrong"] == 0


@pytest.mark.parametrize("phase", ["key", "refused_key"])
def test_a_fault_behind_the_end_meets_the_core_at_rest(
    phase: Phase, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cycles are counted on where the program is over."""
    stage = Stage(SnapshotRsa(FAST, seed=rng.getrandbits(30) + 1), rng)
    valid, done = (
        next(found for found in stage.registers if found.name.endswith(f"u_ending.{name}"))
        for name in ("key_q", "done_o")
    )
    flip, pulses = stage.rtl.flip, list[int]()

    def watched(register: Register, element: int, bit: int) -> None:
        pulses.append(stage.rtl.value(done))
        flip(register, element, bit)

    monkeypatch.setattr(stage.rtl, "flip", watched)
    cycles = stage.key_cycles if phase == "key" else stage.refused_cycles + 2 * stage.wipe_cycles
    for behind in (0, 1, 2):
        plan = Plan(phase, cycles + behind, (Change(valid, 0, 0),))
        assert run_fault(stage, plan, rng).counted() == ["runs", "detected"]
        assert stage.rtl.alarm, "one copy of the flag has changed"
    assert pulses == ([1, 0, 0] if phase == "key" else [0, 0, 0])
    stage.close()


def test_a_report_from_before_a_model_is_shown(tmp_path: Path) -> None:
    report = run_campaign(Request(FAST, BLOCK), tmp_path)
    for name in ENDS:
        del report["models"][name]
    html = page("faults", report)
    assert "<svg" in html
    assert "key_set_up" in html
    assert not any(name in html for name in ENDS)
