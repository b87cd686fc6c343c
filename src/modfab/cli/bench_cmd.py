# SPDX-License-Identifier: Apache-2.0
"""`modfab bench`: cycles and operations a second of an RSA operation, beside OpenSSL's here."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

import typer
from rich.table import Table

from modfab.build.core import Core, modexp_core
from modfab.build.rsa import RsaCore
from modfab.cli.console import print_table, table_console
from modfab.cli.core_run import (
    DEFAULT_SEQUENCER,
    PRIVATE_SEQUENCER,
    PUBLIC_SEQUENCER,
    SIMULATED,
    CoreChoice,
    Cost,
    RsaOptions,
    core_fields,
    key_for,
    run_on_core,
    run_private,
)
from modfab.cli.options import AsJson
from modfab.cli.private_core import with_own_key
from modfab.errors import DeviceError, UsageError
from modfab.flow.store import known_records
from modfab.host.choice import halves
from modfab.host.rsa_open import prime_bits_of
from modfab.models.rsa.entry import RsaEntry
from modfab.numbers import whole_words
from modfab.report.bench import (
    OpenSslSpeed,
    Operation,
    openssl_speed,
    parse_operation,
    random_key,
    random_message,
)
from modfab.report.circuit import Frequency, engine_frequency, frequency_of
from modfab.report.compare import ROUTED, command
from modfab.report.published import Ours


@dataclass(frozen=True, slots=True)
class Outcome:
    """One benchmark.

    Attributes:
        operation, choice, cost: What ran, on which core, and what it took.
        config: Of the core.
        frequency: Of this very core after routing; None when it was not routed.
        engine_frequency: Of its engine alone: a bound, not the core's frequency.
        openssl: OpenSSL on this machine, or why there is no answer.
        parts: What the cycles of a simulated RSA core go into.
    """

    operation: Operation
    choice: CoreChoice
    cost: Cost
    core: Core
    frequency: Frequency | None
    engine_frequency: Frequency | None
    openssl: OpenSslSpeed | str
    parts: dict[str, int]

    @property
    def per_s(self) -> float | None:
        """Our operations a second, without the key's set-up; None unless this core was routed."""
        return 1e6 * self.frequency.mhz / self.cost.exp_cycles if self.frequency else None

    @property
    def openssl_per_s(self) -> float | None:
        """OpenSSL's on this machine."""
        if isinstance(self.openssl, str):
            return None
        private = self.operation.is_private
        return self.openssl.private_per_s if private else self.openssl.public_per_s

    @property
    def to_measure(self) -> str | None:
        """The command that routes this very core; None of hardware, whose parameters it hides."""
        if self.choice.device not in SIMULATED:
            return None
        work = "rsa" if self.choice.rsa else "exp"
        return command(Ours(self.core, work, self.core.kind), ROUTED)


@with_own_key
def bench_command(
    choice: CoreChoice,
    op: Annotated[
        str, typer.Option("--op", help="rsaBITS-sign, -decrypt or -verify, 512 to 4096 bits.")
    ] = "rsa2048-sign",
    openssl: Annotated[bool, typer.Option(help="Run `openssl speed` as well.")] = True,
    as_json: AsJson = False,
) -> None:
    """Run one RSA operation with a random key and say what it costs, beside OpenSSL here.

    Sign and decrypt are the private operation on the chosen core; verify is an exponentiation with
    65537 on the exponentiator. Operations a second, without the key's set-up, are shown where this
    very core was routed.

    Example: modfab bench --op rsa1024-sign --engine sos --device model
    """
    outcome = run_bench(parse_operation(op), choice, with_openssl=openssl)
    if as_json:
        print(json.dumps(as_data(outcome)))
    else:
        show(outcome)


def run_bench(operation: Operation, choice: CoreChoice, *, with_openssl: bool) -> Outcome:
    """Run the operation once and collect what it is compared with.

    Raises:
        DeviceError: The core gave a wrong result, or does not answer.
    """
    key = random_key(operation.num_bits)
    message = random_message(key)
    title = f"rsa{operation.num_bits}-{operation.kind}"
    if operation.is_private:
        loaded = key_for(choice, key)
        value, cost = run_private(
            choice, loaded, title, lambda core: core.private_operation(loaded)(message)
        )
        good = pow(value, key.e, key.n) == message
    else:
        choice = _public(choice)
        value, cost = run_on_core(
            choice, key, title, lambda core: core.public_operation(key)(message)
        )
        good = pow(value, key.d, key.n) == message
    if not good:
        raise DeviceError("The core returned a wrong result; this is a bug, please report it.")
    core: Core
    parts = {}
    if choice.rsa is None:
        num_bits = whole_words(key.num_bits)
        core = modexp_core(choice.engine, num_bits, choice.params, choice.sequencer)
    else:
        core = rsa = choice.rsa_core(prime_bits_of(key))
        if choice.device in SIMULATED:  # hardware may be another
            parts = parts_of(rsa, key.e)
    records = known_records() if choice.device in SIMULATED else []
    frequency = frequency_of(records, core, ROUTED)
    alone = engine_frequency(records, core, ROUTED)
    speed = openssl_speed(operation.num_bits) if with_openssl else "not asked"
    return Outcome(operation, choice, cost, core, frequency, alone, speed, parts)


def _public(choice: CoreChoice) -> CoreChoice:
    """The exponentiator that verifies; what was chosen of a core for private keys is refused."""
    usual = None if choice.rsa is None else RsaOptions(*halves(choice.engine, choice.params))
    sequencer = DEFAULT_SEQUENCER if choice.rsa is None else PRIVATE_SEQUENCER
    if (choice.rsa, choice.sequencer, choice.check) != (usual, sequencer, "e"):
        raise UsageError(
            "verify runs on the exponentiator, but options of a core for private keys were given; "
            "leave all but --engine, --device and --param out."
        )
    return replace(choice, sequencer=PUBLIC_SEQUENCER, rsa=None)


def parts_of(core: RsaCore, e: int) -> dict[str, int]:
    """The cycles of a private operation by what they go into."""
    parts = core.programs().parts(RsaEntry.PRIVATE, e)
    return {part.value: cycles for part, cycles in parts.items()}


def as_data(outcome: Outcome) -> dict[str, Any]:
    """A benchmark for machines."""
    speed, alone = outcome.openssl, outcome.engine_frequency
    return {
        "op": f"rsa{outcome.operation.num_bits}-{outcome.operation.kind}",
        **core_fields(outcome.choice, outcome.cost),
        "cycles": outcome.cost.exp_cycles,
        "parts": outcome.parts,
        "setup_cycles": outcome.cost.setup_cycles,
        "seconds": outcome.cost.seconds,
        "target": ROUTED,
        "frequency": asdict(outcome.frequency) if outcome.frequency else None,
        "per_second": outcome.per_s,
        "to_measure": None if outcome.frequency else outcome.to_measure,
        "engine_frequency": asdict(alone) if alone else None,
        "openssl": speed if isinstance(speed, str) else asdict(speed),
        "openssl_per_second": outcome.openssl_per_s,
    }


def _frequency_rows(outcome: Outcome) -> list[tuple[str, str]]:
    """Of this core, or how to measure it and what bounds it."""
    found, alone = outcome.frequency, outcome.engine_frequency
    if found is not None:
        return [(f"frequency on {ROUTED}", found.text)]
    if outcome.to_measure is None:
        return [("frequency", "- (that of the device)")]
    rows = [
        (
            "frequency",
            f"- (this core is not routed on {ROUTED}; `{outcome.to_measure}` measures it)",
        )
    ]
    if alone is not None:
        bound = f"{alone.text}: the engine alone on {ROUTED}, no time of this core"
        rows.append(("upper bound", bound))
    return rows


def show(outcome: Outcome) -> None:
    """Print a benchmark as a table."""
    choice, cost, ours, theirs = outcome.choice, outcome.cost, outcome.per_s, outcome.openssl_per_s
    core = "exponentiator modulo n"
    if choice.device not in SIMULATED:
        core = "as it was built"
    elif choice.rsa is not None:
        blinded = "blinded" if choice.rsa.blinding else "not blinded"
        blinded += ", slot numbers masked" * choice.rsa.address_blinding
        engines = f"{choice.rsa.engines}{', a pair' if choice.rsa.pair else ''}"
        core = f"RSA core, engines: {engines}, {blinded}, check: {choice.check}"
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("operation", f"rsa{outcome.operation.num_bits}-{outcome.operation.kind}")
    table.add_row("core", f"{cost.core}: {core}")
    table.add_row("cycles", f"{cost.exp_cycles:,}")
    for part, cycles in outcome.parts.items():
        table.add_row(f"  {part}", f"{cycles:,}")
    table.add_row("set-up cycles, once for a key", f"{cost.setup_cycles:,}")
    table.add_row("wall time here", f"{cost.seconds:.2f} s on device {choice.device}")
    for label, text in _frequency_rows(outcome):
        table.add_row(label, text)
    table.add_row("operations a second", "-" if ours is None else f"{ours:,.1f}")
    speed = outcome.openssl
    table.add_row(
        "openssl speed, one core here",
        speed if isinstance(speed, str) else f"{theirs:,.1f} a second ({speed.version})",
    )
    if ours and theirs:
        table.add_row("ours by OpenSSL's", f"{ours / theirs:.4f}")
    print_table(table_console(), table)
