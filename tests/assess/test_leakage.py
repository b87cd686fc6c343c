# SPDX-License-Identifier: Apache-2.0
"""Leakage of small cores: the hardened one has none where it is said so, others are found out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modfab.assess import cpa
from modfab.assess.campaign import Request
from modfab.assess.leakage import Settings, run_leakage
from modfab.assess.page import page
from modfab.assess.phases import PHASES, as_windows, find_phases
from modfab.assess.slots import guess_slots
from modfab.assess.statistics import Correlation
from modfab.assess.traces import make_plan
from modfab.build.rsa import rsa_core
from modfab.errors import UsageError
from modfab.sim.toggles import ToggleRsa, Window

HALF = 34
CORE = rsa_core("bit_serial", HALF)
BARE = rsa_core("bit_serial", HALF, message_blinding=False, exponent_words=0, hardened=False)
SEED = 1  # a verdict is wrong once in a thousand seeds; its power is what is tested
RUNS = 100
BRIEF = Settings(cpa_runs=50)


def test_the_hardened_exponentiation_does_not_leak(tmp_path: Path) -> None:
    report = run_leakage(Request(CORE, RUNS, SEED), BRIEF, tmp_path)
    for test in ("message", "exponent"):
        row = report["rows"][f"{test}, exponentiation"]
        assert row["traces"] == RUNS
        assert not row["leak"], row
        assert not row["register_leak"], row
    assert report["rows"]["message, release"]["leak"], "the result itself is public"
    assert not report["attacks"]["reduction, p"]["found"]
    assert not report["attacks"]["reduction, q"]["found"]
    assert report["slots"]["guessed"] == 1.0, "a ladder shows its exponent in slot numbers"
    assert json.loads(json.dumps(report)) == report
    html = page("leakage", report)
    assert html.count("<svg") == 2
    assert "u_memory" in html
    told: list[tuple[int, int]] = []
    again = run_leakage(Request(CORE, RUNS, SEED), BRIEF, tmp_path, lambda *done: told.append(done))
    assert not told, "nothing is left to do"
    assert {**again, "seconds": 0} == {**report, "seconds": 0}
    with pytest.raises(UsageError, match="another build, seed, noise, number of points or RTL"):
        run_leakage(Request(CORE, RUNS, SEED), Settings(noise=3.0), tmp_path)
    kept = tmp_path / "leakage-message.npz"
    whole = kept.read_bytes()
    middle = len(whole) // 2
    for damaged in (whole[:middle], b"", whole[:middle] + bytes(64) + whole[middle + 64 :]):
        kept.write_bytes(damaged)
        with pytest.raises(UsageError, match=r"leakage-message\.npz cannot be read; remove that"):
            run_leakage(Request(CORE, RUNS, SEED), BRIEF, tmp_path)


def test_what_has_no_trace_has_no_row(tmp_path: Path) -> None:
    """The time limit may come first; no trace at all would be no leak, and the first rank."""
    report = run_leakage(Request(CORE, RUNS, SEED, seconds=0.0), BRIEF, tmp_path)
    assert (report["rows"], report["attacks"], report["slots"]) == ({}, {}, None)
    assert "traces" not in page("leakage", report)


def test_few_operations_say_nothing_of_slot_numbers(tmp_path: Path) -> None:
    report = run_leakage(Request(CORE, 4, SEED), Settings(cpa_runs=4), tmp_path)
    assert report["slots"] is None


def test_without_blinding_the_exponentiation_leaks(tmp_path: Path) -> None:
    report = run_leakage(Request(BARE, RUNS, SEED), BRIEF, tmp_path)
    for test in ("message", "exponent"):
        row = report["rows"][f"{test}, exponentiation"]
        assert row["leak"], row
        assert abs(row["t"]) > row["threshold"]
        assert row["register_leak"], row
        assert any("u_engine" in name for name in row["from"]), row


def test_noise_hides_a_leak(tmp_path: Path) -> None:
    noisy = run_leakage(Request(BARE, 50, SEED), Settings(noise=1000.0, cpa_runs=50), tmp_path)
    assert not noisy["rows"]["message, exponentiation"]["leak"]


def test_masked_slot_numbers_say_nothing() -> None:
    core = rsa_core("bit_serial", HALF, address_blinding=True)
    rtl = ToggleRsa(core, SEED)
    found = guess_slots(rtl, make_plan(rtl, core, SEED), 120, SEED)
    assert found is not None
    assert found["guessed"] < found["chance"]
    assert not found["found"]
    rtl.close()


def test_slot_numbers_are_read_in_a_whole_exponentiation() -> None:
    """Also where toggles are looked at in windows only: a part of it would hide the other bits."""
    rtl = ToggleRsa(CORE, SEED)
    plan = make_plan(rtl, CORE, SEED, limit=1024)
    assert plan.num_points < plan.cycles
    found = guess_slots(rtl, plan, 60, SEED)
    assert found is not None
    assert found["guessed"] == 1.0
    assert found["found"]
    assert found["cycles"] > 2 * plan.num_points
    rtl.close()


def test_of_an_exponent_that_does_not_vary_nothing_is_said() -> None:
    core = rsa_core("bit_serial", HALF, exponent_words=0, hardened=False)
    rtl = ToggleRsa(core, SEED)
    assert guess_slots(rtl, make_plan(rtl, core, SEED), 4, SEED) is None
    rtl.close()


@pytest.mark.parametrize("name", cpa.ATTACKS)
@pytest.mark.parametrize("hardened", [False, True])
def test_each_attack_finds_the_primes_of_a_basic_core(name: str, hardened: bool) -> None:
    """It subtracts the prime from the message as the engine loads it, and forms the half of q."""
    core = rsa_core("qp_systolic", 64, engines=2, pair=True, hardened=hardened)
    rtl = ToggleRsa(core, SEED)
    attack = cpa.attack_of(name, make_plan(rtl, core, SEED))
    sums = Correlation.zero(cpa.GUESSES, attack.plan.num_points)
    rtl.watch(as_windows(attack.plan.windows), 0)
    for block in range(5):
        varied, traces = cpa.run_block(rtl, attack, SEED, block, 0.0)
        sums.add(cpa.low_byte_guesses(varied), traces)
    found = [row["found"] for row in cpa.rows(sums, attack).values()]
    assert found == [not hardened] * len(attack.right())
    rtl.close()


def test_a_long_operation_is_looked_at_in_windows(tmp_path: Path) -> None:
    settings = Settings(points=1024, cpa_runs=50)
    report = run_leakage(Request(CORE, 50, SEED), settings, tmp_path)
    assert 1024 <= report["watched"] < report["cycles"] // 4, "each phase has a window of 256"
    assert report["rows"]["message, exponentiation"]["cycles"] == 512


def test_the_toggles_are_those_of_the_registers() -> None:
    """Totals against values of every register, read one by one."""
    rtl = ToggleRsa(CORE, SEED)
    plan = make_plan(rtl, CORE, SEED)
    rtl.restore(0)
    first, cycles = 3, 40
    rtl.watch([Window(first, first + cycles)], 1)
    _, _, totals = rtl.go_watched(0, first + cycles)
    rtl.restore(0)
    rtl.go(first)
    registers = rtl.registers()

    def values() -> list[list[int]]:
        return [[rtl.value(r, element) for element in range(r.elements)] for r in registers]

    before = values()
    expected = []
    for _ in range(cycles):
        rtl.step()
        now = values()
        expected.append(
            [
                sum((a ^ b).bit_count() for a, b in zip(old, new, strict=True))
                for old, new in zip(before, now, strict=True)
            ]
        )
        before = now
    sums, squares = rtl.sums(0)
    assert sums.tolist() == expected
    assert squares.tolist() == [[count * count for count in row] for row in expected]
    assert totals.tolist() == [sum(row) for row in expected]
    assert plan.num_registers == len(registers)
    rtl.close()


def test_phases_follow_the_program() -> None:
    rtl = ToggleRsa(CORE, SEED)
    plan = make_plan(rtl, CORE, SEED)
    assert {window.name for window in plan.windows} == set(PHASES)
    rtl.restore(0)
    found = find_phases(rtl, plan.cycles)
    assert found == list(plan.windows)
    assert [a.end for a in found[:-1]] == [b.start for b in found[1:]]
    expected = CORE.unit.sequencer.exp_cycles(
        CORE.unit.engine, CORE.unit.params, 0, CORE.shape.private_bits
    )
    for window in found:
        if window.name == "exponentiation":
            assert abs(window.end - window.start - expected) < 64
    rtl.close()


def test_a_chosen_ciphertext_has_the_wanted_result() -> None:
    rtl = ToggleRsa(CORE, SEED)
    plan = make_plan(rtl, CORE, SEED)
    attack = cpa.attack_of(cpa.RECOMBINATION, plan)
    message = attack.message(77)
    assert pow(message, plan.key.d, plan.key.n) == (1 << HALF) + 77
    assert cpa.attack_of(cpa.REDUCTION, plan).message(77) & 0xFF == 77
    rtl.close()
