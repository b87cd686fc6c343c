# SPDX-License-Identifier: Apache-2.0
"""Options that choose a core, and one RSA computation on it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated, TypeVar

import typer

from modfab.cli.progress import cycle_bar
from modfab.host.batch import Job
from modfab.host.choice import UNPROTECTED, check_fits
from modfab.host.choice import Check as Check
from modfab.host.choice import CoreChoice as CoreChoice
from modfab.host.choice import PrivateCore as PrivateCore
from modfab.host.choice import RsaOptions as RsaOptions
from modfab.host.core_device import CycleProgress
from modfab.host.defaults import DEFAULT_DEVICE as DEFAULT_DEVICE
from modfab.host.defaults import DEFAULT_ENGINE as DEFAULT_ENGINE
from modfab.host.defaults import DEFAULT_SEQUENCER as DEFAULT_SEQUENCER
from modfab.host.defaults import PRIVATE_ENGINE as PRIVATE_ENGINE
from modfab.host.defaults import PRIVATE_SEQUENCER as PRIVATE_SEQUENCER
from modfab.host.defaults import PUBLIC_SEQUENCER as PUBLIC_SEQUENCER
from modfab.host.defaults import SIMULATED as SIMULATED
from modfab.host.device import Device
from modfab.host.farm_device import Done
from modfab.host.keys import RsaPrivate, RsaPublic, without_e
from modfab.host.open import open_device
from modfab.host.private import PrivateKeyCore, open_farm, run_on_farm
from modfab.host.rsa import ModExpResult, RsaOnModexp
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_open import RsaUnit, RsaVerifier, open_rsa_device, prime_bits_of
from modfab.numbers import whole_words

DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="DEVICE",
        help="sim: the RTL compiled by Verilator; model: the Python model; or hardware: "
        "uio:/dev/uioN, devmem:0xADDRESS or serial:PATH, BAUD after a comma.",
    ),
]

_T = TypeVar("_T")
_D = TypeVar("_D", Device, RsaDevice)
_U = TypeVar("_U", RsaOnModexp, RsaVerifier, RsaUnit)

Bar = Callable[[str], AbstractContextManager[CycleProgress | None]]
"""Opened with a title; what it gives is told how far an exponentiation is."""


def silent_bar(title: str) -> AbstractContextManager[None]:
    """Where another bar counts something else."""
    del title
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Cost:
    """What exponentiations cost: cycles of the core, seconds of wall time here.

    The total is the core's counter. On the exponentiator it holds the transport of words between
    windows and engine too, which the golden model leaves out; set-up and exponentiation are the
    same on every device. `engine` and `sequencer` are those of the core that ran: hardware says
    what it was built of.
    """

    setup_cycles: int
    exp_cycles: int
    total_cycles: int
    seconds: float
    engine: str
    sequencer: str

    @property
    def work_cycles(self) -> int:
        """Set-up and exponentiation."""
        return self.setup_cycles + self.exp_cycles

    @property
    def core(self) -> str:
        """The core for people; a core for public operations only has no sequencer."""
        return f"{self.engine} with {self.sequencer}" if self.sequencer else self.engine


def run_on_core(
    choice: CoreChoice,
    key: RsaPublic,
    title: str,
    job: Callable[[RsaOnModexp], _T],
    bar: Bar = cycle_bar,
) -> tuple[_T, Cost]:
    """Open a core that is wide enough for a key and compute on it.

    Args:
        choice: Which core.
        key: Its modulus, rounded up to whole words, is the width of the core.
        title: Text beside the progress bar.
        job: Computes with the bound device.
        bar: What shows how far it is.

    Returns:
        What the job returned, and what its exponentiations cost.
    """
    check_fits(choice, key)
    num_bits = whole_words(key.num_bits)
    core = choice.device, choice.engine, num_bits, choice.sequencer, choice.params
    return _timed(choice, open_device(*core), RsaOnModexp, job, bar(title))


def run_public(
    choice: CoreChoice,
    key: RsaPublic,
    title: str,
    job: Callable[[RsaOnModexp | RsaVerifier], _T],
    bar: Bar = cycle_bar,
) -> tuple[_T, Cost]:
    """As `run_on_core`, for a public operation, on an RSA core too."""
    check_fits(choice, key)
    if choice.rsa is None:
        return run_on_core(choice, key, title, job, bar)
    num_bits = whole_words(key.num_bits)
    device = open_rsa_device(choice.device, choice.rsa_core(num_bits))
    return _timed(choice, device, RsaVerifier, job, bar(title))


def run_private(
    choice: CoreChoice,
    key: RsaPublic,
    title: str,
    job: Callable[[PrivateKeyCore | RsaOnModexp], _T],
    bar: Bar = cycle_bar,
) -> tuple[_T, Cost]:
    """As `run_on_core`, for a private key on the core that was chosen."""
    check_fits(choice, key)
    if choice.rsa is None:
        print(f"modfab: {UNPROTECTED}", file=sys.stderr)
        return run_on_core(choice, key, title, job, bar)
    device = open_rsa_device(choice.device, choice.rsa_core(prime_bits_of(key)))
    rsa = choice.rsa
    unit = partial(RsaUnit, derive=rsa.derive, loaded=rsa.loaded, context=rsa.context)
    return _timed(choice, device, unit, job, bar(title))


def run_many(
    choice: CoreChoice,
    key: RsaPublic,
    jobs: Sequence[Job[_T]],
    done: Done,
    cores: int = 1,
    *,
    public: bool = False,
) -> tuple[list[_T], Cost]:
    """Many jobs with one key load, on one core or on a farm of several.

    Args:
        choice, key: The core and the key.
        jobs: Each computes with the key's operation.
        done: Told after each job.
        cores: More than one are a farm.
        public: The operation is the public one.

    Returns:
        What the jobs returned, and what all of them cost.
    """
    if cores > 1:
        return _run_on_farm(choice, key, jobs, done, cores)
    spent: list[ModExpResult] = []

    def work(core: PrivateKeyCore | RsaOnModexp | RsaVerifier) -> list[_T]:
        if isinstance(core, RsaVerifier) or (public and isinstance(core, RsaOnModexp)):
            plain = core.public_operation(key)
        else:
            plain = core.private_operation(key)

        def modexp(base: int) -> int:
            value = plain(base)
            if core.last is not None:
                spent.append(core.last)
            return value

        results = []
        for number, job in enumerate(jobs, 1):
            results.append(job(modexp))
            done(number, len(jobs))
        return results

    run = run_public if public else run_private
    results, cost = run(choice, key, "", work, silent_bar)
    return results, replace(
        cost,
        setup_cycles=sum(one.setup_cycles for one in spent),
        exp_cycles=sum(one.exp_cycles for one in spent),
        total_cycles=sum(one.total_cycles for one in spent),
    )


def _run_on_farm(
    choice: CoreChoice, key: RsaPublic, jobs: Sequence[Job[_T]], done: Done, cores: int
) -> tuple[list[_T], Cost]:
    with open_farm(choice, key, cores) as farm:
        setup, start = farm.clock, time.perf_counter()
        results = run_on_farm(farm.device, jobs, done)
        seconds, total = time.perf_counter() - start, farm.clock
    names = choice.engine, choice.sequencer
    return results, Cost(setup, total - setup, total, seconds, *names)


def key_for(choice: CoreChoice, key: RsaPrivate) -> RsaPrivate:
    """The key as the core gets it: without its public exponent when it is not to be used."""
    return key if choice.check == "e" else without_e(key)


def _timed(
    choice: CoreChoice,
    opened: _D,
    unit_of: Callable[[_D, CycleProgress | None], _U],
    job: Callable[[_U], _T],
    opened_bar: AbstractContextManager[CycleProgress | None],
) -> tuple[_T, Cost]:
    """What a job returns on the device, which is then closed, and what the job cost."""
    with opened as device, opened_bar as progress:
        unit = unit_of(device, progress)
        start = time.perf_counter()
        value = job(unit)
        seconds = time.perf_counter() - start
    return value, _cost(choice, device, unit.last, seconds)


def _cost(
    choice: CoreChoice, device: Device | RsaDevice, last: ModExpResult | None, seconds: float
) -> Cost:
    built = choice if choice.device in SIMULATED else device
    names = built.engine, built.sequencer
    if last is None:  # refused before it came to an exponentiation
        return Cost(0, 0, 0, seconds, *names)
    return Cost(last.setup_cycles, last.exp_cycles, last.total_cycles, seconds, *names)


def core_text(choice: CoreChoice) -> str:
    """The chosen core for people; hardware is what it was built as, whatever was chosen."""
    named = f"{choice.engine} with {choice.sequencer}, " if choice.device in SIMULATED else ""
    return f"{named}device {choice.device}"


def core_fields(choice: CoreChoice, cost: Cost) -> dict[str, object]:
    """Core and cost for machines; of hardware what it says itself, not what was left unsaid."""
    chosen = asdict(choice)
    if choice.device not in SIMULATED:
        del chosen["params"]
        chosen["rsa"] = None if choice.rsa is None else _asked_of_hardware(choice.rsa)
    return chosen | asdict(cost)


def _asked_of_hardware(rsa: RsaOptions) -> dict[str, int]:
    names = ("derive", "loaded", "public_only", "context")
    return {name: getattr(rsa, name) for name in names}


def print_report(
    line: str, fields: dict[str, object], choice: CoreChoice, cost: Cost, *, as_json: bool
) -> None:
    """Print what was done: one line for people, or one JSON object.

    Args:
        line: The sentence for people; the cost is appended.
        fields: What the JSON object says beside core and cost.
        choice: The core.
        cost: Its cost.
        as_json: Which of the two.
    """
    if as_json:
        print(json.dumps(fields | core_fields(choice, cost)))
    else:
        print(
            f"{line} ({cost.work_cycles:,} cycles of {cost.core}, {cost.seconds:.2f} s on device "
            f"{choice.device})"
        )
