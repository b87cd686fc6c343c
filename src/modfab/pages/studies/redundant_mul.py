# SPDX-License-Identifier: Apache-2.0
"""Study of redundant_mul and redundant_lut: what redundancy and registers gain."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.flow.record import Record
from modfab.pages.table import missing, table
from modfab.report.circuit import mhz_text
from modfab.report.redundancy import (
    Gain,
    Share,
    gains,
    pipelined,
    published_gain,
    scaling,
    shares,
)


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
        return missing(f"{command} --sequencer l2r --target ecp5-85k --route")
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


def _share_row(share: Share) -> tuple[str, ...]:
    system = "redundant" if share.redundant else "plain"
    times = (share.logic_ns, share.routing_ns, share.longest_ns)
    sites = "locked" if share.locked else "free"
    path = " to ".join(f"`{end}`" for end in share.ends)
    return (
        *(f"`{share.engine}`", system, str(share.num_bits), f"{share.mhz:.1f}", sites),
        *(f"{time:.1f}" for time in times),
        path,
    )


def _growth(low: Share, high: Share) -> str:
    """What becomes longer from the least width to the greatest."""
    grown = [
        f"{name} takes {high_ns / low_ns:.2f} times"
        for name, low_ns, high_ns in (
            ("logic", low.logic_ns, high.logic_ns),
            ("routing", low.routing_ns, high.routing_ns),
        )
    ]
    return (
        f"* **`{high.engine}`**, {'redundant' if high.redundant else 'plain'} digits: at "
        f"{high.num_bits} bits {' and '.join(grown)} as long as at {low.num_bits} bits.\n"
    )


def _beside(by_multipliers: Share, by_tables: Share) -> str:
    """Theorem 10 beside Theorem 9 at one width: whether the conditions are equal, and the ratio."""
    ratio = f"{by_tables.mhz / by_multipliers.mhz:.2f}"
    what = (
        f"* **{by_tables.num_bits} bits**: k * M from tables runs at {ratio} of the frequency of "
    )
    if by_tables.locked != by_multipliers.locked:
        one = "multipliers" if by_multipliers.locked else "tables"
        return f"{what}k * M by multipliers, but only the form with {one} is locked to sites.\n"
    sites = "multipliers locked in both" if by_tables.locked else "nothing locked in either"
    return f"{what}k * M by multipliers; {sites}.\n"


def _shares_table(known: Sequence[Share]) -> str:
    """Where the time of a cycle goes, by width."""
    if not known:
        return ""
    head = ("engine", "digits", "bits", "MHz", "multipliers", "logic, ns", "routing, ns")
    text = table((*head, "longest net, ns", "longest path"), [_share_row(one) for one in known])
    groups: dict[tuple[str, int], list[Share]] = {}
    for one in known:
        groups.setdefault((one.engine, one.redundant), []).append(one)
    lines = [_growth(group[0], group[-1]) for group in groups.values() if len(group) > 1]
    redundant = {(one.engine, one.num_bits): one for one in known if one.redundant}
    lines += [
        _beside(by_multipliers, redundant["redundant_lut", num_bits])
        for (engine, num_bits), by_multipliers in redundant.items()
        if engine == "redundant_mul" and ("redundant_lut", num_bits) in redundant
    ]
    return "\nWhere the time of a cycle goes:\n\n" + text + ("\n" + "".join(lines) if lines else "")


def redundancy_block(records: Sequence[Record]) -> str:
    """Redundant beside plain digits, what their cycles are made of, then the pipelined form."""
    text = _systems_table(gains(records), records).rstrip("\n") + "\n"
    text += _shares_table(shares(records))
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


BLOCKS = {"redundancy": redundancy_block}
