# SPDX-License-Identifier: Apache-2.0
"""Where a sweep runs: as many processes here as cores and memory carry, or a cluster."""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from distributed import Client, LocalCluster

from modfab.errors import MachineError
from modfab.flow.sweep.point import SweepPoint
from modfab.flow.targets import get_target

_GIB = 1 << 30
SYNTHESIS_GIB = 2.0
"""Memory that is reserved for a synthesis."""
_LUT4_OF_A_GIB = 40_000
_HERE_ONLY = "127.0.0.1:0"
_TIMEOUT_S = 20


def memory_gib(point: SweepPoint) -> float:
    """GiB to reserve for a point: the router's grows with the device, whatever the design.

    >>> memory_gib(SweepPoint("sos", 256, "ecp5-85k", seed=1))
    3.1
    """
    if point.seed is None:
        return SYNTHESIS_GIB
    device = get_target(point.target).capacity["LUT4"] / _LUT4_OF_A_GIB
    return round(max(SYNTHESIS_GIB, 1 + device), 1)


def available_gib() -> float:
    """Memory that programs can have now."""
    meminfo = Path("/proc/meminfo")
    for line in meminfo.read_text().splitlines() if meminfo.is_file() else ():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024 / _GIB
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / _GIB


def num_workers(points: Iterable[SweepPoint], cores: int, available: float) -> int:
    """Processes that cores and memory carry, each with room for the largest point; at least one.

    >>> num_workers([SweepPoint("sos", 256, "ecp5-85k", seed=n) for n in range(9)], 8, 10.0)
    3
    """
    needs = [memory_gib(point) for point in points]
    room = math.floor(available / max(needs, default=SYNTHESIS_GIB))
    return max(1, min(cores, room, len(needs)))


@contextmanager
def local_client(workers: int) -> Iterator[Client]:
    """Workers on this machine, ended with the block.

    They and the scheduler speak TLS on the loopback, with certificates that only this process has:
    who can speak to a scheduler can run code.

    Raises:
        MachineError: Processes cannot share a lock here.
    """
    try:
        multiprocessing.Lock()
    except OSError as error:
        raise MachineError(
            f"Workers of a sweep need shared memory, and this system refuses it ({error}); make "
            "/dev/shm writable for this user, or give a cluster with --scheduler."
        ) from error
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,  # what is large are the tools, which dask does not see
            dashboard_address=_HERE_ONLY,
            worker_dashboard_address=_HERE_ONLY,
            host="127.0.0.1",
            security=True,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def remote_client(address: str) -> Iterator[Client]:
    """A cluster that is there already.

    Raises:
        MachineError: No scheduler answers, or it has no worker.
    """
    try:
        client = Client(address, timeout=_TIMEOUT_S)
    except (OSError, ValueError) as error:
        raise MachineError(
            f"Expected a Dask scheduler at {address}, but none answers ({error}); start one with "
            "`dask scheduler`, or leave --scheduler out."
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_TIMEOUT_S)
        except TimeoutError as error:
            raise MachineError(
                f"The scheduler at {address} has no worker; start one with `dask worker {address}` "
                "in a Python that has modfab."
            ) from error
        yield client
