# SPDX-License-Identifier: Apache-2.0
"""Study of sos: the smallest RSA core."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.flow.record import Record
from modfab.pages.table import missing, table
from modfab.report.circuit import mhz_text, time_us
from modfab.report.fitting import SMALL_DEVICES, cores_of, fitting

SMALL_BITS = 2048


def small_core_block(records: Sequence[Record]) -> str:
    """The complete AXI4-Lite core with `sos`: cycles, area, and how many a small device holds."""
    known = cores_of(records, "sos", SMALL_BITS)
    if not known:
        command = f"modfab synth --engine sos --bits {SMALL_BITS} --level modexp_axil"
        return missing(f"{command} --target ecp5-25k")
    rows = []
    for found in known:
        record, area = found.headline, found.synthesis.area
        exp_us = time_us(found, "exp")
        fits = [fitting(area, room) for room in SMALL_DEVICES.values()]
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


BLOCKS = {"small_core": small_core_block}
