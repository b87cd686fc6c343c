# SPDX-License-Identifier: Apache-2.0
"""Study of qp_systolic: the same product with fewer multipliers, or with more registers."""

from __future__ import annotations

from collections.abc import Sequence

from modfab.catalog import get_engine
from modfab.flow.record import Record, Request
from modfab.flow.stored import Measurement, current
from modfab.models.mul_qp_systolic_fold import FoldedShape
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.pages.table import table
from modfab.report.circuit import mhz_text
from modfab.report.compare import ROUTED

ENGINE = "qp_systolic"
DIGIT = 18
FOLDINGS = (4, 8, 16, 32)
"""Elements of the folded arrays of the table."""

FOLDED_BITS = (512, 1024, 2048)


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
            rows.append(
                (
                    *(str(num_bits), str(elements or full.num_digits), str(count)),
                    *(f"{cycles:,.0f}", f"{count * cycles:,.0f}"),
                    f"{full.digit_products / (count * cycles):.1%}",
                    *_measured(found, cycles, "lut", "ff"),
                )
            )
    head = ("bits", "elements", "multipliers", "cycles a product", "multiplier-cycles", "busy")
    return table((*head, "LUT4", "FF", "MHz (seeds)", "us a product"), rows) + _ALONE


_ALONE = "\nLUT4, FF, MHz and us are those of the engine alone (level engine).\n"


def _measured(found: Measurement | None, cycles: float, *names: str) -> tuple[str, ...]:
    """Resources of these names, frequency and microseconds of so many cycles; - if not measured."""
    area = found.synthesis.area if found else {}
    time = f"{cycles / found.mhz:.3f}" if found and found.mhz else "-"
    return (*(f"{area[name]:,}" if area else "-" for name in names), mhz_text(found), time)


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
        rows.append(
            (
                *(str(delay), str(stages), str(shape.num_steps), str(shape.period)),
                *_measured(found, shape.period, "multipliers", "lut", "ff"),
            )
        )
    head = ("QuotientDelay", "MulStages", "steps", "cycles", "multipliers", "LUT4", "FF")
    return table((*head, "MHz (seeds)", "us for two products"), rows) + _ALONE


BLOCKS = {"delays": delays_block, "folding": folding_block}
