# SPDX-License-Identifier: Apache-2.0
"""Generated blocks of the engines' own pages: each answers the question that its engine raises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from modfab.catalog import get_engine
from modfab.flow.record import Record, Request
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import get_target
from modfab.models.mul_qp_systolic import Shape
from modfab.models.mul_qp_systolic_fold import FoldedShape
from modfab.pages.table import table
from modfab.report.circuit import mhz_text, seeds_text, time_us
from modfab.report.compare import ROUTED
from modfab.report.fitting import SMALL_DEVICES, cores_of, fitting
from modfab.report.goals import DIGIT, ENGINE, FOLDINGS, even_weights, goals
from modfab.report.radix import LEVEL, SEQUENCER, best, points, radix_svg
from modfab.report.ranking import Entry
from modfab.report.ranking import entry as ranked
from modfab.report.redundancy import Gain, gains, pipelined, published_gain, scaling

_MISSING = "Not measured yet: `{}`.\n"


# ---- sos: the smallest RSA core ----
SMALL_BITS = 2048


def small_core_block(records: Sequence[Record]) -> str:
    """The complete AXI4-Lite core with `sos`: cycles, area, and how many a small device holds."""
    known = cores_of(records, "sos", SMALL_BITS)
    if not known:
        command = f"modfab synth --engine sos --bits {SMALL_BITS} --level axil --target ecp5-25k"
        return _MISSING.format(command)
    rows = []
    for found in known:
        record, area = found.headline, found.synthesis.area
        exp_us = time_us(found, "exp")
        fits = [fitting(area, capacity) for capacity in SMALL_DEVICES.values()]
        rows.append(
            (
                *(record.request.level, record.request.sequencer, f"{record.cycles['exp']:,}"),
                *(f"{area['lut']:,}", f"{area['ff']:,}"),
                *(str(area["multipliers"]), str(area["block_rams"]), mhz_text(found)),
                "-" if exp_us is None else f"{exp_us / 1000:,.0f}",
                *(f"{count} ({what})" for count, what in fits),
            )
        )
    head = ("level", "sequencer", "cycles", "LUT4", "FF", "multipliers", "RAMs", "MHz (seeds)")
    return table((*head, "ms", *SMALL_DEVICES), rows)


# ---- systolic: the best radix ----
RADIX_PLOT = "rtl/mul/systolic/radix.svg"


def radix_plot(records: Sequence[Record]) -> str:
    """Text of `RADIX_PLOT`."""
    return radix_svg(points(records))


def radix_block(records: Sequence[Record]) -> str:
    """The radix sweep: area, time, both multiplied, and the best for each device and width."""
    known = points(records)
    if not known:
        command = "modfab synth --engine systolic --bits 256 --level modexp --sequencer r2l"
        return _MISSING.format(f"{command} --target xc7")
    least = best(known)
    rows = []
    for p in known:
        group = least.get((p.target, p.num_bits))
        ratio = f"{p.area_time / group.area_time:.2f}" if group else "-"
        clock = f"{p.clock_ns:.2f} ({p.num_seeds or 'logic alone'})"
        rows.append(
            (
                *(_EXPONENTIATOR, p.target, str(p.num_bits), str(p.radix_bits)),
                *(f"{p.area:,}", clock),
                *(f"{p.cycles:,}", f"{p.time_ms:.3f}", f"{p.area_time:,.0f}", ratio),
            )
        )
    head = ("level", "target", "bits", "`RadixBits`", "LUT + FF", "ns (seeds)", "cycles", "ms")
    answers = [
        f"* **{target}, {num_bits} bits**: radix {1 << p.radix_bits} (`RadixBits` {p.radix_bits}) "
        "has the least area x time of those measured.\n"
        for (target, num_bits), p in least.items()
    ]
    return table((*head, "area x ms", "/ best"), rows) + "\n" + "".join(answers)


_EXPONENTIATOR = f"{LEVEL}, {SEQUENCER}"
WIDTH_RADICES = (4, 1)


def widths_block(records: Sequence[Record]) -> str:
    """The routed exponentiator over the width, for the paper's two radices."""
    routed: dict[tuple[int, int], Measurement] = {}
    for found in current(records):
        request = found.synthesis.request
        here = (request.engine, request.level, request.sequencer, request.target)
        if here == ("systolic", LEVEL, SEQUENCER, ROUTED) and found.mhz is not None:
            routed[request.num_bits, request.params["RadixBits"]] = found
    rows = []
    for num_bits in sorted({width for width, radix in routed if radix in WIDTH_RADICES}):
        row = [_EXPONENTIATOR, str(num_bits)]
        for radix_bits in WIDTH_RADICES:
            one = routed.get((num_bits, radix_bits))
            area = one.synthesis.area if one else {}
            row += [mhz_text(one)]
            row += [f"{area['lut']:,}" if one else "-", f"{area['ff']:,}" if one else "-"]
        rows.append(tuple(row))
    if not rows:
        command = "modfab synth --engine systolic --bits 160 --level modexp --sequencer r2l"
        return _MISSING.format(f"{command} --target {ROUTED} --route")
    columns = ("MHz (seeds)", "LUT", "FF")
    head = [f"radix {1 << bits}, {what}" for bits in WIDTH_RADICES for what in columns]
    return table(("level", "bits", *head), rows) + "\n" + "".join(_falls(routed))


def _falls(routed: dict[tuple[int, int], Measurement]) -> list[str]:
    lines = []
    for radix_bits in WIDTH_RADICES:
        line = {width: m.mhz or 0 for (width, radix), m in routed.items() if radix == radix_bits}
        narrow, wide = min(line, default=0), max(line, default=0)
        if narrow < wide:
            fall = line[wide] / line[narrow] - 1
            lines.append(
                f"* **radix {1 << radix_bits}**: {fall:+.0%} from {narrow} to {wide} bits.\n"
            )
    return lines


# ---- redundant_mul, redundant_lut: what redundancy and registers gain ----
def _gain_row(gain: Gain) -> tuple[str, ...]:
    digits = 3 if gain.work == "mul" else 1
    return (
        *(mhz_text(gain.slow), mhz_text(gain.fast), f"{gain.clock:.2f}"),
        *(f"{time:,.{digits}f}" for time in gain.times_us),
        f"{gain.speed:.2f}",
    )


def _systems_table(known: Sequence[Gain], records: Sequence[Record]) -> str:
    """Redundant beside plain digits: exponentiators."""
    if not known:
        command = "modfab synth --engine redundant_mul --bits 64 -P Redundant=0 --level modexp"
        return _MISSING.format(f"{command} --sequencer l2r --target ecp5-85k --route")
    rows = []
    for gain in known:
        printed = published_gain(gain.engine, gain.num_bits)
        size = (f"`{gain.engine}`", _level_of(gain), str(gain.num_bits))
        rows.append((*size, *_gain_row(gain), f"{printed:.2f}"))
    answers = [
        f"* **`{engine}`**: with redundant digits {high} bits run at {fast:.2f} of the frequency "
        f"of {low} bits, without at {slow:.2f}.\n"
        for engine, (low, high, fast, slow) in scaling(records).items()
    ]
    head = ("MHz plain (seeds)", "redundant", "ratio", "us plain", "redundant", "ratio", "paper's")
    return table(("engine", "level", "bits", *head), rows) + "\n" + "".join(answers)


def _level_of(gain: Gain) -> str:
    request = gain.fast.synthesis.request
    return request.level if request.level == "engine" else f"{request.level}, {request.sequencer}"


def redundancy_block(records: Sequence[Record]) -> str:
    """Redundant beside plain digits, then the pipelined form beside the paper's."""
    text = _systems_table(gains(records), records)
    rows = []
    for gain in pipelined(records):
        params = gain.fast.synthesis.request.params
        form = (str(params[name]) for name in ("PipelineStages", "DigitBits"))
        rows.append((_level_of(gain), str(gain.num_bits), *form, *_gain_row(gain)))
    if rows:
        head = ("MHz single (seeds)", "pipelined", "ratio", "us a product, single", "pipelined")
        first = ("level", "bits", "`PipelineStages`", "`DigitBits`")
        text = text.rstrip("\n") + "\n\n" + table((*first, *head, "ratio"), rows)
    return text


# ---- booth16: what the recodings save, what the parts cost ----
RECODINGS = ("booth16", "radix16", "booth4", "radix2")
_PARTS = {
    "mf_mul_booth16_step": "array",
    "mf_mul_booth16_add": "final adder",
    "mf_regfile_1w2r": "slot memory",
    "mf_mul_booth16_scan": "reading the multiplier and words",
    "mf_mul_booth16_control": "control",
    "mf_mul_booth16_digit": "digit of the multiplier",
    "mf_mul_booth16_quotient": "digit of the quotient",
    "mf_mul_booth16": "operand and sum registers, selection of operands",
}


def _recodings(records: Sequence[Record]) -> list[Measurement]:
    found = [
        measured
        for measured in current(records)
        if (m := measured.synthesis.request).engine == "booth16"
        and (m.level, m.target) == ("engine", "xc7")
    ]
    return sorted(
        found,
        key=lambda m: (m.synthesis.request.num_bits, m.synthesis.request.params["Recoding"]),
    )


def booth16_block(records: Sequence[Record]) -> str:
    """Recodings beside each other on xc7, then the parts of those that were taken apart."""
    rows = []
    known = _recodings(records)
    delays: dict[tuple[int, int], float] = {}
    for found in known:
        record, request = found.synthesis, found.synthesis.request
        area, recoding = record.area, request.params["Recoding"]
        total = area["lut"] - area["lut_memory"] + area["ff"]
        logic = float(record.path["logic_ns"])
        delays[request.num_bits, recoding] = total * logic
        ours = delays.get((request.num_bits, 0))
        product_us = record.cycles["mul"] * logic / 1000
        rows.append(
            (
                *(str(request.num_bits), f"`{RECODINGS[recoding]}`", f"{area['lut']:,}"),
                *(f"{area['lut_memory']:,}", f"{area['ff']:,}", f"{logic:.2f}"),
                *(f"{record.cycles['mul']:,}", f"{product_us:.2f}", f"{total * logic / 1000:,.1f}"),
                f"{total * product_us / 1000:,.1f}",
                "-" if ours is None or not recoding else f"{1 - ours / (total * logic):.1%}",
            )
        )
    head = ("bits", "recoding", "LUT", "as memory", "FF", "logic, ns", "cycles", "us")
    areas = ("area x logic", "area x time", "`booth16` less by")
    note = "\nEngines alone (level engine), by synthesis for xc7; nothing is routed.\n"
    return table((*head, *areas), rows) + note + "".join(_parts_table(found) for found in known)


def _parts_table(found: Measurement) -> str:
    record = found.synthesis
    if not record.parts:
        return ""
    rows = [
        (title, f"`{name}`", f"{part['lut']:,}", f"{part['lut_memory']:,}", f"{part['ff']:,}")
        for name, title in _PARTS.items()
        if (part := record.parts.get(name))
    ]
    recoding = RECODINGS[record.request.params["Recoding"]]
    text = f"\nParts of `{recoding}`, {record.request.num_bits} bits:\n\n"
    return text + table(("part", "module", "LUT", "as memory", "FF"), rows)


# ---- qp_systolic: what it was to reach, and the same product with fewer multipliers ----
FOLDED_BITS = (512, 1024, 2048)
_MET = {True: "yes", False: "no", None: "not measured"}


def _figures(one: Entry) -> str:
    return (
        f"{one.area_time:,.0f} with {one.lut:,} LUT4, {one.multipliers} multipliers and "
        f"{one.product_us:.3f} us a product (level mul, {seeds_text(one.num_seeds)})"
    )


def _slowest_path(records: Sequence[Record], one: Entry) -> str:
    """Critical path of the slowest seed of a ranked design."""
    for found in current(records):
        request = found.synthesis.request
        if request.target == ROUTED and found.routings:
            known = ranked(found, get_target(ROUTED))
            if known is not None and (known.name, known.num_bits) == (one.name, one.num_bits):
                path = min(found.routings, key=lambda r: r.mhz or 0.0).path
                return f"Critical path of its slowest seed: {path.get('text', 'not stored')}."
    raise LookupError(f"{one.name} with {one.num_bits} bits is not among the records")


def goals_block(records: Sequence[Record]) -> str:
    """Each goal of the engine beside what formulas and measurements say."""
    rows = []
    for goal in goals(records):
        limit = f"{'>=' if goal.least else '<='} {goal.limit:,.{goal.digits}f}"
        reached = "-" if goal.reached is None else f"{goal.reached:,.{goal.digits}f}"
        rows.append((goal.what, limit, reached, goal.basis, _MET[goal.met]))
    lost = "".join(
        f"\nAt {ours.num_bits} bits `{other.name}` has the lower area x time, {_figures(other)}; "
        f"`{ours.name}` has {_figures(ours)}. They would be equal if a multiplier counted as "
        f"{weight:.0f} LUT4. {_slowest_path(records, ours)}\n"
        for ours, other, weight in even_weights(records)
    )
    text = table(("goal", "limit", "reached", "level (seeds)", "met"), rows) + lost
    open_goals = [goal for goal in goals(records) if goal.met is None and goal.to_measure]
    if open_goals:
        text += "\nNot measured; these commands do it:\n\n"
        text += "".join(f"* {goal.what}: `{goal.to_measure}`\n" for goal in open_goals)
    return text


def folding_block(records: Sequence[Record]) -> str:
    """The array of each size in steady state: cycles, how busy its multipliers are, as measured."""
    routed = {
        (m.num_bits, m.params["NumElements"]): found
        for found in current(records)
        if (m := found.synthesis.request).engine == ENGINE
        and (m.level, m.target) == ("engine", ROUTED)
        and not _others(m, "NumElements")
    }
    rows = []
    for num_bits in FOLDED_BITS:
        full = Shape(num_bits, DIGIT)
        for elements in (*FOLDINGS, 0):
            if elements >= full.num_digits:
                continue
            shape = FoldedShape(num_bits, DIGIT, elements) if elements else full
            count = 2 * elements if elements else full.num_digits + full.mod_digits
            cycles = shape.pair_period / 2
            found = routed.get((num_bits, elements))
            area = found.synthesis.area if found else {}
            rows.append(
                (
                    *(str(num_bits), str(elements or full.num_digits), str(count)),
                    *(f"{cycles:,.0f}", f"{count * cycles:,.0f}"),
                    f"{full.digit_products / (count * cycles):.1%}",
                    *(f"{area[name]:,}" if area else "-" for name in ("lut", "ff")),
                    mhz_text(found),
                    f"{cycles / found.mhz:.3f}" if found and found.mhz else "-",
                )
            )
    head = ("bits", "elements", "multipliers", "cycles a product", "multiplier-cycles", "busy")
    return table((*head, "LUT4", "FF", "MHz (seeds)", "us a product"), rows) + _ALONE


_ALONE = "\nLUT4, FF, MHz and us are those of the engine alone (level engine).\n"


def _others(request: Request, *names: str) -> list[str]:
    """Parameters of the engine beside these and the width that are not at their defaults."""
    engine = get_engine(request.engine)
    usual = engine.resolve(request.num_bits)
    return [name for name in usual if name not in names and request.params[name] != usual[name]]


def delays_block(records: Sequence[Record]) -> str:
    """The full array with each quotient delay and depth of the multipliers, as measured."""
    measured = {
        (m.params["QuotientDelay"], m.params["MulStages"]): found
        for found in current(records)
        if (m := found.synthesis.request).engine == ENGINE
        and (m.level, m.target, m.num_bits) == ("engine", ROUTED, 1024)
        and not _others(m, "QuotientDelay", "MulStages")
    }
    rows = []
    for delay, stages in ((1, 3), (2, 4), (2, 5)):
        shape = Shape(1024, DIGIT, delay=delay, mul_stages=stages)
        found = measured.get((delay, stages))
        area = found.synthesis.area if found else {}
        rows.append(
            (
                *(str(delay), str(stages), str(shape.num_steps), str(shape.period)),
                *(f"{area[name]:,}" if area else "-" for name in ("multipliers", "lut", "ff")),
                mhz_text(found),
                f"{shape.period / found.mhz:.3f}" if found and found.mhz else "-",
            )
        )
    head = ("QuotientDelay", "MulStages", "steps", "cycles", "multipliers", "LUT4", "FF")
    return table((*head, "MHz (seeds)", "us for two products"), rows) + _ALONE


FILES: dict[str, Callable[[Sequence[Record]], str]] = {RADIX_PLOT: radix_plot}
"""Drawings of these pages."""
