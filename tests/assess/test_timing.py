# SPDX-License-Identifier: Apache-2.0
"""Cycles of extreme keys and messages."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.assess import bus, timing
from modfab.assess.bus import BusRows, Seen
from modfab.assess.page import page
from modfab.assess.timing import EXPONENTS, MESSAGES, key_of, run_timing
from modfab.build.rsa import rsa_core
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.core import RtlCore, bus_design
from modfab.sim.snapshots import SnapshotRsa, snapshot_design
from modfab.sim.verilate import Design

CORE = rsa_core("bit_serial", 64)


def test_cycles_follow_build_and_e_only(rng: random.Random) -> None:
    keys = len(EXPONENTS)
    report = run_timing(CORE, keys, rng.randrange(1, 1 << 30))
    rows = report["rows"]
    assert set(rows) == {*EXPONENTS, *(f"message {name}" for name in MESSAGES)}
    assert all(row["deviations"] == 0 for row in rows.values())
    assert rows["message 0"]["runs"] == keys
    usual = rows["e = 65537"]
    assert usual["least"] == usual["most"] == rows["unequal primes"]["most"]
    bus = report["bus"]
    assert set(bus) == set(rows)
    assert all(row["deviations"] == 0 for row in bus.values()), bus
    for row in bus.values():
        assert row["interrupt_least"] == row["interrupt_most"]
        assert row["set_up_least"] == row["set_up_most"]
        assert row["read_least"] == row["read_most"] > 0
    assert "unequal primes" in page("timing", report)


def hesitating(design: Design, folder: Path) -> Design:
    """The same RTL, except that the ladder offers the products of a bit 1 two products later."""
    (source,) = (file for file in design.files if file.name == "mf_exp_ladder.sv")
    text, offered = source.read_text(), "assign cmd_valid_o = valid_q;"
    waits = "valid_q && cmd_ready_i && state_q == StPair && bit_q"
    text = text.replace(
        offered,
        "logic [6:0] late_q;\n"
        f"  always_ff @(posedge clk_i) late_q <= {waits} ? late_q + 7'(late_q != '1) : '0;\n"
        f"  assign cmd_valid_o = valid_q && !({waits} && late_q != '1);",
    )
    text = text.replace("fire        = valid_q &&", "fire        = cmd_valid_o &&")
    assert text.count("late_q") == 5
    assert text.count("cmd_valid_o") == 3
    folder.mkdir(exist_ok=True)
    changed = folder / source.name
    changed.write_text(text)
    return replace(
        design, files=tuple(changed if file == source else file for file in design.files)
    )


def test_a_ladder_whose_cycles_depend_on_bits_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside, and by what the bus shows of each operation."""
    inside = hesitating(snapshot_design(CORE), tmp_path)
    outside = hesitating(bus_design(CORE), tmp_path)
    monkeypatch.setattr(timing, "SnapshotRsa", lambda core, seed: SnapshotRsa(core, seed, inside))
    monkeypatch.setattr(bus, "RtlCore", lambda core, seed: RtlCore(core, None, seed, outside))
    report = run_timing(CORE, 1, 1)
    usual = report["rows"]["e = 65537"]
    assert usual["least"] < usual["most"]
    assert usual["deviations"] >= usual["runs"] == len(MESSAGES)
    assert report["bus"]["e = 65537"]["deviations"] > 0


def test_the_time_limit_ends_it(rng: random.Random) -> None:
    report = run_timing(CORE, 100, rng.randrange(1, 1 << 30), seconds=0.0)
    assert (report["keys"], report["asked"]) == (1, 100)


@pytest.mark.parametrize("off", [-1, 0, 1])
def test_other_cycles_than_the_builds_are_deviations(
    off: int, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = key_of("e = 65537", rng, 64)
    programs, seen = CORE.programs(), [0, off, 0, 0, off, 0]
    monkeypatch.setattr(
        timing, "load_key", lambda rtl, key: programs.program(RsaEntry.KEY, key.e) + off
    )
    monkeypatch.setattr(
        timing, "_cycles", lambda rtl, entry, key: programs.program(entry, key.e) + seen.pop(0)
    )
    inside = timing._Core(CORE, 1)
    inside.run("e = 65537", key, rng)
    inside.rtl.close()
    messages = [inside.rows[f"message {name}"].deviations for name in MESSAGES]
    found = abs(off)
    assert messages == [0, found, 0, 0, found, 0]
    assert inside.rows["e = 65537"].deviations == 3 * found, "of the set-up and of two operations"


def test_what_the_bus_shows_too_late_is_a_deviation(rng: random.Random) -> None:
    """A core whose interrupt, polls or read depended on the message would be found."""
    key = key_of("e = 65537", rng, 64)
    usual = CORE.programs().program(RsaEntry.PRIVATE, key.e)
    good = Seen(polls=10, interrupt=usual + 3, read=(4, 4), set_up=100)
    for changed in (
        replace(good, polls=11),
        replace(good, interrupt=usual + 4),
        replace(good, read=(4, 5)),
        replace(good, read=(3, 4)),
        replace(good, set_up=101),
    ):
        rows = BusRows(CORE)
        rows.add(["row"], key, good)
        assert rows.data()["row"]["deviations"] == 0
        rows.add(["row"], key, changed)
        assert rows.data()["row"]["deviations"] == 1, changed


@pytest.mark.parametrize(("kind", "d"), [("d = 1", 1), ("d tiny", 3)])
def test_extreme_exponents(kind: str, d: int, rng: random.Random) -> None:
    parts = key_of(kind, rng, 64).parts()
    assert (parts["DP"], parts["DQ"]) == (d, d)
