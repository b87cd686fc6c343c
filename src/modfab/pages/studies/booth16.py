# SPDX-License-Identifier: Apache-2.0
"""Study of booth16: what the recodings save, what the parts cost."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.flow.record import Record
from modfab.flow.stored import Measurement, current
from modfab.pages.table import table

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


BLOCKS = {"booth16": booth16_block}
