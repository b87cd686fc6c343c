# SPDX-License-Identifier: Apache-2.0
"""Space-time diagram of the full array of qp_systolic, drawn from a run of its model.

`python -m modfab.pages.qp_diagram` writes rtl/mul/qp_systolic/spacetime.svg.
"""

from __future__ import annotations

from collections.abc import Sequence

from modfab.models.mul_qp_systolic_array import ElementState, FullArray
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.pages.run import drawing
from modfab.pages.svg import PAIR, legend, picture
from modfab.paths import rtl_dir

SHAPE = Shape(num_bits=64, digit_bits=16)
MODULUS = (1 << 64) - 59
RESULTS = (6, 7)
"""Slots of the results of the pair, y and x of the product after it."""

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP = 96, 17, 60, 44  # pixels
_SHOWN = 14
"""Cycles of the product after the pair."""


def record() -> list[list[ElementState]]:
    """What every element holds in every cycle of a pair and of a product of both its results."""
    array = FullArray(SHAPE, MODULUS, num_slots=8)
    for slot in (4, 5):
        array.poke(slot, MODULUS // slot)
    array.start(x=4, y=5, dst=RESULTS[0], x1=5, dst1=RESULTS[1])
    array.start(x=RESULTS[0], y=RESULTS[1], dst=4)
    states = []
    while array.now < SHAPE.period + SHAPE.num_digits + _SHOWN:
        states.append(array.state())
        array.clock()
    return states


def _cell(cycle: int, column: int, state: ElementState) -> str:
    """One element in one cycle: step and sum; the last sum of a product has a frame."""
    if state.work is None:
        return ""
    item, step = state.work
    x, y = _LEFT + column * _CELL_WIDTH, _TOP + cycle * _CELL_HEIGHT
    fill = PAIR[2 if item.y == RESULTS[1] else item.lane][0]
    frame = ' stroke="#333"' if step == SHAPE.num_steps - 1 else ""
    return (
        f'<rect x="{x}" y="{y}" width="{_CELL_WIDTH - 2}" height="{_CELL_HEIGHT - 2}" '
        f'fill="{fill}"{frame}/>'
        f'<text x="{x + _CELL_WIDTH / 2 - 1}" y="{y + 11}">i={step} s={state.s:x}</text>'
    )


def draw(states: Sequence[Sequence[ElementState]]) -> str:
    """The SVG: a row for each cycle from the first sum on, a column for each element."""
    elements = len(states[0])
    first = next(cycle for cycle, row in enumerate(states) if any(s.work for s in row))
    rows = states[first:]
    width = _LEFT + elements * _CELL_WIDTH + 8
    height = _TOP + len(rows) * _CELL_HEIGHT + 8
    body = ['<text x="26" y="36">cycle</text>']
    for column in range(elements):
        x = _LEFT + column * _CELL_WIDTH + _CELL_WIDTH / 2
        body.append(f'<text x="{x}" y="36">element {column}</text>')
    body += legend(PAIR, _LEFT, 90)
    for cycle, row in enumerate(rows):
        y = _TOP + cycle * _CELL_HEIGHT + 11
        body.append(f'<text x="26" y="{y}">{cycle + first}</text>')
        body += [_cell(cycle, j, state) for j, state in enumerate(row) if state.work]
    return picture(width, height, body, "qp_diagram")


if __name__ == "__main__":
    drawing(
        "modfab.pages.qp_diagram",
        rtl_dir() / "mul" / "qp_systolic" / "spacetime.svg",
        lambda: draw(record()),
    )
