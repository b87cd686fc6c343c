# SPDX-License-Identifier: Apache-2.0
"""The daemon on model and simulated devices, under load, killed and started again."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from modfab.host.keys import RsaPrivate
from modfab.serve.client import Client
from modfab.serve.jobs import MAX_PREFERRED, Job, JobQueue, PrivateResult
from modfab.serve.protocol import BusyError, StoppingError
from tests.support.daemon import (
    PythonUnit,
    daemon,
    key_folder,
    process_daemon,
    shared_short_key,
    short_key,
    start_process,
)
from tests.support.rsa_keys import ours

CLIENTS, JOBS = 8, 125


def load(path: Path, key: RsaPrivate, seed: int, jobs: int, after: Callable[[], None]) -> int:
    """Results of one client's jobs that were right."""
    rng, right = random.Random(seed), 0
    client = Client(path, patience_s=60.0)
    for _ in range(jobs):
        base = rng.randrange(key.n)
        right += client.private("web", base).value == pow(base, key.d, key.n)
        after()
    return right


def run_clients(path: Path, key: RsaPrivate, jobs: int, after: Callable[[], None]) -> list[int]:
    right = [0] * CLIENTS

    def work(index: int) -> None:
        right[index] = load(path, key, index, jobs, after)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return right


def test_a_thousand_jobs_on_two_models(tmp_path: Path, rng: random.Random) -> None:
    key = short_key(rng, 128)
    keys = key_folder(tmp_path / "keys", web=key)
    words = ("--engine", "bit_serial", "--also", "model")
    with process_daemon(tmp_path / "s", keys, *words) as client:
        assert run_clients(tmp_path / "s", ours(key), JOBS, lambda: None) == [JOBS] * CLIENTS
        report = client.health()
        devices = report["devices"]
        assert isinstance(devices, list)
        assert sum(device["jobs"] for device in devices) == CLIENTS * JOBS
        assert all(device["jobs"] > CLIENTS * JOBS // 10 for device in devices)
        assert (report["errors"], report["abandoned"], report["waiting"]) == (0, 0, 0)


CLIENT = """
import sys
from pathlib import Path
from modfab.serve.client import Client
client = Client(Path(sys.argv[1]))
sys.exit(sum(client.private("web", base).value == 0 for base in range(2, 2 + int(sys.argv[2]))))
"""


def test_processes_as_clients(tmp_path: Path) -> None:
    keys = key_folder(tmp_path / "keys", web=shared_short_key(128))
    command = [sys.executable, "-c", CLIENT, str(tmp_path / "s"), "20"]
    with process_daemon(tmp_path / "s", keys, "--engine", "bit_serial") as client:
        running = [subprocess.Popen(command) for _ in range(3)]
        assert [process.wait() for process in running] == [0, 0, 0]
        devices = client.health()["devices"]
        assert isinstance(devices, list)
        assert devices[0]["jobs"] == 60


@pytest.mark.full
def test_killed_and_started_again_under_load(tmp_path: Path, rng: random.Random) -> None:
    key = short_key(rng, 128)
    keys, path = key_folder(tmp_path / "keys", web=key), tmp_path / "s"
    words = ("--engine", "bit_serial")
    lock, done, half = threading.Lock(), [0], threading.Event()

    def after() -> None:
        with lock:
            done[0] += 1
            if done[0] in (CLIENTS * JOBS // 4, CLIENTS * JOBS // 2):
                half.set()

    right: list[int] = []
    process = start_process(path, keys, *words)
    clients = threading.Thread(
        target=lambda: right.extend(run_clients(path, ours(key), JOBS, after))
    )
    clients.start()
    for how in (signal.SIGKILL, signal.SIGTERM):
        half.wait()
        half.clear()
        process.send_signal(how)
        process.communicate()
        process = start_process(path, keys, *words)
    clients.join()
    process.terminate()
    process.communicate()
    assert right == [JOBS] * CLIENTS


def test_one_simulated_core_and_a_farm(tmp_path: Path, rng: random.Random) -> None:
    key, other = short_key(rng, 128), short_key(rng, 128)
    keys = key_folder(tmp_path / "keys", web=key, other=other)
    for index, words in enumerate(((), ("--cores", "2"))):
        path = tmp_path / f"s{index}"
        with process_daemon(path, keys, "--engine", "bit_serial", *words, device="sim") as client:
            for name, one in (("web", ours(key)), ("other", ours(other)), ("web", ours(key))):
                base = rng.randrange(one.n)
                result = client.private(name, base)
                assert result.value == pow(base, one.d, one.n)
                assert result.exp_cycles > 0


# ---- the queue ----
def jobs_of(key: RsaPrivate, client: int, number: int) -> list[Job]:
    return [Job(client, key, base) for base in range(number)]


def test_clients_take_turns() -> None:
    key, queue = ours(shared_short_key(512)), JobQueue(limit=100)
    for job in jobs_of(key, 1, 50) + jobs_of(key, 2, 3) + jobs_of(key, 3, 1):
        queue.put(job)
    order = [queue.take(key, 1, 0)[0].client for _ in range(8)]
    assert order == [1, 2, 3, 1, 2, 1, 2, 1]


def test_a_loaded_key_is_preferred_but_starves_nobody(rng: random.Random) -> None:
    loaded, other = ours(shared_short_key(512)), ours(short_key(rng, 512))
    queue = JobQueue(limit=100)
    for job in jobs_of(other, 1, 5) + jobs_of(loaded, 2, 50):
        queue.put(job)
    for job in jobs_of(other, 3, 1):
        queue.put(job)
    order = [queue.take(loaded, 1, 0)[0].client for _ in range(2 * MAX_PREFERRED + 2)]
    assert order == ([2] * MAX_PREFERRED + [1]) + ([2] * MAX_PREFERRED + [3])


def test_a_batch_has_one_key(rng: random.Random) -> None:
    first, other = ours(shared_short_key(512)), ours(short_key(rng, 512))
    queue = JobQueue()
    for job in [*jobs_of(first, 1, 1), *jobs_of(other, 2, 1), *jobs_of(first, 3, 1)]:
        queue.put(job)
    assert [job.client for job in queue.take(None, 4, 0)] == [1, 3]
    assert [job.client for job in queue.take(None, 4, 0)] == [2]
    assert queue.take(None, 4, 0) == []


def test_a_batch_is_filled_by_rounds(rng: random.Random) -> None:
    """A farm behind one client is busy; beside others no client gets more than its turns."""
    key, other = ours(shared_short_key(512)), ours(short_key(rng, 512))
    queue = JobQueue()
    jobs = [*jobs_of(key, 1, 5), *jobs_of(key, 2, 2), *jobs_of(key, 3, 1), *jobs_of(other, 4, 1)]
    for job in jobs:
        queue.put(job)
    taken = queue.take(key, 7, 0)
    assert [job.client for job in taken] == [1, 2, 3, 1, 2, 1, 1]
    assert [job.base for job in taken if job.client == 1] == [0, 1, 2, 3], "in their order"
    assert [job.client for job in queue.take(None, 7, 0)] == [4]
    assert [job.client for job in queue.take(None, 7, 0)] == [1]
    assert queue.take(None, 7, 0) == []


def test_a_full_queue() -> None:
    key, queue = ours(shared_short_key(512)), JobQueue(limit=2)
    jobs = jobs_of(key, 1, 3)
    for job in jobs[:2]:
        queue.put(job)
    with pytest.raises(BusyError, match="fewer than 2"):
        queue.put(jobs[2])
    queue.put(jobs[2], again=True)  # it had its place before
    assert queue.take(None, 1, 0) == [jobs[2]]
    assert queue.remove(jobs[0])
    assert not queue.remove(jobs[0])
    queue.close()
    (error,) = {type(job.error) for job in jobs if job.done.is_set()}
    assert error is StoppingError
    jobs[1].finish(PrivateResult(5, 1, 1))
    assert jobs[1].result is None, "the first answer counts"
    with pytest.raises(StoppingError, match="send the job again"):
        queue.put(jobs[0])


def test_a_client_without_a_slow_one(tmp_path: Path) -> None:
    """One client's flood does not delay another's single job behind all of it."""
    key, order = ours(shared_short_key(512)), []
    lock = threading.Lock()

    def before(base: int) -> int:
        with lock:
            order.append(base)
        return base

    queue = JobQueue()
    with daemon(tmp_path / "s", None, lambda: PythonUnit(before), queue=queue):
        flood = [Job(1, key, base) for base in range(2, 202)]
        single = Job(2, key, 1)
        for job in (*flood, single):
            queue.put(job)
        for job in (*flood, single):
            job.done.wait()
    assert order.index(1) < 199
    assert len(order) == 201
