# SPDX-License-Identifier: Apache-2.0
"""`modfab serve`: devices and keys behind a Unix socket, for the OpenSSL provider."""

from __future__ import annotations

import functools
import json
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from modfab.build.farm import MAX_CORES, FarmCore
from modfab.cli.core_run import SIMULATED, CoreChoice
from modfab.cli.options import finite
from modfab.cli.private_core import with_keyless_core
from modfab.cli.signals import handle_ends
from modfab.errors import UsageError
from modfab.host.open import check_device
from modfab.serve.client import Client, default_socket
from modfab.serve.core_files import forbid_core_files
from modfab.serve.jobs import JobQueue
from modfab.serve.keyring import Keyring
from modfab.serve.server import Server
from modfab.serve.units import CoreUnit, FarmUnit, UnitOpener
from modfab.serve.workers import DEFAULT_JOB_S, DEFAULT_TRIES, Limits, WorkerPool

MAX_JOB_S = 1e6
"""Seconds, eleven days; Python's threads refuse a timeout of centuries."""

SocketOption = Annotated[
    Path | None,
    typer.Option(
        "--socket",
        help="Path of the socket; MODFAB_SOCKET, or modfab.sock in XDG_RUNTIME_DIR or /run.",
    ),
]
KeysOption = Annotated[
    Path | None,
    typer.Option("--keys", help="Folder of NAME.pem, closed to all but its owner (0700, 0600)."),
]


@with_keyless_core
def serve_command(
    choice: CoreChoice,
    keys: KeysOption = None,
    socket_path: SocketOption = None,
    also: Annotated[
        list[str] | None,
        typer.Option("--also", metavar="DEVICE", help="One more device; may be repeated."),
    ] = None,
    cores: Annotated[
        int,
        typer.Option("--cores", min=0, max=MAX_CORES, help="A simulated farm of so many cores."),
    ] = 0,
    named_only: Annotated[
        bool, typer.Option("--named-only", help="Refuse keys that clients bring along.")
    ] = False,
    tries: Annotated[
        int, typer.Option("--tries", min=1, help="Times that a job is sent after faults.")
    ] = DEFAULT_TRIES,
    job_limit: Annotated[
        float,
        typer.Option(
            "--job-limit",
            min=0.01,
            max=MAX_JOB_S,
            callback=finite,
            help="Seconds until a device is hanging.",
        ),
    ] = DEFAULT_JOB_S,
    health: Annotated[
        bool, typer.Option("--health", help="Print a running daemon's state as JSON, and end.")
    ] = False,
) -> None:
    """Serve private RSA operations on devices to local programs, until SIGTERM, SIGHUP or Ctrl-C.

    Example: modfab serve --keys keys --socket modfab.sock --device model
    """
    path = socket_path or default_socket()
    if health:
        print(json.dumps(Client(path, timeout_s=10, patience_s=0).health(), indent=2))
        return
    openers = _openers(choice, also or (), cores)
    forbid_core_files()
    limits = Limits(tries=tries, job_s=job_limit)
    serve(path, keys, openers, limits, named_only=named_only)


def serve(
    path: Path,
    keys: Path | None,
    openers: Sequence[UnitOpener],
    limits: Limits,
    *,
    named_only: bool = False,
) -> None:
    """Run a daemon in this process until a signal ends it."""
    stop = threading.Event()
    keyring, queue = Keyring(keys), JobQueue()
    pool = WorkerPool(openers, queue, limits)
    with Server(path, keyring, pool, queue, named_only=named_only) as server:
        names = ", ".join(keyring.names()) or "none"

        def ready() -> None:  # until now a signal ends the start
            handle_ends(lambda *_: stop.set(), signal.SIGINT)
            print(f"Serving at {path}; keys: {names}; {len(openers)} device(s).", file=sys.stderr)

        server.run(stop, ready)
    print("Stopped; no device holds a key of this daemon's.", file=sys.stderr)


def _openers(choice: CoreChoice, also: Sequence[str], cores: int) -> list[UnitOpener]:
    specs = [choice.device, *also]
    for spec in specs:
        check_device(spec)
    twice = sorted({spec for spec in specs if specs.count(spec) > 1} - set(SIMULATED))
    if twice:
        raise UsageError(
            f"Two workers cannot share one core, but {twice[0]} was named twice after --device and "
            "--also; name each once."
        )
    if cores:
        if choice.device != "sim" or also:
            raise UsageError(
                "--cores simulates a farm, which is one device; leave out --also and use --device "
                "sim."
            )
        return [functools.partial(_open_farm, choice, cores)]
    return [functools.partial(CoreUnit, spec, choice.rsa_core) for spec in specs]


def _open_farm(choice: CoreChoice, cores: int) -> FarmUnit:
    return FarmUnit(lambda bits: FarmCore(choice.rsa_core(bits), cores), cores)
