# SPDX-License-Identifier: Apache-2.0
"""Blocks of the pages that are made from the catalogue and the committed measurements.

`python -m modfab.pages.readme` fills every block between `<!-- generated:NAME -->` and
`<!-- /generated -->` of the pages in `PAGES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from modfab.build.named import LEVELS
from modfab.build.rsa import RsaCore, half_of, rsa_core
from modfab.catalog import ENGINES, Engine
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.store import newest, read_folder
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import TARGETS
from modfab.pages import assessed, beside, devices, speeds, studies, widths
from modfab.pages.cells import circuit_text, rsa_cells
from modfab.pages.run import run
from modfab.pages.table import table
from modfab.paths import checkout_dir
from modfab.report.choosing import is_blinded
from modfab.report.circuit import core_of_today, mhz_text, time_us
from modfab.report.compare import ROUTED, command
from modfab.report.published import Ours
from modfab.report.ranking import exp_text, missing_text, plot_svg, ranking, rule_text

_BLOCK = re.compile(r"(<!-- generated:(\w+) -->\n).*?(<!-- /generated -->)", re.DOTALL)


ENGINE_BITS = 1024
"""Width at which the README shows the engines beside each other."""


def engines_block(records: Sequence[Record]) -> str:
    """The engines at `ENGINE_BITS`: idea, multipliers, cycles, frequency, what each is best for."""
    measured = {
        found.synthesis.request.engine: found
        for found in _current(records)
        if (found.synthesis.request.level, found.synthesis.request.target) == ("engine", ROUTED)
        and found.synthesis.request.num_bits == ENGINE_BITS
        and not _non_defaults(found.synthesis)
    }
    rows = []
    for name, engine in ENGINES.items():
        found = measured.get(name)
        multipliers = str(found.synthesis.area["multipliers"]) if found else "-"
        row = f"[`{name}`](rtl/mul/{name}/README.md)", engine.title, multipliers
        rows.append((*row, _product_text(engine), mhz_text(found), engine.take_when))
    return table(("engine", "idea", "multipliers", "cycles", "MHz (seeds)", "take it when"), rows)


def _product_text(engine: Engine) -> str:
    """Cycles of a product at `ENGINE_BITS`, of two at once where the engine has two lanes."""
    params = engine.resolve(ENGINE_BITS)
    pair, square = engine.pair_cycles(params), engine.cycles.square
    short = f", a square {square(params):,}" if square else ""
    return f"{engine.cycles.mul(params):,}{short}" if pair is None else f"{pair:,} for two"


def formulas_block(records: Sequence[Record]) -> str:
    """The engines: paper, cycles of a product."""
    del records
    rows = [
        (f"[`{name}`](../rtl/mul/{name}/README.md)", engine.paper, engine.cycles.text)
        for name, engine in ENGINES.items()
    ]
    return table(("engine", "from", "cycles of a product"), rows)


def _non_defaults(record: Record) -> str:
    return ENGINES[record.request.engine].non_defaults(record.request.params)


def _row(found: Measurement) -> tuple[str, ...]:
    record, request = found.headline, found.synthesis.request
    area, title = record.area, ENGINES[request.engine].name_with(record.request.params)
    work = "private" if request.rsa else "mul" if request.level == "engine" else "exp"
    if request.public_only:
        work = "public"
    work_us = time_us(found, work)
    return (
        *(title, circuit_text(request), str(request.modulus_bits)),
        request.target,
        *(str(area["lut"]), str(area["ff"]), str(area["multipliers"]), str(area["block_rams"])),
        *(f"{record.cycles[work]:,}", mhz_text(found)),
        *("-" if work_us is None else f"{work_us:,.2f}", found.date[:10]),
    )


def _current(records: Sequence[Record]) -> list[Measurement]:
    """What is measured, engines alone before cores, in the order of the catalogue."""
    names, targets, levels = list(ENGINES), list(TARGETS), list(LEVELS)

    def order(found: Measurement) -> tuple[object, ...]:
        request = found.synthesis.request
        place = levels.index(request.level), names.index(request.engine), request.num_bits
        form = request.sequencer, _non_defaults(found.synthesis)
        return (*place, *form, targets.index(request.target))

    known = [m for m in current(records) if m.synthesis.request.engine in ENGINES]
    return sorted(known, key=order)


_HEAD = (
    *("engine", "level", "bits", "target", "LUT", "FF", "multipliers", "RAMs", "cycles"),
    *("MHz (seeds)", "us", "date"),
)
_NOTHING = "Nothing is measured yet; `./modfab synth` does it.\n"


def measured_block(records: Sequence[Record]) -> str:
    """Everything that was measured; MHz is the median, with the number of seeds."""
    rows = [_row(found) for found in _current(records)]
    return table(_HEAD, rows) if rows else _NOTHING


def headline_block(records: Sequence[Record]) -> str:
    """Engines alone as they come, routed: no parameter but the width was chosen."""
    rows = [
        _row(found)
        for found in _current(records)
        if found.routings
        and found.synthesis.request.level == "engine"
        and not _non_defaults(found.synthesis)
    ]
    return table(_HEAD, rows) if rows else _NOTHING


PLOT = "docs/engines.svg"
"""Drawing of every routed engine, made beside the page."""


def plot(records: Sequence[Record]) -> str:
    """Text of `PLOT`."""
    return plot_svg(ranking(records), f"modfab engines alone on {TARGETS[ROUTED].title}")


def ranking_block(records: Sequence[Record]) -> str:
    """The engines beside each other at each width where two of them were routed."""
    entries = ranking(records)
    widths = [e.num_bits for e in entries]
    shown = [e for e in entries if widths.count(e.num_bits) > 1]
    if not shown:
        return _NOTHING
    has_exp = any(e.exp_frequency for e in shown)
    rows = [
        (
            *("engine", str(e.num_bits), e.name, f"{e.area:,.0f}", f"{e.mhz:.1f} ({e.num_seeds})"),
            *(f"{e.product_us:.3f}", f"{e.area_time:,.0f}"),
            *((exp_text(e),) if has_exp else ()),
        )
        for e in shown
    ]
    head = ("level", "bits", "engine", "area", "MHz (seeds)", "us per product", "area x us")
    more = ("ms per exponentiation (level, seeds)",) if has_exp else ()
    note = " ".join(text for text in (rule_text(), missing_text(shown)) if text)
    return table((*head, *more), rows) + f"\n{note}\n"


RSA_BITS = (1024, 2048, 3072, 4096)


RSA_BEST: dict[str, tuple[dict[str, int], bool]] = {
    "`qp_systolic`, dual-port engine, `window`": ({}, True),
    "`qp_systolic`, two arrays of 4 elements, `window`": ({"Contexts": 1, "NumElements": 4}, False),
}
"""Forms of the RSA core with an engine for each half: parameters, and whether they are a pair."""

Build = Callable[[int], RsaCore]
"""Bits of a prime -> core."""


def _one_engine(name: str) -> Build:
    return lambda half_bits: rsa_core(name, half_bits)


def _two_engines(params: dict[str, int], pair: bool) -> Build:
    def build(half_bits: int) -> RsaCore:
        return rsa_core("qp_systolic", half_bits, params, sequencer="window", engines=2, pair=pair)

    return build


def _rsa_cell(build: Build, num_bits: int) -> str:
    try:
        config = build(half_of(num_bits))
    except UsageError:
        return "too wide"
    return f"{config.cycles()['private']:,}"


def rsa_block(records: Sequence[Record]) -> str:
    """Cycles of a private operation over every engine, and over two; formulas, no times."""
    del records
    builds = {f"`{name}`": _one_engine(name) for name in ENGINES}
    builds |= {title: _two_engines(*choice) for title, choice in RSA_BEST.items()}
    rows = [
        (title, *(_rsa_cell(build, num_bits) for num_bits in RSA_BITS))
        for title, build in builds.items()
    ]
    return table(("engine", *(f"RSA-{num_bits}" for num_bits in RSA_BITS)), rows)


def _rsa_core_row(found: Measurement) -> tuple[str, ...]:
    record, request = found.synthesis, found.synthesis.request
    work = "public" if request.public_only else "private"
    area, work_us = record.area, time_us(found, work)
    return (
        *rsa_cells(request),
        *(f"{area[name]:,}" for name in ("lut", "multipliers", "block_rams")),
        *(f"{record.cycles[work]:,}", mhz_text(found)),
        "-" if work_us is None else f"{work_us / 1000:,.2f}",
    )


_RSA_HEAD = (
    *("engine", "core", "level", "target", "RSA", "LUT", "multipliers", "RAMs", "cycles"),
    *("MHz (seeds)", "ms"),
)


def _rsa_measurements(records: Sequence[Record]) -> list[Measurement]:
    """RSA cores and farms of today on devices with an open router."""
    return [
        found
        for found in _current(records)
        if found.synthesis.request.rsa
        and TARGETS[found.synthesis.request.target].routable
        and core_of_today(found)
    ]


def rsa_measured_block(records: Sequence[Record]) -> str:
    """RSA cores as measured: a time is there only where that very core was routed."""
    title, words = _best_command()
    text = (
        f"An RSA core has a time only where that core itself was routed; `-` is not routed. For "
        f"RSA-2048 with {title}, `{words}` measures it.\n"
    )
    rows = [_rsa_core_row(found) for found in _rsa_measurements(records)]
    return (table(_RSA_HEAD, rows) + "\n" if rows else "") + text


def _best_core() -> RsaCore:
    """The RSA-2048 core that commands use unless told otherwise."""
    params, pair = next(iter(RSA_BEST.values()))
    return _two_engines(params, pair)(half_of(2048))


def _best_command() -> tuple[str, str]:
    """Name of `_best_core`, and the command that routes it."""
    return next(iter(RSA_BEST)), command(Ours(_best_core(), "rsa", "rsa_axil"), ROUTED)


def rsa_cores_block(records: Sequence[Record]) -> str:
    """RSA cores that blind and were routed; the default one in any case, and how to route it."""
    routed = [
        found
        for found in _rsa_measurements(records)
        if found.mhz and is_blinded(found.synthesis.request)
    ]
    rows = [_rsa_core_row(found) for found in routed]
    best = _best_core().choices()
    if any(found.synthesis.request.rsa == best for found in routed):
        return table(_RSA_HEAD, rows)
    title, words = _best_command()
    cycles = f"{_best_core().cycles()['private']:,}"
    rows.append((title, "default", "rsa_axil, window", ROUTED, "2048", *"---", cycles, "-", "-"))
    return table(_RSA_HEAD, rows) + f"\nThe default core is not routed: `{words}`.\n"


BLOCKS: dict[str, Callable[[Sequence[Record]], str]] = {
    "engines": engines_block,
    "headline": headline_block,
    "formulas": formulas_block,
    "measured": measured_block,
    "ranking": ranking_block,
    "rsa": rsa_block,
    "rsa_cores": rsa_cores_block,
    "rsa_measured": rsa_measured_block,
    **devices.BLOCKS,
    **speeds.BLOCKS,
    **widths.BLOCKS,
    **studies.BLOCKS,
    **beside.BLOCKS,
    **assessed.BLOCKS,
}


def filled(text: str, records: Sequence[Record]) -> str:
    """A page with its generated blocks made anew.

    Raises:
        UsageError: A block has a name that is not in `BLOCKS`.
    """

    def fill(found: re.Match[str]) -> str:
        if found[2] not in BLOCKS:
            raise UsageError(
                f"There is no generated block {found[2]!r}; the page may use {', '.join(BLOCKS)}."
            )
        return found[1] + BLOCKS[found[2]](records) + found[3]

    return _BLOCK.sub(fill, text)


PAGES = (
    "README.md",
    "docs/measured.md",
    "docs/choosing.md",
    *studies.PAGES,
    *beside.PAGES,
    *assessed.PAGES,
    *speeds.PAGES,
)


def generated_files(root: Path) -> dict[str, str]:
    """Text of every page and drawing, by its path from the root of the checkout."""
    stored = newest(read_folder(root / "results"))
    pages = {name: filled((root / name).read_text(), stored) for name in PAGES}
    drawings = {name: make(stored) for name, make in studies.DRAWINGS.items()}
    return pages | {PLOT: plot(stored)} | drawings


def checkout() -> Path:
    """Root of this checkout.

    Raises:
        UsageError: modfab was installed as a package.
    """
    root = checkout_dir()
    if root is None:
        raise UsageError(
            "The README is generated in a checkout, and this modfab was installed as a package; "
            "clone the repository and run the command there."
        )
    return root


def write() -> Sequence[Path]:
    """Write every page and drawing that is not current."""
    stale = []
    for name, text in generated_files(checkout()).items():
        path = checkout() / name
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
            stale.append(path)
    return stale


if __name__ == "__main__":
    run("modfab.pages.readme", "Fill the generated blocks of every page anew.", write)
