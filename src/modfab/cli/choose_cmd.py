# SPDX-License-Identifier: Apache-2.0
"""`modfab choose`: the measured core for an operation on a device, and what fills the device."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from modfab.build.core import BUS
from modfab.build.farm import FarmCore
from modfab.cli.console import print_table, table_console
from modfab.cli.options import AsJson, finite
from modfab.errors import UsageError
from modfab.flow.store import known_records
from modfab.flow.targets import Target, get_target
from modfab.report.bench import Operation, parse_operation
from modfab.report.choosing import Choice, Limits, Miss, best, candidates, filling, nearest
from modfab.report.compare import ROUTED
from modfab.report.fitting import room_of
from modfab.report.others import Other, openssl_here, published_others

MinRate = Annotated[
    float | None, typer.Option(min=0, callback=finite, help="Operations a second at least.")
]
MaxLatency = Annotated[
    float | None,
    typer.Option(min=0, callback=finite, help="Milliseconds of one operation at most."),
]
NOTHING_FITS = 1
"""Exit code when no measured core keeps the limits."""

_FIT = "The column fit says how many the device holds by area: a device full of cores has no rate "
_NOTE = (
    "A rate is that of what was measured, at its own routed frequency; - is not routed. "
    f"{_FIT}before that farm is routed (--level {FarmCore.kind}{BUS} --rsa cores=N --route)."
)
_UNROUTED_NOTE = "No open router knows this family: there are areas, and no rates."


def choose_command(
    op: Annotated[
        str, typer.Option("--op", help="rsaBITS-sign, -decrypt or -verify, 512 to 4096 bits.")
    ],
    target: Annotated[str, typer.Option(help="Device; `modfab synth --help` lists them.")] = ROUTED,
    max_lut: Annotated[int | None, typer.Option(min=1, help="LUTs at most.")] = None,
    max_mult: Annotated[int | None, typer.Option(min=0, help="Multipliers at most.")] = None,
    min_rate: MinRate = None,
    max_latency: MaxLatency = None,
    fill: Annotated[bool, typer.Option("--fill", help="What fills the device best.")] = False,
    openssl: Annotated[bool, typer.Option(help="Run `openssl speed` as well.")] = True,
    as_json: AsJson = False,
) -> None:
    """Choose among the measured cores: the Pareto-best within limits, with their commands.

    Beside them stand OpenSSL on this machine and published figures of others.

    Example: modfab choose --op rsa2048-sign --target ecp5-85k --max-lut 10000

    Example: modfab choose --op rsa2048-sign --target ecp5-85k --fill --json
    """
    operation, device = parse_operation(op), _device(target, fill)
    limits = Limits(max_lut, max_mult, min_rate, max_latency)
    records = known_records()
    known = candidates(records, operation, device)
    chosen = filling(known, limits) if fill else best(known, limits)
    near = None if chosen else nearest(known, limits, room_of(device) if fill else None)
    others = _others(operation, openssl) if chosen or as_json else []
    if as_json:
        print(json.dumps(_as_data(op, target, chosen, near, others), indent=1))
    elif chosen:
        console = table_console()
        print_table(console, _table(op, device, chosen))
        console.print(_NOTE if device.routable else _UNROUTED_NOTE)
        for choice in chosen:
            console.print(choice.build, soft_wrap=True)
        if others:
            print_table(console, _others_table(others))
    if chosen:
        return
    if not as_json:
        print(_nothing(op, device, near))
    raise typer.Exit(NOTHING_FITS)


def _device(name: str, fill: bool) -> Target:
    target = get_target(name)
    if fill and room_of(target) is None:
        raise UsageError(
            f"{name} is a family of devices, so nothing is known to fill one: leave --fill out, or "
            "see the README's table, which counts the cores that single devices hold."
        )
    return target


def _others(operation: Operation, openssl: bool) -> list[Other]:
    """OpenSSL on this machine where requested and available, then published figures."""
    here = openssl_here(operation) if openssl else "not asked"
    return [*(() if isinstance(here, str) else (here,)), *published_others(operation)]


def _as_data(
    op: str,
    target: str,
    chosen: list[Choice],
    near: tuple[Choice, list[Miss]] | None,
    others: list[Other],
) -> dict[str, object]:
    nearest_one = None
    if near:
        nearest_one = asdict(near[0]) | {"misses": [asdict(miss) for miss in near[1]]}
    return {
        "op": op,
        "target": target,
        "choices": [asdict(choice) for choice in chosen],
        "nearest": nearest_one,
        "others": [asdict(other) | {"latency_ms": other.latency_ms} for other in others],
    }


def _nothing(op: str, target: Target, near: tuple[Choice, list[Miss]] | None) -> str:
    if near is None:
        route = " --route" if target.routable else ""
        return (
            f"No core for {op} was measured on {target.name}; measure one, for example with "
            f"`modfab synth --engine sos --bits {parse_operation(op).num_bits} --level rsa_axil "
            f"--target {target.name}{route}`."
        )
    choice, missed = near
    lines = [f"No measured core for {op} on {target.name} keeps the limits. The nearest is"]
    lines += [f"  {choice.build}", *(f"  {miss.text}" for miss in missed)]
    if not target.routable and any(miss.found is None for miss in missed):
        lines.append(f"  {_UNROUTED_NOTE} Leave --min-rate and --max-latency out.")
    return "\n".join(lines)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _table(op: str, target: Target, chosen: list[Choice]) -> Table:
    title = f"{op} on {target.title}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("engine")
    table.add_column("level")
    lut = f"LUT{target.lut_inputs}"
    heads = ("cores", "per second", "latency, ms", lut, "mult", "RAM", "MHz (seeds)", "fit")
    for head in heads:
        table.add_column(head, justify="right")
    for choice in chosen:
        mhz = f"{choice.mhz:.1f} ({choice.seeds})" if choice.mhz else "-"
        fit = "-" if choice.copies is None else f"{choice.copies} ({choice.ends_first})"
        table.add_row(
            *(choice.engine, choice.level, str(choice.cores), _number(choice.per_second, 0)),
            *(_number(choice.latency_ms, 2), f"{choice.lut:,}", str(choice.multipliers)),
            *(str(choice.block_rams), mhz, fit),
        )
    return table


def _others_table(others: list[Other]) -> Table:
    """What others reach, on their own technology."""
    table = Table(title="Others", title_justify="left", box=None, pad_edge=False)
    for head in ("name", "what", "form"):
        table.add_column(head)
    table.add_column("per second", justify="right")
    table.add_column("source")
    for other in others:
        table.add_row(other.name, other.what, other.form, other.rate_text, other.source)
    return table
