# SPDX-License-Identifier: Apache-2.0
"""`modfab synth`: area and frequency of one configuration on one target."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.table import Table

from modfab.build.farm import FARM_NAMES
from modfab.build.named import LEVELS, kind_of
from modfab.build.rsa import RSA_NAMES
from modfab.catalog import get_engine
from modfab.cli.build_cmd import ExpBits
from modfab.cli.console import print_table, table_console
from modfab.cli.design import design_of, sequencer_of
from modfab.cli.options import (
    MAX_SEEDS,
    RSA_EXAMPLE,
    AsJson,
    EngineName,
    NumBits,
    ParamTexts,
    finite,
    finite_or_endless,
    parse_params,
    refuse_elsewhere,
)
from modfab.cli.progress import tell
from modfab.flow.measure import Options, measure
from modfab.flow.record import (
    DEFAULT_PIECE_BITS,
    DEFAULT_ROUTER,
    DEFAULT_TIMING_WEIGHT,
    DEFAULT_WIRE_PS,
)
from modfab.flow.route import DEFAULT_FREQ_MHZ
from modfab.flow.stored import Measurement
from modfab.flow.targets import TARGETS, get_target
from modfab.report.circuit import time_us

TargetName = Annotated[str, typer.Option("--target", help="One of " + ", ".join(TARGETS) + ".")]


LevelName = Annotated[
    str, typer.Option(help=f"{', '.join(LEVELS)}; from rsa on --bits are those of n = p q.")
]


RsaTexts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help=f"Levels rsa..: {', '.join(RSA_NAMES)}; level farm_axil also {', '.join(FARM_NAMES)}.",
    ),
]


SequencerName = Annotated[
    str | None,
    typer.Option("--sequencer", "--seq", help="Sequencer; ladder. An engine alone has none."),
]


Seeds = Annotated[
    int | None, typer.Option(min=1, max=MAX_SEEDS, help="With --route: seeds 1 to K; 1.")
]


Freq = Annotated[
    float | None,
    typer.Option(
        min=1,
        callback=finite,
        help="With --route: MHz that the router is asked for.",
        show_default=f"{DEFAULT_FREQ_MHZ:g}",
    ),
]


RouterName = Annotated[
    str | None,
    typer.Option(
        "--router",
        help="With --route: nextpnr's router; router2 ends sooner on crowded designs, "
        "router1-ripup takes longer than router1 for some per cent more.",
        show_default=DEFAULT_ROUTER,
    ),
]


Limit = Annotated[
    float,
    typer.Option(
        min=0.1, callback=finite_or_endless, help="Minutes for one tool run; inf for no limit."
    ),
]


NoEnables = Annotated[
    bool | None,
    typer.Option(
        "--no-enables/--enables",
        help="Map without clock enables (ecp5); default: what is faster for the engine.",
        show_default=False,
    ),
]


MinSet = Annotated[
    int,
    typer.Option(
        "--min-set",
        min=0,
        help="Map clock enables and resets of fewer flip-flops to LUTs (ecp5): places sooner.",
    ),
]


LutMultipliers = Annotated[
    bool,
    typer.Option(
        "--lut-multipliers",
        help="Build multipliers that are not the engine's array from LUTs (ecp5).",
    ),
]


PieceBits = Annotated[
    int,
    typer.Option(
        "--piece-bits",
        min=8,
        max=128,
        help="Cut adders of more than 300 bits into such pieces (ecp5): fewer are routed sooner.",
    ),
]


WireDelay = Annotated[
    int,
    typer.Option(
        "--wire-delay",
        min=1,
        max=5000,
        help="Picoseconds of a wire that the mapping to LUTs reckons with (ecp5); try 800 for a "
        "core that fills its device: fewer LUTs one behind the other, a few more in all.",
    ),
]


TimingWeight = Annotated[
    int | None,
    typer.Option(
        "--timing-weight",
        min=1,
        max=1000,
        help="With --route: the placer's weight of timing against wire length; try 60 where paths "
        "are all wire.",
        show_default=f"{DEFAULT_TIMING_WEIGHT}",
    ),
]


Parts = Annotated[bool, typer.Option("--parts", help="Also what each part of the engine costs.")]


Lock = Annotated[
    bool | None,
    typer.Option(
        "--lock/--no-lock",
        help="Lock multipliers and block RAMs side by side (with --route): an engine's array, or "
        "all of an RSA core, in the device's middle; default: what is faster.",
        show_default=False,
    ),
]


def rows_of(result: Measurement) -> list[tuple[str, str]]:
    """What `modfab synth` shows of a measurement, as label and text."""
    record, target = result.synthesis, get_target(result.synthesis.request.target)
    area, request = record.area, record.request
    params = " ".join(f"{name}={value}" for name, value in request.params.items())
    if request.rsa:
        contexts = ", a pair" if request.rsa.get("pair") else ""
        engines = f"{request.sequencer}, engines {request.rsa['engines']}{contexts}"
        params += "; public operations only" if request.public_only else f"; {engines}"
    if request.lut_multipliers:
        params += "; multipliers outside of the array from LUTs"
    if request.piece_bits != DEFAULT_PIECE_BITS:
        params += f"; long adders in pieces of {request.piece_bits} bits"
    if request.wire_ps != DEFAULT_WIRE_PS:
        params += f"; mapped for wires of {request.wire_ps} ps"
    slices = target.slices.estimate(area["lut"], area["ff"])
    sizes = ", ".join(f"{n} {name}" for name, n in area["cells"].items() if name.startswith("LUT"))
    rows = [
        ("design", f"{request.engine}, level {request.level}: {params}"),
        ("target", target.title),
        ("LUT", f"{area['lut']} ({sizes}; {area['lut_memory']} as memory)"),
        ("FF", str(area["ff"])),
        ("carry cells", str(area["carry"])),
        ("multipliers, block RAMs", f"{area['multipliers']}, {area['block_rams']}"),
        (f"{target.slices.name}s, estimate", f"{slices}; {target.slices.text}"),
        (
            "not counted: wrapper",
            f"{record.wrapper['lut']} LUT, {record.wrapper['ff']} FF",
        ),
        ("cycles", ", ".join(f"{name} {n}" for name, n in record.cycles.items())),
    ]
    if "logic_ns" in record.path and not result.routings:
        logic = f"{record.path['logic_ns']:.2f} ns in LUTs and carry cells, without routing"
        rows.append(("longest logic path", logic))
    for name, part in record.parts.items():
        rows.append((f"part {name}", _part_text(part)))
    return rows + _routed_rows(result)


def _part_text(part: dict[str, int]) -> str:
    memory = f" ({part['lut_memory']} as memory)" if part["lut_memory"] else ""
    more = "".join(
        f", {part[key]} {key.replace('_', ' ')}"
        for key in ("multipliers", "block_rams")
        if part[key]
    )
    return f"{part['lut']} LUT{memory}, {part['ff']} FF{more}"


def _routed_rows(result: Measurement) -> list[tuple[str, str]]:
    if not result.routings or result.mhz is None:
        return []
    headline, slowest = result.headline, min(result.routings, key=lambda r: r.mhz or 0.0)
    each = ", ".join(f"seed {r.request.seed}: {r.mhz:.1f}" for r in result.routings)
    works = ((name, time_us(result, name)) for name in headline.cycles)
    times = ", ".join(f"{name} {time:.2f}" for name, time in works if time is not None)
    product = f"{headline.area_time:.0f}" if time_us(result, "mul") else "- (level engine only)"
    locked = ", multipliers and block RAMs locked side by side" if slowest.request.locked else ""
    used = ", ".join(f"{n} {name}" for name, n in slowest.used.items() if "IO" not in name)
    return [
        ("MHz after routing", f"{result.mhz:.1f} (median of {each}){locked}"),
        ("time in us", times),
        ("(LUT + FF) x us per product", product),
        ("on the device, with wrapper", used),
        (f"critical path, seed {slowest.request.seed}", str(slowest.path["text"])),
    ]


def show(result: Measurement) -> None:
    """Print a measurement as a table."""
    table = Table(show_header=False, box=None, pad_edge=False)
    for label, text in rows_of(result):
        table.add_row(label, text)
    print_table(table_console(), table)


def print_json(result: Measurement) -> None:
    """Print a measurement's records as a list: the synthesis, then each seed's routing."""
    records = (result.synthesis, *result.routings)
    print(json.dumps([json.loads(record.to_json()) for record in records], indent=1))


@dataclass(frozen=True, slots=True)
class _Placing:
    """What was asked of place and route; None where nothing was said."""

    seeds: int | None
    freq: float | None
    router: str | None
    weight: int | None
    lock: bool | None

    def checked(self, routed: bool) -> tuple[tuple[int, ...], float, str, int]:
        """Seeds, frequency, router and weight, with the usual values for what was not said.

        Raises:
            UsageError: There is no place and route that these could be for.
        """
        given = {
            "--seeds": self.seeds,
            "--freq": self.freq,
            "--router": self.router,
            "--timing-weight": self.weight,
            "--no-lock" if self.lock is False else "--lock": self.lock,
        }
        if not routed:
            where = "place and route, but --route was not given; give it too, or leave it out"
            refuse_elsewhere(given, where)
        return (
            tuple(range(1, (self.seeds or 1) + 1)) if routed else (),
            self.freq or DEFAULT_FREQ_MHZ,
            DEFAULT_ROUTER if self.router is None else self.router,
            self.weight or DEFAULT_TIMING_WEIGHT,
        )


def run_synth(
    engine: EngineName,
    bits: NumBits,
    target: TargetName,
    param: ParamTexts = None,
    level: LevelName = "engine",
    sequencer: SequencerName = None,
    rsa: RsaTexts = None,
    exp_bits: ExpBits = None,
    do_route: Annotated[bool, typer.Option("--route", help="Place and route too.")] = False,
    seeds: Seeds = None,
    freq: Freq = None,
    router: RouterName = None,
    timing_weight: TimingWeight = None,
    no_enables: NoEnables = None,
    min_set: MinSet = 0,
    lut_multipliers: LutMultipliers = False,
    piece_bits: PieceBits = DEFAULT_PIECE_BITS,
    wire_ps: WireDelay = DEFAULT_WIRE_PS,
    lock: Lock = None,
    force: Annotated[bool, typer.Option("--force", help="Measure even what is stored.")] = False,
    parts: Parts = False,
    limit: Limit = 60.0,
    as_json: AsJson = False,
) -> None:
    """Measure area and, with --route, frequency of one configuration.

    Every run is stored; the same request is answered from the store. --json prints a list: the
    synthesis, then each seed's routing. A digit that is not given is
    as wide as one multiplier of the target takes: 17 bits for qp_systolic on Xilinx families.

    Example: modfab synth --engine bit_serial --bits 256 --target ecp5-85k --route --seeds 3
    """
    params = get_engine(engine).on_target(get_target(target).mul_bits, parse_params(param))
    choices = parse_params(rsa, RSA_EXAMPLE)
    walked = sequencer_of(sequencer, kind_of(level), choices)
    design = design_of(engine, bits, (params, choices), level, walked, exp_bits)
    asked = _Placing(seeds, freq, router, timing_weight, lock)
    numbers, mhz, named, weight = asked.checked(do_route)
    mapping = no_enables, min_set, lut_multipliers, piece_bits, wire_ps
    options = Options(numbers, mhz, named, weight, *mapping, lock, force, limit * 60, parts)
    result = measure(design, target, options, progress=tell)
    (print_json if as_json else show)(result)
