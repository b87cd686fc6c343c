# SPDX-License-Identifier: Apache-2.0
"""Which radix of the systolic array has the least area x time, from the stored measurements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO

from modfab.catalog import Params, get_engine
from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import get_target

ENGINE = "systolic"
LEVEL = "engine"
"""What is compared: the array and its sequencer, without a core that has paths of its own."""

WIDTHS = (256, 512, 1024)
TARGETS = ("ecp5-85k", "xc7")


@dataclass(frozen=True, slots=True)
class Point:
    """One radix at one width on one target.

    Attributes:
        radix_bits, num_bits, target: Which.
        area: LUT + flip-flops.
        clock_ns: After routing on ecp5; on xc7, where nothing routes, the longest path through
            LUTs and carry cells.
        num_seeds: Of how many routings `clock_ns` is; 0 where it is of logic alone.
        cycles: Of a pair, the square and the product that [BLUM01] computes side by side.
    """

    radix_bits: int
    num_bits: int
    target: str
    area: int
    clock_ns: float
    num_seeds: int
    cycles: int

    @property
    def time_us(self) -> float:
        """A pair."""
        return self.cycles * self.clock_ns / 1e3

    @property
    def area_time(self) -> float:
        """(LUT + FF) x us of a pair."""
        return self.area * self.time_us


def _point(found: Measurement) -> Point | None:
    record = found.headline
    request = record.request
    if found.mhz is not None:
        clock_ns = 1000 / found.mhz
    elif "logic_ns" in record.path and not get_target(request.target).routable:
        clock_ns = float(record.path["logic_ns"])
    else:
        return None
    return Point(
        radix_bits=request.params["RadixBits"],
        num_bits=request.num_bits,
        target=request.target,
        area=int(record.area["lut"]) + int(record.area["ff"]),
        clock_ns=clock_ns,
        num_seeds=len(found.routings),
        cycles=record.cycles["mul2"],
    )


def _is_usual(params: Params) -> bool:
    """Whether only the radix is not the default."""
    others = {name: value for name, value in params.items() if name != "RadixBits"}
    return not get_engine(ENGINE).non_defaults(others)


def points(records: Iterable[Record]) -> list[Point]:
    """What is measured of the sweep, by target, width and radix."""
    found = []
    for measured in current(records):
        request = measured.synthesis.request
        if (
            (request.engine, request.level) == (ENGINE, LEVEL)
            and _is_usual(request.params)
            and request.num_bits in WIDTHS
            and request.target in TARGETS
        ):
            point = _point(measured)
            found += [point] if point else []
    return sorted(found, key=lambda p: (TARGETS.index(p.target), p.num_bits, p.radix_bits))


def best(known: Iterable[Point]) -> dict[tuple[str, int], Point]:
    """The point with the least area x time for each target and width that has two or more."""
    groups: dict[tuple[str, int], list[Point]] = {}
    for point in known:
        groups.setdefault((point.target, point.num_bits), []).append(point)
    return {
        key: min(group, key=lambda p: p.area_time) for key, group in groups.items() if group[1:]
    }


def radix_svg(known: list[Point]) -> str:
    """Area x time over the radix, each target and width by its smallest value.

    The same points give the same bytes.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "modfab", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(6.0, 3.6), layout="constrained")
        axes = figure.add_subplot()
        for index, (target, num_bits) in enumerate(best(known)):
            line = [p for p in known if (p.target, p.num_bits) == (target, num_bits)]
            least = min(p.area_time for p in line)
            axes.plot(
                [p.radix_bits for p in line],
                [p.area_time / least for p in line],
                marker="os^D"[index % 4],
                label=f"{target}, {num_bits} bits",
            )
        axes.set_xlabel("bits of a digit, RadixBits")
        axes.set_ylabel("area x time, the best = 1")
        axes.set_xticks(range(1, 7))
        axes.grid(visible=True, linewidth=0.3)
        if axes.lines:
            axes.legend()
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()
