# SPDX-License-Identifier: Apache-2.0
"""Stored figures stay with their circuit: refresh, stale, and the commands that measure again."""

from __future__ import annotations

import json
import shlex
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from modfab.build.core import engine_core, modexp_core
from modfab.build.rsa import rsa_core
from modfab.cli import results_cmd, synth_cmd
from modfab.cli.design import design_of
from modfab.errors import UsageError
from modfab.flow.design import Design
from modfab.flow.measure import Options, request_of, routed_request
from modfab.flow.record import Record, Request
from modfab.flow.refresh import (
    Designs,
    outlived,
    prune_folder,
    refresh_folder,
    refresh_store,
    refreshed,
    stale_designs,
)
from modfab.flow.resolve import command_of, design_of_request
from modfab.flow.store import Store, export, newest, read_folder, write_folder
from modfab.flow.stored import current, measured, medians
from modfab.flow.targets import get_target
from modfab.paths import checkout_dir, rtl_dir
from tests.flow.test_store import record
from tests.support.cli import run_cli

SMALL = Design(engine_core("bit_serial", 16))


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODFAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path / "data"))


@pytest.fixture
def rtl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the RTL that a test may change."""
    copy = tmp_path / "rtl"
    shutil.copytree(rtl_dir(), copy)
    for module in ("files", "header"):
        monkeypatch.setattr(f"modfab.build.{module}.rtl_dir", lambda: copy)
    return copy


def stored(**changes: Any) -> Record:
    """A small design's record before it was ever compared with a text."""
    request = request_of(SMALL, get_target("ecp5-25k"), Options())
    return replace(record(request=request, circuit="unknown"), **changes)


def stamped() -> Record:
    text = Designs().text(stored().request)
    return refreshed(stored(text=text), Designs(), restamp=True)


def change(rtl: Path, old: str, new: str) -> None:
    path = rtl / "mul/bit_serial/mf_mul_bit_serial.sv"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))


def test_another_text_of_the_same_circuit_keeps_its_figures(rtl: Path) -> None:
    before = stamped()
    assert len(before.circuit) == 16
    change(rtl, "module mf_mul_bit_serial", "// a remark\nmodule mf_mul_bit_serial")
    after = refreshed(before, Designs())
    assert after.text != before.text
    assert after == replace(before, text=after.text)


def test_another_circuit_makes_figures_stale_until_it_is_back(rtl: Path) -> None:
    before = stamped()
    path = rtl / "mul/bit_serial/mf_mul_bit_serial.sv"
    original = path.read_text()
    change(rtl, "busy_o      = ", "busy_o      = rst_i || ")
    after = refreshed(before, Designs())
    assert after.stale == "the circuit is another one than at revision abc"
    assert (after.circuit, after.mhz) == (before.circuit, before.mhz)
    assert refreshed(after, Designs()) == after
    path.write_text(original)
    assert refreshed(after, Designs()) == before


def test_a_design_that_is_gone_is_stale() -> None:
    gone = replace(stored().request, engine="gone")
    found = refreshed(stored(request=gone), Designs())
    assert found.stale.startswith("its design does not exist any more: There is no engine 'gone'")
    assert not found.stale.endswith("\n")
    other = replace(stored().request, params={**stored().request.params, "NumSlots": 4})
    with pytest.raises(UsageError):
        design_of_request(other)
    core = design_of("bit_serial", 512, ({}, {}), "rsa", "window", None)
    request = request_of(core, get_target("ecp5-25k"), Options())
    assert design_of_request(request).core == core.core
    without = replace(request, rsa={**(request.rsa or {}), "an_option": 1})
    with pytest.raises(
        UsageError, match=r"had an_option = 1, but .* builds an_option = None today"
    ):
        design_of_request(without)


def test_a_design_that_is_back_has_its_figures_again(monkeypatch: pytest.MonkeyPatch) -> None:
    before = stamped()

    def gone(request: Request) -> Design:
        raise UsageError("There is no such sequencer.")

    with monkeypatch.context() as patch:
        patch.setattr("modfab.flow.refresh.design_of_request", gone)
        after = refreshed(before, Designs())
    assert after.stale == "its design does not exist any more: There is no such sequencer."
    assert refreshed(after, Designs()) == before


def test_a_design_that_cannot_be_elaborated_is_stale(rtl: Path) -> None:
    before = stamped()
    change(rtl, "busy_o      = ", "busy_o      = nobody || ")
    lines: list[str] = []
    after = refreshed(before, Designs(), progress=lines.append)
    assert after.stale == "its design cannot be elaborated any more"
    assert after.text == before.text
    assert any("nobody" in line for line in lines)


def test_a_record_whose_circuit_is_not_known_stays() -> None:
    unknown = stored(circuit="", stale="measured without its clock")
    assert refreshed(unknown, Designs()) == unknown


def test_a_folder_and_a_store_are_refreshed(tmp_path: Path, rtl: Path) -> None:
    folder, store = tmp_path / "results", Store()
    good, gone = stamped(), replace(stored(), request=replace(stored().request, engine="gone"))
    export([good, gone], folder)
    store.add(good)
    change(rtl, "busy_o      = ", "busy_o      = rst_i || ")
    lines: list[str] = []
    outcome = refresh_folder(folder, progress=lines.append)
    assert (outcome.records, outcome.changed, outcome.stale) == (2, 2, 2)
    assert [bool(one.stale) for one in read_folder(folder)] == [True, True]
    assert any("bit_serial engine 16 ecp5-25k: stale, the circuit" in line for line in lines)
    assert refresh_folder(folder).changed == 0
    assert refresh_store(store).stale == 1
    (kept,) = store.records()
    assert kept.stale
    assert store.find(kept.request.key, kept.circuit, kept.tools) is None


def test_stale_figures_are_hidden() -> None:
    old = record(seed=1, mhz=50.0, stale="because")
    good = record(seed=2, mhz=40.0, date="2025-01-01T00:00:00Z")
    assert [found.mhz for found in current([old, good])] == [40.0]
    assert [len(found.routings) for found in medians([old, good])] == [1]
    config = modexp_core("bit_serial", 64)
    same = [
        replace(one, request=replace(one.request, params=dict(config.params)))
        for one in (old, good)
    ]
    assert [one.mhz for one in measured(same, config)] == [40.0]
    fresh = replace(old, stale="", date="2024-01-01T00:00:00Z")
    assert newest([fresh, old]) == newest([old, fresh]) == [fresh]


def test_commands_refresh_and_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    synthesis = stored(circuit="", stale="measured in the dark")
    routing = replace(synthesis.request, seed=3, freq_mhz=200.0)
    gone = replace(synthesis.request, engine="gone")
    folder = tmp_path / "results"
    export([synthesis, replace(synthesis, request=routing), stored(request=gone)], folder)
    monkeypatch.setattr(results_cmd, "checkout_dir", lambda: tmp_path)
    monkeypatch.setattr(results_cmd, "results_dir", lambda: tmp_path / "results")
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path / "results")
    assert run_cli(monkeypatch, "results", "refresh") == 0
    out = capsys.readouterr().out
    assert "results/: 3 measurements, 1 compared anew, 3 stale" in out
    assert run_cli(monkeypatch, "results", "stale") == 0
    out = capsys.readouterr().out
    assert "measured in the dark:\n  modfab synth --engine bit_serial --bits 16 " in out
    assert out.count("--route --seeds 3") == 1
    assert "gone engine 16 ecp5-25k: no such design today" in out
    assert run_cli(monkeypatch, "results", "stale", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["reason"] for row in rows} >= {"measured in the dark"}
    assert {row["command"] == "" for row in rows} == {True, False}
    Store().add(synthesis)
    assert run_cli(monkeypatch, "results", "list") == 0
    assert "bit_serial" not in capsys.readouterr().out


def test_designs_that_differ_in_anything_have_their_own_text() -> None:
    cores = [modexp_core("sos", 96, {}, "l2r", exp_bits) for exp_bits in (40, 41)]
    cores += [
        modexp_core("sos", 96, {}, "r2l", 40),
        modexp_core("sos", 96, {"WordBits": 64}, "l2r"),
    ]
    requests = [
        request_of(Design(core), get_target(target), Options())
        for core in cores
        for target in ("ecp5-25k", "xc7")
    ]
    together = Designs()
    texts = [together.text(request) for request in requests]
    assert len(set(texts)) == len(requests)
    assert texts[:2] == [Designs().text(request) for request in requests[:2]]


def test_a_stale_design_is_told_once_and_not_where_its_request_was_answered_since() -> None:
    seeds = [
        stored(request=replace(stored().request, seed=seed, freq_mhz=200.0), stale="because")
        for seed in (2, 3, 1)
    ]
    (found,) = stale_designs([stored(stale="because"), *seeds])
    assert found.command.endswith("--route --seeds 3")
    answered = replace(seeds[1], circuit="another", stale="")
    (found,) = stale_designs([*seeds, answered])
    assert found.command.endswith("--route --seeds 2")
    assert stale_designs([stored(stale="because"), stored(circuit="another")]) == []


RSA_OPTIONS = {"engines": 2, "exponent_words": 2, "message_blinding": 0}
FARM_OPTIONS = {"cores": 3}
PAIR_OPTIONS = {"pair": 1, "engines": 2}


def cases() -> dict[str, tuple[Design, Options]]:
    qp = Design(engine_core("qp_systolic", 64))
    sos = modexp_core("sos", 96, {"WordBits": 64}, "l2r", 40)
    wide = {"BitsPerClock": 8}
    rsa = design_of("bit_serial", 512, (wide, RSA_OPTIONS), "rsa", "window", None)
    pair = design_of("qp_systolic", 256, ({}, PAIR_OPTIONS), "rsa_axil", "window", None)
    farm = design_of("bit_serial", 68, ({}, FARM_OPTIONS), "farm_axil", "ladder", None)
    return {
        "plain": (SMALL, Options()),
        "router": (SMALL, Options(seeds=(1, 2), freq_mhz=250.0, router="router2", min_set=8)),
        "weight": (SMALL, Options(seeds=(1,), timing_weight=30)),
        "exponent": (Design(sos), Options()),
        "enables": (qp, Options(no_enables=False, piece_bits=30, wire_ps=800)),
        "free": (qp, Options(seeds=(1,), lock=False)),
        "lut_multipliers": (qp, Options(lut_multipliers=True)),
        "rsa": (rsa, Options(seeds=(1,))),
        "pair": (pair, Options()),
        "farm": (farm, Options()),
    }


def asked_for(command: str, monkeypatch: pytest.MonkeyPatch) -> list[Request]:
    """What a `modfab synth` command would measure."""
    asked: list[Request] = []

    def measure(design: Design, target: str, options: Options, **_: object) -> None:
        request = request_of(design, get_target(target), options)
        asked.append(request)
        asked.extend(routed_request(design, request, options, seed) for seed in options.seeds)

    monkeypatch.setattr(synth_cmd, "measure", measure)
    monkeypatch.setattr(synth_cmd, "show", lambda result: None)
    assert run_cli(monkeypatch, *shlex.split(command)[1:]) == 0
    return asked


@pytest.mark.parametrize("case", cases())
def test_the_command_measures_the_request_again(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    design, options = cases()[case]
    request = request_of(design, get_target("ecp5-85k"), options)
    if options.seeds:
        request = routed_request(design, request, options, options.seeds[-1])
    command = command_of(request, len(options.seeds))
    assert command.startswith("modfab synth --engine ")
    assert asked_for(command, monkeypatch)[-1] == request


@pytest.mark.parametrize(
    ("target", "asked", "digit_bits"),
    [("ecp5-85k", "", 18), ("xc7", "", 17), ("xcup", "", 17), ("xc7", "-P DigitBits=18", 18)],
)
def test_a_digit_follows_the_target(
    target: str, asked: str, digit_bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed command measures the same digit again; a given one wins."""
    words = f"modfab synth --engine qp_systolic --bits 64 --target {target} {asked}"
    (request,) = asked_for(words, monkeypatch)
    assert request.params["DigitBits"] == digit_bits
    command = command_of(request)
    assert ("DigitBits=18" in command) == bool(asked)
    assert asked_for(command, monkeypatch) == [request]


def test_only_what_nobody_measures_again_is_pruned(tmp_path: Path) -> None:
    folder, target = tmp_path / "results", get_target("ecp5-25k")
    gone = replace(stored().request, params={"NumBits": 16, "NoSuch": 1})
    synthesis = stored()
    seeded = routed_request(SMALL, synthesis.request, Options(seeds=(1,)), 1)
    other = request_of(SMALL, target, Options(no_enables=True))
    kept = [
        synthesis,
        stored(request=replace(seeded, target="ecp5-85k"), mhz=9.0, stale="another circuit"),
        stored(request=seeded, mhz=8.0, stale="not routed since"),
    ]
    pruned = [
        stored(request=gone, stale="its design does not exist any more"),
        stored(request=other, stale="mapped in another way since"),
        stored(request=replace(gone, engine="sos"), stale="the only one of its file"),
    ]
    write_folder([*pruned, *kept], folder)
    assert prune_folder(folder) == len(pruned)
    assert sorted(one.to_json() for one in read_folder(folder)) == sorted(
        one.to_json() for one in kept
    )
    assert [path.name for path in folder.iterdir()] == ["bit_serial.jsonl"]
    assert prune_folder(folder) == 0


def test_an_rsa_core_without_its_bus_is_pruned_when_it_is_measured_with_it() -> None:
    target, core = get_target("ecp5-25k"), rsa_core("bit_serial", 64)
    alone, on_the_bus = (request_of(Design(core, bus), target, Options()) for bus in (False, True))
    stale, whole = stored(request=alone, stale="another circuit"), stored(request=on_the_bus)
    assert outlived([stale, whole]) == [stale]
    assert outlived([stale, replace(whole, stale="another circuit")]) == []
    assert outlived([replace(whole, stale="another circuit"), replace(stale, stale="")]) == []
    seeded = replace(stale, request=replace(alone, seed=1), mhz=9.0)
    assert outlived([seeded, whole]) == []
    routed = replace(whole, request=replace(on_the_bus, seed=2), mhz=8.0)
    assert outlived([seeded, routed]) == [seeded]


def results() -> list[Record]:
    root = checkout_dir()
    assert root is not None
    return read_folder(root / "results")


def test_committed_figures_belong_to_the_rtl_of_today() -> None:
    designs = Designs()
    unseen = [
        f"{one.request.engine} {one.request.level} {one.request.num_bits}"
        for one in results()
        if not one.stale and designs.text(one.request) != one.text
    ]
    assert not unseen, f"run `modfab results refresh` and commit results/: {unseen[:5]}"


def test_committed_records_are_whole() -> None:
    records = results()
    assert len(records) > 300
    for one in records:
        assert one.stale or (len(one.circuit) == len(one.text) == 16)
        assert "/" not in one.stale
        assert set(asdict(one.request))


def test_every_stale_design_says_how_it_is_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the commands ask for just what is stale."""
    records = results()
    for one in stale_designs(records):
        if not one.reason.startswith("its design does not exist"):
            keys = {request.key for request in asked_for(one.command, monkeypatch)}
            assert one.request.key in keys, one.command


def test_a_circuit_that_has_changed_stays_stale_when_its_design_was_gone_meanwhile(
    rtl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stamped()
    change(rtl, "busy_o      = ", "busy_o      = rst_i || ")
    other = refreshed(before, Designs())

    def gone(request: Request) -> Design:
        raise UsageError("There is no such sequencer.")

    with monkeypatch.context() as patch:
        patch.setattr("modfab.flow.refresh.design_of_request", gone)
        missing = refreshed(other, Designs())
    assert missing.stale.startswith("its design does not exist any more")
    assert refreshed(missing, Designs()) == other
    change(rtl, "busy_o      = rst_i", "busy_o      = nobody")
    broken = refreshed(other, Designs())
    assert broken.stale == "its design cannot be elaborated any more"
    change(rtl, "busy_o      = nobody", "busy_o      = rst_i")
    assert refreshed(broken, Designs()) == other
