# SPDX-License-Identifier: Apache-2.0
"""What the pages of engines, cores and single measurements show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from modfab.build.core import Core, EngineCore, ModexpCore, engine_core, modexp_core
from modfab.build.farm import DEFAULT_CORES, FarmCore, farm_core
from modfab.build.rsa import RsaCore, half_of, rsa_core
from modfab.catalog import ENGINES, SEQUENCERS, Engine
from modfab.errors import UsageError
from modfab.flow.floorplan import floorplan_text
from modfab.flow.targets import get_target
from modfab.pages.web.points import Point
from modfab.report.circuit import seeds_text
from modfab.report.compare import ROUTED, command
from modfab.report.published import Ours

WIDTHS = (256, 512, 1024, 2048, 4096)
_MODEXP_BITS = 1024
RSA_BITS = (1024, 2048, 3072, 4096)

KINDS = {
    ModexpCore.kind: "An engine behind a sequencer: base^exponent mod n, constant in cycles where "
    "the exponent is secret.",
    RsaCore.kind: "RSA by CRT with blinding and a check of the result; it keeps its key.",
    FarmCore.kind: "Several RSA cores behind one job queue.",
}
"""Kind of a core with a page -> what it is."""


def measure_engine(engine: Engine) -> str:
    """The command that routes an engine as it comes."""
    bits = _widest(engine, _MODEXP_BITS)
    return command(Ours(engine_core(engine.name, bits, {}), "mul", EngineCore.kind), ROUTED)


def _widest(engine: Engine, wanted: int) -> int:
    legal = engine.parameter("NumBits").legal
    return wanted if wanted in legal else max(legal)


def engine_cycles(engine: Engine) -> list[tuple[str, ...]]:
    """Cycles at usual widths, with default parameters."""
    rows: list[tuple[str, ...]] = []
    for bits in WIDTHS:
        try:
            known = engine_core(engine.name, bits, {}).cycles()
        except UsageError:
            rows.append((f"{bits:,}", "too wide", "-", "-"))
            continue
        cells = (known.get(name) for name in ("mul", "mul2", "setup"))
        rows.append((f"{bits:,}", *("-" if n is None else f"{n:,}" for n in cells)))
    return rows


def parameters(engine: Engine) -> list[tuple[str, ...]]:
    """Parameters for people."""
    return [(p.name, p.help, p.legal_text, str(p.default), p.unit) for p in engine.parameters]


def _example(kind: str) -> Core:
    half = half_of(2048)
    if kind == ModexpCore.kind:
        return modexp_core("sos", _MODEXP_BITS, {}, "ladder")
    return rsa_core("sos", half) if kind == RsaCore.kind else farm_core("sos", half, DEFAULT_CORES)


def core_page(kind: str) -> dict[str, Any]:
    """Texts and cycles of a core's page."""
    core = _example(kind)
    work = {ModexpCore.kind: "exp", RsaCore.kind: "rsa"}.get(kind, "rsa")
    level = FarmCore.kind + "_axil" if kind == FarmCore.kind else kind
    head, rows, note = _modexp_cycles() if kind == ModexpCore.kind else _rsa_cycles(kind)
    return {
        "kind": kind,
        "text": KINDS[kind],
        "build": f"modfab build --core {kind} --engine sos --bits {core.num_bits} -o my_{kind}",
        "measure": command(Ours(core, work, level), ROUTED),
        "cycles_head": head,
        "cycles": rows,
        "cycles_note": note,
    }


def _modexp_cycles() -> tuple[list[str], list[tuple[str, ...]], str]:
    note = (
        f"Of an exponentiation at {_MODEXP_BITS} bits, every bit of the exponent set, with default "
        "parameters."
    )
    sequencers = [name for name in SEQUENCERS if _alone("sos", name)]
    rows = []
    for name, engine in ENGINES.items():
        bits = _widest(engine, _MODEXP_BITS)
        cores = (modexp_core(name, bits, {}, sequencer) for sequencer in sequencers)
        rows.append((name, *(f"{core.cycles()['exp']:,}" for core in cores)))
    return ["engine", *sequencers], rows, note


def _alone(engine: str, sequencer: str) -> bool:
    """Whether an exponentiator has that sequencer; some are for RSA cores only."""
    try:
        modexp_core(engine, _MODEXP_BITS, {}, sequencer)
    except UsageError:
        return False
    return True


def _rsa_cycles(kind: str) -> tuple[list[str], list[tuple[str, ...]], str]:
    note = "Of a private operation of one core with one engine and sequencer ladder."
    rows = [] if kind == FarmCore.kind else [(n, *_each_width(n)) for n in ENGINES]
    return ["engine", *(f"RSA-{bits}" for bits in RSA_BITS)], rows, note


def _each_width(engine: str) -> list[str]:
    cells = []
    for bits in RSA_BITS:
        try:
            cells.append(f"{rsa_core(engine, half_of(bits)).cycles()['private']:,}")
        except UsageError:
            cells.append("too wide")
    return cells


def record_page(point: Point) -> dict[str, Any]:
    """Everything that is stored of a measurement."""
    first, target = point.found.synthesis, get_target(point.request.target)
    routed = [one for one in point.found.routings if one.mhz is not None]
    slowest = min(routed, key=lambda one: one.mhz or 0.0, default=None)
    return {
        "point": point,
        "target": target.title,
        "figures": _figures(point),
        "runs": [
            (
                *(str(one.request.seed), f"{one.mhz:.1f}" if one.mhz else "-", one.request.router),
                *("locked side by side" if one.request.locked else "free", one.date[:10]),
            )
            for one in routed
        ],
        "critical": str(slowest.path.get("text", "")) if slowest else "",
        "parts_rows": [
            (name, *(str(part.get(n, 0)) for n in ("lut", "ff", "multipliers", "block_rams")))
            for name, part in first.parts.items()
        ],
        "texts": [
            (
                "synthesis" if one.request.seed is None else f"seed {one.request.seed}",
                json.dumps(json.loads(one.to_json()), indent=1),
            )
            for one in point.records
        ],
    }


def _figures(point: Point) -> list[tuple[str, str]]:
    first, found = point.found.synthesis, point.found
    area, target = first.area, get_target(point.request.target)
    params = " ".join(f"{name}={value}" for name, value in point.request.params.items())
    slices = target.slices.estimate(area["lut"], area["ff"])
    rows = [
        ("LUT, FF", f"{area['lut']:,}, {area['ff']:,}"),
        ("multipliers, block RAMs", f"{area['multipliers']}, {area['block_rams']}"),
        (f"{target.slices.name}s, estimate", f"{slices:,}"),
        (f"cycles of one {point.work}", f"{point.cycles:,}"),
    ]
    if point.stream_cycles != point.cycles:
        cycles = f"{point.stream_cycles:,.1f}".removesuffix(".0")
        rows.append(("cycles per operation in a stream", cycles))
    if found.mhz and point.latency_us and point.stream_us:
        rows += [
            ("MHz after routing", f"{found.mhz:.1f}, {_seeds(found.routings)}"),
            (f"time of one {point.work}", f"{point.latency_us:,.2f} us"),
            ("operations a second", f"{1e6 / point.stream_us:,.0f}"),
        ]
    return [
        *rows,
        ("parameters", params),
        (
            "tools",
            ", ".join(f"{k} {v}" for one in point.records[-1:] for k, v in one.tools.items()),
        ),
        ("revision", ", ".join(dict.fromkeys(_revision(one.revision) for one in point.records))),
        ("circuit", first.circuit),
    ]


def _revision(text: str) -> str:
    """Revision for people: one with changes that were not committed cannot be repeated."""
    if text.endswith("+"):
        return f"{text[:-1]} with changes that were not committed"
    return text or "unknown"


def _seeds(routings: Sequence[object]) -> str:
    number = seeds_text(len(routings))
    return number if len(routings) == 1 else f"median of {number}"


def floorplans(point: Point) -> dict[str, tuple[str, str]]:
    """File in the report -> caption and SVG, of the routings placed on this machine."""
    found = {}
    for record in point.found.routings:
        request = record.request
        if text := floorplan_text(record):
            caption = (
                f"{point.name}, {point.core.num_bits} bits, {point.level}, {request.target}, seed "
                f"{request.seed}"
            )
            name = f"floorplan/{point.slug}-{request.seed}.svg"
            found[name] = (caption, text)
    return found
