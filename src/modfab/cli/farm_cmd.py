# SPDX-License-Identifier: Apache-2.0
"""`modfab farm`: many RSA operations on a simulated farm of cores, and what the farm gains."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.table import Table

from modfab.build.farm import FARM_NAMES, MAX_CORES, FarmCore, farm_core_of
from modfab.build.rsa import RSA_NAMES, half_of
from modfab.cli.console import print_table, table_console
from modfab.cli.core_run import DEFAULT_ENGINE, DEFAULT_SEQUENCER
from modfab.cli.options import RSA_EXAMPLE, AsJson, EngineName, ParamTexts, parse_params
from modfab.cli.progress import cycle_bar
from modfab.errors import DeviceError, UsageError
from modfab.host.farm_device import FarmDevice
from modfab.host.farm_transport import SimFarmTransport
from modfab.host.keys import RsaPrivate
from modfab.host.rsa_open import prime_bits_of
from modfab.report.bench import MAX_BITS, random_key, random_message

MIN_BITS = 128
SIMULATED_CORES = 4

RsaTexts = Annotated[
    list[str] | None,
    typer.Option(
        "--rsa",
        metavar="NAME=VALUE",
        help=f"Of each core: {', '.join(RSA_NAMES)}; of the farm: {', '.join(FARM_NAMES)}.",
    ),
]


@dataclass(frozen=True, slots=True)
class FarmReport:
    """What a run has shown.

    Attributes:
        cores, jobs: How many.
        operation_cycles: Cycles of one operation in one core, the slowest.
        cycles_per_job: Cycles between two answers, from the first answer of every core on.
        speedup: `operation_cycles / cycles_per_job`: how many cores that never wait do the same.
        jobs_of_core, faults_of_core: What each core's counters say.
    """

    cores: int
    jobs: int
    operation_cycles: int
    cycles_per_job: float
    speedup: float
    jobs_of_core: list[int]
    faults_of_core: list[int]


def farm_command(
    engine: EngineName = DEFAULT_ENGINE,
    cores: Annotated[
        int | None,
        typer.Option(min=1, max=MAX_CORES, help="RSA cores.", show_default=str(SIMULATED_CORES)),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(help="Operations, more than cores; else six for each core."),
    ] = None,
    bits: Annotated[
        int, typer.Option("--bits", min=MIN_BITS, max=MAX_BITS, help="Length of the key.")
    ] = 512,
    public: Annotated[bool, typer.Option("--public", help="Exponent e instead of d.")] = False,
    sequencer: Annotated[
        str, typer.Option("--sequencer", "--seq", help="A constant one.")
    ] = DEFAULT_SEQUENCER,
    engines: Annotated[
        int | None, typer.Option(min=1, max=2, help="Engines of each core.", show_default="1")
    ] = None,
    param: ParamTexts = None,
    rsa: RsaTexts = None,
    as_json: AsJson = False,
) -> None:
    """Decrypt random numbers with a random key on a simulated farm whose queue is kept full.

    Every result is compared with the number it came from.

    Example: modfab farm --engine sos --cores 4 --bits 512

    Example: modfab farm --engine qp_systolic --bits 512 --cores 2 --rsa engines=2 --rsa pair=1
    """
    choices = farm_choices(cores, engines, parse_params(rsa, RSA_EXAMPLE))
    key = random_key(2 * half_of(bits))
    num_bits = 2 * prime_bits_of(key)
    config = farm_core_of(engine, num_bits, parse_params(param), sequencer, choices)
    number = 6 * config.cores if jobs is None else jobs
    if number <= config.cores:
        raise UsageError(
            f"Expected more jobs than cores, so that there is something to measure, but got "
            f"{number} for {config.cores}; choose --jobs {config.cores + 1} or more."
        )
    report = run_farm(config, key, number, public)
    if as_json:
        print(json.dumps({"engine": engine, "sequencer": sequencer, "bits": bits} | asdict(report)))
    else:
        _show(f"{engine} with {sequencer}, RSA-{bits}", report)


def farm_choices(
    cores: int | None, engines: int | None, texts: Mapping[str, int]
) -> dict[str, int]:
    """What `--cores`, `--engines` and `--rsa` say together.

    Raises:
        UsageError: Two of them name the same option.
    """
    given = {"cores": cores, "engines": engines}
    named = {name: value for name, value in given.items() if value is not None}
    twice = sorted(named.keys() & texts.keys())
    if twice:
        name = twice[0]
        relation = "say the same" if named[name] == texts[name] else "contradict"
        raise UsageError(
            f"--{name} and --rsa {name}={texts[name]} {relation}; leave one of them out."
        )
    return {"cores": SIMULATED_CORES, **named, **texts}


def run_farm(config: FarmCore, key: RsaPrivate, number: int, public: bool) -> FarmReport:
    """Compute that many exponentiations of random numbers.

    Raises:
        DeviceError: A result is wrong, or the farm does not answer.
    """
    bases = [random_message(key) for _ in range(number)]
    transport = SimFarmTransport(config)
    with FarmDevice(transport) as device, cycle_bar("jobs") as progress:
        device.load_key(key)
        results = device.run(bases, public, progress)
        report = _report(config, device, transport.cycles)
    back = key.d if public else key.e
    if any(pow(value, back, key.n) != base for value, base in zip(results, bases, strict=True)):
        raise DeviceError("The farm returned a wrong result; this is a bug, please report it.")
    return report


def _report(config: FarmCore, device: FarmDevice, cycles: list[int]) -> FarmReport:
    states = [device.core(index) for index in range(config.cores)]
    operation = max(state.last_cycles for state in states)
    steady = cycles[config.cores - 1 :]
    cycles_per_job = (steady[-1] - steady[0]) / (len(steady) - 1)
    return FarmReport(
        cores=config.cores,
        jobs=len(cycles),
        operation_cycles=operation,
        cycles_per_job=cycles_per_job,
        speedup=operation / cycles_per_job,
        jobs_of_core=[state.jobs for state in states],
        faults_of_core=[state.faults for state in states],
    )


def _show(title: str, report: FarmReport) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("farm", f"{report.cores} cores, {title}")
    table.add_row("jobs", f"{report.jobs}, all right; of each core: {report.jobs_of_core}")
    table.add_row("faults of each core", str(report.faults_of_core))
    table.add_row("cycles of an operation, slowest core", f"{report.operation_cycles:,}")
    table.add_row("cycles between two answers", f"{report.cycles_per_job:,.1f}")
    table.add_row("as many as such cores that never wait", f"{report.speedup:.3f}")
    print_table(table_console(), table)
