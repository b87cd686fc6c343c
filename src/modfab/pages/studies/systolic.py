# SPDX-License-Identifier: Apache-2.0
"""Study of systolic: the best radix."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.pages.table import missing, table
from modfab.report.circuit import mhz_text
from modfab.report.compare import ROUTED
from modfab.report.radix import LEVEL, best, points, radix_svg

RADIX_PLOT = "docs/systolic-radix.svg"


def radix_plot(records: Sequence[Record]) -> str:
    """Text of `RADIX_PLOT`."""
    return radix_svg(points(records))


def radix_block(records: Sequence[Record]) -> str:
    """The radix sweep: area, time of a pair, both multiplied, the best of each group."""
    known = points(records)
    if not known:
        return missing("modfab synth --engine systolic --bits 256 --target xc7")
    least = best(known)
    rows = []
    for p in known:
        group = least.get((p.target, p.num_bits))
        ratio = f"{p.area_time / group.area_time:.2f}" if group else "-"
        clock = f"{p.clock_ns:.2f} ({p.num_seeds or 'logic alone'})"
        rows.append(
            (
                *(LEVEL, p.target, str(p.num_bits), str(p.radix_bits)),
                *(f"{p.area:,}", clock),
                *(f"{p.cycles:,}", f"{p.time_us:.3f}", f"{p.area_time:,.0f}", ratio),
            )
        )
    head = ("level", "target", "bits", "`RadixBits`", "LUT + FF", "ns (seeds)", "cycles", "us")
    answers = [
        f"* **{target}, {num_bits} bits**: radix {1 << p.radix_bits} (`RadixBits` {p.radix_bits}) "
        "has the least area x time of those measured.\n"
        for (target, num_bits), p in least.items()
    ]
    return table((*head, "area x us", "/ best"), rows) + "\n" + "".join(answers)


_WHOLE = "modexp", "r2l"
_EXPONENTIATOR = ", ".join(_WHOLE)
FORMS = {4: 1, 1: 16}
"""Bits of a digit -> bits of an element: the paper's two radices, radix 2 in units as there."""


def widths_block(records: Sequence[Record]) -> str:
    """The routed exponentiator over the width, for the paper's two radices."""
    routed: dict[tuple[int, int], Measurement] = {}
    for found in current(records):
        request = found.synthesis.request
        here = (request.level, request.sequencer, request.target)
        if request.engine == "systolic" and here == (*_WHOLE, ROUTED) and found.mhz is not None:
            radix_bits = request.params["RadixBits"]
            if request.params.get("ElementBits", 1) == FORMS.get(radix_bits):
                routed[request.num_bits, radix_bits] = found
    rows = []
    for num_bits in sorted({width for width, _ in routed}):
        row = [_EXPONENTIATOR, str(num_bits)]
        for radix_bits in FORMS:
            one = routed.get((num_bits, radix_bits))
            area = one.synthesis.area if one else {}
            row += [mhz_text(one)]
            row += [f"{area['lut']:,}" if one else "-", f"{area['ff']:,}" if one else "-"]
        rows.append(tuple(row))
    if not rows:
        command = "modfab synth --engine systolic --bits 160 --level modexp --sequencer r2l"
        return missing(f"{command} --target {ROUTED} --route")
    columns = ("MHz (seeds)", "LUT", "FF")
    head = [f"radix {1 << bits}, {what}" for bits in FORMS for what in columns]
    return table(("level", "bits", *head), rows) + "\n" + "".join(_falls(routed))


def _falls(routed: dict[tuple[int, int], Measurement]) -> list[str]:
    lines = []
    for radix_bits in FORMS:
        line = {width: m.mhz or 0 for (width, radix), m in routed.items() if radix == radix_bits}
        narrow, wide = min(line, default=0), max(line, default=0)
        if narrow < wide:
            fall = line[wide] / line[narrow] - 1
            lines.append(
                f"* **radix {1 << radix_bits}**: {fall:+.0%} from {narrow} to {wide} bits.\n"
            )
    return lines


BLOCKS = {"radix": radix_block, "widths": widths_block}

DRAWINGS = {RADIX_PLOT: radix_plot}
