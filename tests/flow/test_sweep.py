# SPDX-License-Identifier: Apache-2.0
"""Sweeps: what a file covers, what is left of it, killed clients and workers, failures."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tomli
from distributed import Client, LocalCluster

from modfab.errors import MachineError, ToolError, UsageError
from modfab.flow.store import Store
from modfab.flow.sweep.cluster import local_client, memory_gib, num_workers, remote_client
from modfab.flow.sweep.failures import Failure, Failures
from modfab.flow.sweep.point import SweepPoint
from modfab.flow.sweep.run import Planned, State, plan, run, score
from modfab.flow.sweep.spec import EXAMPLE, read_spec, spec_of
from modfab.flow.sweep.task import run_point
from modfab.paths import checkout_dir
from tests.flow.test_store import record
from tests.support.cli import run_cli
from tests.support.sweep_tasks import POINTS, hold, light, measured_seeds, ran, wait_for

ROOT = checkout_dir() or Path()
GRID: dict[str, Any] = {"engines": ["sos"], "bits": [64], "targets": ["ecp5-25k"]}


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("MODFAB_DATA", str(tmp_path))
    monkeypatch.setattr("modfab.flow.store.results_dir", lambda: tmp_path / "results")
    return Store()


@contextmanager
def near_client() -> Iterator[tuple[Client, str]]:
    """A client of workers in this process, and their scheduler's address."""
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address="127.0.0.1:0",
            protocol="tcp",
            host="127.0.0.1",
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client, str(cluster.scheduler_address)


def todo(store: Store, retry: bool = False) -> tuple[Planned, ...]:
    return plan(POINTS, store.records(), Failures(), retry).todo


def sweep(store: Store, client: Client, task: Any = light, retry: bool = False) -> State:
    return run(todo(store, retry), client, store, Failures(), lambda state: None, task)


def test_grid_covers_every_combination_once() -> None:
    spec = spec_of(tomli.loads(EXAMPLE), "example")
    assert len(spec.points) == 2 * 2 * 2
    assert [point.seed for point in spec.points] == [1] * 4 + [2] * 4
    twice = spec_of({"grid": [GRID, GRID | {"bits": [64, 96]}]}, "twice")
    assert [point.bits for point in twice.points] == [64, 96]
    assert spec.left_out == {}


def test_grid_of_levels_with_sequencers_and_keys() -> None:
    grid = GRID | {
        "levels": ["engine", "modexp", "rsa"],
        "bits": [128],
        "sequencers": ["ladder", "window"],
        "rsa": {"engines": [1, 2]},
    }
    points = spec_of({"grid": [grid]}, "levels").points
    found = sorted((p.level, p.sequencer, p.rsa.get("engines", 0)) for p in points)
    assert found == [
        ("engine", "ladder", 0),
        *(("modexp", name, 0) for name in ("ladder", "window")),
        *(("rsa", name, number) for name in ("ladder", "window") for number in (1, 2)),
    ]


def test_parameters_are_of_the_engines_that_have_them() -> None:
    grid = GRID | {"engines": ["sos", "bit_serial"], "params": {"WordBits": [32, 48, 64]}}
    spec = spec_of({"grid": [grid]}, "some")
    assert [(p.engine, dict(p.params)) for p in spec.points] == [
        ("sos", {"WordBits": 32}),
        ("sos", {"WordBits": 64}),
        ("bit_serial", {}),
    ]
    (reason,) = spec.left_out.values()
    assert "WordBits must be one of 32, 64" in reason


def test_random_search_is_repeatable() -> None:
    grid = GRID | {"seeds": list(range(1, 51))}
    data = {"search": "random", "samples": 5, "grid": [grid]}
    first, again, other = (spec_of(data | {"seed": n}, "r").points for n in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 5
    assert len(spec_of(data | {"samples": 99}, "r").points) == 50


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({}, r"has no \[\[grid\]\]"),
        ({"grid": [{}]}, "missing: engines, bits, targets"),
        ({"grid": [GRID | {"speed": [1]}]}, "unknown: speed"),
        ({"grid": [GRID | {"bits": ["64"]}]}, "must be a list of whole numbers"),
        ({"grid": [GRID | {"params": {"WordBits": 32}}]}, "params.WordBits of .* whole numbers"),
        ({"grid": [GRID | {"engines": ["none"]}]}, "none"),
        (
            {"grid": [GRID | {"params": {"WordBit": [32]}}]},
            "has WordBit, .* choose from .*WordBits",
        ),
        ({"grid": [GRID | {"rsa": {"engine": [1]}}]}, "has engine, .* choose from engines, pair"),
        ({"grid": [GRID | {"seeds": [1, 0]}]}, "seeds of .* begin at 1, but are"),
        ({"grid": [GRID | {"targets": ["xc7"], "seeds": [1]}]}, "no open router for xc7"),
        ({"grid": [GRID | {"levels": ["chip"]}]}, "no level 'chip'"),
        ({"grid": [GRID | {"bits": [1]}]}, "No combination of .* is a design"),
        ({"grid": [GRID], "search": "all"}, "choose one of grid, random"),
        ({"grid": [GRID], "search": "random"}, "needs samples"),
        ({"grid": [GRID], "samples": 3}, "samples and seed belong to a random search"),
        ({"grid": [GRID], "samples": True}, "which a sweep does not know"),
        ({"grid": [GRID], "freq_mhz": math.nan}, "freq_mhz of .* above 0 and .*, but is nan"),
        ({"grid": [GRID], "freq_mhz": math.inf}, "freq_mhz of .*, but is inf"),
        ({"grid": [GRID], "freq_mhz": 0}, "freq_mhz of .* above 0 and .*, but is 0"),
        ({"grid": [GRID], "limit_minutes": -5}, "limit_minutes of .*, but is -5"),
        ({"grid": [GRID], "limit_minutes": 10**400}, "limit_minutes of .*, but is 1000"),
    ],
)
def test_wrong_files_are_refused(data: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        spec_of(data, "wrong.toml")


def test_a_sweep_may_be_without_a_limit() -> None:
    (point,) = spec_of({"grid": [GRID], "limit_minutes": math.inf}, "endless").points
    assert point.options.limit_s == math.inf


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Expected a sweep in TOML at .*none\.toml"):
        read_spec(tmp_path / "none.toml")


def test_workers_have_room_for_the_router() -> None:
    large = [SweepPoint("sos", 256, "ecp5-85k", seed=seed) for seed in range(9)]
    small = [SweepPoint("sos", 256, "ecp5-25k") for _ in range(9)]
    assert memory_gib(large[0]) > memory_gib(small[0])
    assert num_workers(large, 4, 100.0) == 4
    assert num_workers(large, 4, 7.0) == 2
    assert num_workers([*small, large[0]], 4, 7.0) == 2
    assert num_workers(large, 4, 0.5) == 1
    assert num_workers(small[:1], 4, 100.0) == 1


def test_what_is_known_is_left_out(store: Store) -> None:
    first, second, third, fourth = (
        replace(record(), request=p.request(), text=p.text()) for p in POINTS[:4]
    )
    store.add(first)
    store.add(replace(second, stale="another circuit"))
    store.add(replace(third, text="RTL of before"))
    Failures().keep(fourth.request.key, Failure("it", fourth.text, "it was too large"))
    planned = plan(POINTS, store.records(), Failures())
    assert planned.known == 1
    assert [failure.reason for failure in planned.failed.values()] == ["it was too large"]
    assert [one.point.seed for one in planned.todo] == [2, 3, 5, 6]
    assert [one.point.seed for one in todo(store, retry=True)] == [2, 3, 4, 5, 6]
    assert Failures().find(fourth.request.key, "other RTL") is None


def no_shared_lock(*_: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_a_system_without_shared_locks_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.Lock", no_shared_lock)
    with pytest.raises(MachineError, match="/dev/shm writable"), local_client(1):
        pass


def shares_locks() -> bool:
    """Whether processes can share a lock: a bare chroot's /dev/shm is not everybody's."""
    try:
        multiprocessing.Lock()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not shares_locks(), reason="/dev/shm is not writable for this user")
@pytest.mark.timeout(300)
def test_a_killed_client_and_a_killed_worker_lose_only_what_ran(
    store: Store, tmp_path: Path
) -> None:
    hold(2).touch()
    words = [sys.executable, "-m", "tests.support.sweep_tasks"]
    python = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": python}
    with subprocess.Popen(words, cwd=ROOT, env=environment) as process:
        wait_for(lambda: measured_seeds() == [1] and ran()[-1:][0][0] == 2, "seed 2 runs")
        process.kill()
    wait_for(lambda: not Path(f"/proc/{ran()[-1][1]}").exists(), "the worker ends with its client")
    assert measured_seeds() == [1]

    states: list[State] = []
    with local_client(2) as client:
        thread = threading.Thread(target=lambda: states.append(sweep(store, client)))
        thread.start()
        wait_for(lambda: [seed for seed, _ in ran()].count(2) == 2, "seed 2 runs again")
        wait_for(lambda: len(measured_seeds()) >= 3, "the other worker goes on")
        victim = [number for seed, number in ran() if seed == 2][-1]
        os.kill(victim, signal.SIGKILL)
        wait_for(lambda: [seed for seed, _ in ran()].count(2) == 3, "seed 2 has another worker")
        hold(2).unlink()
        thread.join(120)
    (state,) = states
    assert measured_seeds() == [1, 2, 3, 4, 5, 6]
    assert (state.done, state.failed, state.total) == (5, {}, 5)
    began = [seed for seed, _ in ran()]
    assert began.count(1) == 1  # measured before the client was killed
    assert ran()[-1][1] != victim
    assert state.seconds_left == 0
    (best,) = state.best.values()
    assert best.request.seed == 6  # the highest frequency


def test_failures_are_kept_until_they_are_retried(store: Store) -> None:
    def fails(words: dict[str, Any]) -> dict[str, Any]:
        seed = words["seed"]
        if seed == 1:
            return {"reason": "no room", "log": "ERROR: no room", "host": "here"}
        if seed == 2:
            raise ValueError("a bug")
        if seed == 3:
            made = light(words)["records"][0]
            return {"records": [made.replace(POINTS[0].text(), "0" * 16)]}
        return light(words)

    with near_client() as (client, _):
        state = sweep(store, client, fails)
        assert (state.done, len(state.failed)) == (3, 3)
        assert measured_seeds() == [4, 5, 6]
        reasons = " ".join(failure.reason for failure in state.failed.values())
        assert "no room" in reasons
        assert "ValueError('a bug')" in reasons
        assert "its modfab is another version" in reasons
        first = POINTS[0]
        kept = Failures().find(first.request().key, first.text())
        assert kept is not None
        assert (kept.log, kept.host) == ("ERROR: no room", "here")
        assert todo(store) == ()
        assert sweep(store, client, light, retry=True).done == 3
    assert measured_seeds() == [1, 2, 3, 4, 5, 6]
    assert list(Failures().folder.iterdir()) == []


def test_a_worker_of_another_version_does_not_end_the_sweep(store: Store) -> None:
    newer = json.loads(record().to_json())
    request = {**newer["request"], "noise": 1}
    answers = [json.dumps(newer | more) for more in ({"noise": 1}, {"request": request})]
    answers += ["{}", "[]", "no JSON"]

    def other(words: dict[str, Any]) -> dict[str, Any]:
        return {"records": answers[words["seed"] - 1 : words["seed"]]}  # of the last seed none

    with near_client() as (client, _):
        state = sweep(store, client, other)
    assert (state.done, len(state.failed)) == (0, len(POINTS))
    (reason,) = {failure.reason for failure in state.failed.values()}
    assert reason == "The worker measured other RTL: its modfab is another version."


def test_a_damaged_failure_is_named() -> None:
    first = POINTS[0].request().key
    Failures().keep(first, Failure("it", "text", "why")).write_text("{}")
    with pytest.raises(UsageError, match=r"cannot be read .* remove it"):
        plan(POINTS, [], Failures())


def test_best_is_least_area_time_and_a_time_beats_none() -> None:
    slow, fast, none = record(mhz=50.0), record(mhz=100.0), record()
    assert score(fast) < score(slow) < score(none)
    small = replace(slow, area={**slow.area, "lut": 20, "ff": 20})
    assert score(small) < score(fast), "less than half of the area outweighs half of the time"
    cycles = {"public": 100, "private": 1000}
    request = replace(fast.request, level="rsa", rsa={"public_only": True})
    assert score(replace(fast, request=request, cycles=cycles)) == (False, 150.0)


def test_what_has_failed_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modfab.flow.sweep.run.time.monotonic", lambda: 30.0)
    state = State(total=5, started=10.0)
    assert state.seconds_left == 0
    state.done, state.failed = 1, {"it": Failure("it", "text", "why")}
    assert state.seconds_left == 3 * 10.0


def test_an_error_comes_with_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "a folder" / "yosys.log"
    log.parent.mkdir()
    log.write_text("\n".join(f"line {n}" for n in range(300)))

    def broken(*_: object) -> None:
        raise ToolError(f"Yosys failed. The log is {log}.", log)

    monkeypatch.setattr("modfab.flow.sweep.task.measure", broken)
    answer = run_point(POINTS[0].words())
    assert "Yosys failed" in answer["reason"]
    assert answer["log"].splitlines() == [f"line {n}" for n in range(100, 300)]
    log.unlink()
    assert run_point(POINTS[0].words())["log"] == ""


def test_no_scheduler_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modfab.flow.sweep.cluster._TIMEOUT_S", 0.5)
    with (
        pytest.raises(MachineError, match=r"Expected a Dask scheduler at tcp://127\.0\.0\.1:9"),
        remote_client("tcp://127.0.0.1:9"),
    ):
        pass


def test_command_measures_on_a_cluster_with_the_real_tools(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    store: Store,
) -> None:
    spec = tmp_path / "my_sweep.toml"
    spec.write_text('[[grid]]\nengines = ["bit_serial"]\nbits = [16]\ntargets = ["xc5v"]\n')
    assert run_cli(monkeypatch, "sweep", str(spec), "--dry-run") == 0
    assert "bit_serial, engine, 16 bits" in capsys.readouterr().out
    assert run_cli(monkeypatch, "sweep", str(spec), "--dry-run", "--json") == 0
    planned = json.loads(capsys.readouterr().out)
    assert (planned["known"], planned["failed"], planned["left_out"]) == (0, {}, {})
    assert planned["todo"] == ["bit_serial, engine, 16 bits of the modulus, xc5v, synthesis"]
    with near_client() as (_, address):
        words = "sweep", str(spec), "--scheduler", address, "--json"
        assert run_cli(monkeypatch, *words) == 0
    captured = capsys.readouterr()
    assert "1 of 1, about 0 s left" in captured.err
    found = json.loads(captured.out)
    assert (found["measured"], found["failed"]) == (1, {})
    (kept,) = store.records()
    assert found["best"][0]["area"] == kept.area
    assert kept.area["ff"] >= 64
    assert run_cli(monkeypatch, "sweep", str(spec)) == 0
    assert "1 points: 1 measured" in capsys.readouterr().err


def test_command_needs_a_store_that_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "my_sweep.toml"
    spec.write_text('[[grid]]\nengines = ["bit_serial"]\nbits = [16]\ntargets = ["xc5v"]\n')
    monkeypatch.setenv("MODFAB_DATA", str(spec))
    monkeypatch.setattr("modfab.cli.sweep_cmd._client", None)
    assert run_cli(monkeypatch, "sweep", str(spec), "--dry-run") == 0
    assert run_cli(monkeypatch, "sweep", str(spec)) == 3
    assert "results.sqlite cannot be used" in capsys.readouterr().err


def test_command_says_what_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "my_sweep.toml"
    spec.write_text('[[grid]]\nengines = ["bit_serial"]\nbits = [16]\ntargets = ["xc5v"]\n')
    (point,) = read_spec(spec).points
    failure = Failure(point.title, point.text(), "too large", "log")
    Failures().keep(point.request().key, failure)
    assert run_cli(monkeypatch, "sweep", str(spec)) == 1
    shown = capsys.readouterr().out
    assert f"failed: {point.title}: too large" in shown
    assert "--retry tries them again" in shown
    assert run_cli(monkeypatch, "sweep") == 2
    assert run_cli(monkeypatch, "sweep", "--example") == 0
    assert tomli.loads(capsys.readouterr().out)["grid"]
