# SPDX-License-Identifier: Apache-2.0
"""Study of redundant_mul and redundant_lut: what redundancy and registers gain."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.flow.record import Record
from modfab.pages.table import missing, table
from modfab.report.circuit import mhz_text
from modfab.report.redundancy import Gain, gains, pipelined, published_gain, scaling


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


BLOCKS = {"redundancy": redundancy_block}
