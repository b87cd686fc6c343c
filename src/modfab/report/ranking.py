# SPDX-License-Identifier: Apache-2.0
"""Every engine beside every other: the same width, the same device, area and time in one number."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from typing import TYPE_CHECKING, Any

from modfab.build.core import modexp_core
from modfab.catalog import ENGINES
from modfab.errors import ToolError
from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import Target, get_target
from modfab.report.circuit import Frequency, frequency_of
from modfab.report.compare import ROUTED, command
from modfab.report.published import Ours

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPONENTIATION = "ladder"
"""Sequencer of the exponentiations: constant in cycles, so one number says it all."""

_SHARED = ("MULT18X18D", "DP16KD")
_MARKERS = "osD^vPX*<>hp"


def weights(target: Target) -> dict[str, Fraction]:
    """What a multiplier and a block RAM count as, in LUT4: as many as the device has for each.

    >>> {name: round(float(w)) for name, w in weights(get_target("ecp5-85k")).items()}
    {'MULT18X18D': 536, 'DP16KD': 402}
    """
    capacity = target.capacity
    return {name: Fraction(capacity["LUT4"], capacity[name]) for name in _SHARED}


def rule_text() -> str:
    """How the area is counted, for people."""
    cost = weights(get_target(ROUTED))
    return (
        f"Area in LUT4: a multiplier counts {float(cost['MULT18X18D']):.0f}, a block RAM "
        f"{float(cost['DP16KD']):.0f}, as many LUT4 as the {ROUTED} has for each. All figures but "
        "those of an exponentiation are of the engine alone (level engine), for products in a "
        "stream. "
        f"An exponentiation is `{EXPONENTIATION}` over as many bits as the modulus has; its time "
        "is shown where that exponentiator itself was routed."
    )


def missing_text(entries: Iterable[Entry]) -> str:
    """How many exponentiators of some entries are not routed, and how to route one; else empty."""
    missing = [e for e in entries if e.exp_frequency is None]
    if not missing:
        return ""
    return f"Exponentiators not routed: {len(missing)}; for example `{missing[-1].to_measure}`."


@dataclass(frozen=True, slots=True)
class Entry:
    """One engine at one width, routed.

    Attributes:
        engine: Name in the catalogue.
        params: Parameters that differ from their defaults, width excluded.
        num_bits: Bits of the modulus.
        lut, multipliers, block_rams: Area, the wrapper's excluded.
        area: In LUT4, multipliers and block RAMs by `weights`.
        mhz: Of the engine alone, median over the seeds.
        num_seeds: How many there are.
        cycles: Per product when products follow each other; half a pair's on two lanes.
        exp_cycles: Of an exponentiation with as many bits as the modulus.
        exp_frequency: Of the exponentiator with this engine; None when it was not routed.
        to_measure: The command that routes the exponentiator.
    """

    engine: str
    params: str
    num_bits: int
    lut: int
    multipliers: int
    block_rams: int
    area: float
    mhz: float
    num_seeds: int
    cycles: float
    exp_cycles: int
    exp_frequency: Frequency | None
    to_measure: str

    @property
    def product_us(self) -> float:
        """Microseconds per product in a stream of products."""
        return self.cycles / self.mhz

    @property
    def exp_ms(self) -> float | None:
        """Milliseconds of an exponentiation, at the exponentiator's own frequency."""
        return self.exp_cycles / self.exp_frequency.mhz / 1000 if self.exp_frequency else None

    @property
    def area_time(self) -> float:
        """LUT4 x microseconds per product: the smaller the better."""
        return self.area * self.product_us

    @property
    def name(self) -> str:
        """The engine with its non-default parameters."""
        return f"{self.engine} ({self.params})" if self.params else self.engine


def exp_text(e: Entry) -> str:
    """Milliseconds of an exponentiation with level and seeds; `-` without a routed one."""
    if e.exp_ms is None or e.exp_frequency is None:
        return "-"
    return f"{e.exp_ms:,.2f} ({e.exp_frequency.level}, {e.exp_frequency.num_seeds})"


def entry(found: Measurement, target: Target, records: Iterable[Record] = ()) -> Entry | None:
    """The figures of a measurement; None when it is not of a routed engine alone.

    Args:
        found: The measurement.
        target: On what.
        records: Every measurement there is, for the exponentiator's frequency.
    """
    record = found.synthesis
    request, mhz = record.request, found.mhz
    if mhz is None or request.level != "engine" or request.engine not in ENGINES:
        return None
    engine = ENGINES[request.engine]
    params = engine.resolve(request.num_bits, request.params)
    pair, product = engine.pair_cycles(params), engine.cycles.mul(params)
    if record.cycles.get("mul", product) != product:
        return None  # an older circuit
    area = record.area
    config = modexp_core(engine.name, request.num_bits, params, EXPONENTIATION)
    ones = (1 << request.num_bits) - 1
    return Entry(
        engine=engine.name,
        params=engine.non_defaults(params),
        num_bits=request.num_bits,
        lut=int(area["lut"]),
        multipliers=int(area["multipliers"]),
        block_rams=int(area["block_rams"]),
        area=weighed(area, target),
        mhz=mhz,
        num_seeds=len(found.routings),
        cycles=product if pair is None else min(product, pair / 2),
        exp_cycles=config.sequencer.exp_cycles(engine, config.params, ones, config.exp_bits),
        exp_frequency=frequency_of(records, config, target.name),
        to_measure=command(Ours(config, "exp", "modexp", ones), target.name),
    )


def weighed(area: Mapping[str, Any], target: Target) -> float:
    """LUT4 of a stored area, with multipliers and block RAMs by `weights`."""
    cost = weights(target)
    shared = cost["MULT18X18D"] * area["multipliers"] + cost["DP16KD"] * area["block_rams"]
    return float(area["lut"] + shared)


def ranking(records: Iterable[Record], num_bits: int | None = None) -> list[Entry]:
    """Every routed engine on `ROUTED`, by width and then by area x time, the best first.

    Args:
        records: Every measurement there is.
        num_bits: Only that width; all when None.
    """
    target = get_target(ROUTED)
    here = [record for record in records if record.request.target == ROUTED]
    found = [entry(measurement, target, here) for measurement in current(here)]
    entries = [e for e in found if e is not None and num_bits in (None, e.num_bits)]
    return sorted(entries, key=lambda e: (e.num_bits, e.area_time))


def plot_svg(entries: list[Entry], title: str) -> str:
    """Area against time per product, both logarithmic: the nearer to the corner the better.

    The same entries give the same bytes.

    Args:
        entries: One marker for each engine, one colour and one Pareto line for each width.
        title: Above the drawing.

    Raises:
        ToolError: matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise ToolError(
            "Plots need matplotlib, which this Python does not have; run the ./modfab launcher, or "
            "`pip install 'modfab[flow]'`."
        )
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "modfab", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(8.5, 5.5), layout="constrained")
        axes = figure.add_subplot()
        _draw_points(axes, entries)
        _draw_pareto_lines(axes, entries)
        axes.set(xscale="log", yscale="log", title=title)
        axes.margins(x=0.1, y=0.06)
        axes.set_xlabel("time per product in a stream, us (engine alone)")
        axes.set_ylabel("area, LUT4 (multipliers and block RAMs weighted)")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.grid(visible=True, linewidth=0.3)
        if entries:
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def pareto(entries: Iterable[Entry]) -> list[Entry]:
    """Those that no other beats in area and time, the fastest first."""
    best: list[Entry] = []
    for e in sorted(entries, key=lambda e: (e.product_us, e.area)):
        if not best or e.area < best[-1].area:
            best.append(e)
    return best


def _colours(entries: Iterable[Entry]) -> dict[int, str]:
    """A colour for each width."""
    return {bits: f"C{n % 10}" for n, bits in enumerate(sorted({e.num_bits for e in entries}))}


def _draw_points(axes: Axes, entries: Sequence[Entry]) -> None:
    """One marker for each engine, one colour for each width."""
    colours = _colours(entries)
    for index, name in enumerate(ENGINES):
        ours = [e for e in entries if e.engine == name]
        marker = _MARKERS[index % len(_MARKERS)]
        for e in ours:
            axes.plot(e.product_us, e.area, marker, color=colours[e.num_bits], markersize=7)
        if ours:
            axes.plot([], [], marker, color="#444", markersize=7, label=name)


def _draw_pareto_lines(axes: Axes, entries: Sequence[Entry]) -> None:
    """A line through the best of each width."""
    for bits, colour in _colours(entries).items():
        line = pareto(e for e in entries if e.num_bits == bits)
        axes.step(
            [e.product_us for e in line],
            [e.area for e in line],
            where="post",
            linewidth=1.2,
            color=colour,
            label=f"{bits} bits, Pareto line",
        )
