# SPDX-License-Identifier: Apache-2.0
"""Space-time diagram of the folded array of qp_systolic, drawn from a run of its model.

`python -m modfab.pages.fold_diagram` writes rtl/mul/qp_systolic/folded.svg.
"""

from __future__ import annotations

from collections.abc import Sequence

from modfab.models.mul_qp_systolic_fold import ElementState, FoldedArray, FoldedShape
from modfab.pages.run import drawing
from modfab.pages.svg import PAIR, legend, picture
from modfab.paths import rtl_dir

SHAPE = FoldedShape(num_bits=190, digit_bits=16, num_elements=3)
MODULUS = (1 << 190) - 11
RESULT = 6
"""Slot of a result of the pair, x of the product after it."""

_WIDTH, _HEIGHT, _LEFT, _TOP = 4, 26, 70, 48  # pixels: a cycle, an element, margins


def record() -> list[list[ElementState]]:
    """What every element holds in every cycle of a pair and of a product that needs its result."""
    array = FoldedArray(SHAPE, MODULUS, num_slots=8)
    for slot in (4, 5):
        array.poke(slot, MODULUS // slot)
    array.start(x=4, y=5, dst=RESULT, x1=5, dst1=7)
    array.start(x=RESULT, y=7, dst=4)
    states = []
    while array.now < array.free + SHAPE.num_digits:
        states.append(array.state())
        array.clock()
    return states


def _bars(states: Sequence[Sequence[ElementState]]) -> dict[tuple[int, int, int, int], list[int]]:
    """(element, product, lane, pass) -> cycles in which the element has a sum of that pass."""
    bars: dict[tuple[int, int, int, int], list[int]] = {}
    for cycle, row in enumerate(states):
        for element, state in enumerate(row):
            if state.work:
                item = state.work[0]
                product = int(item.x == RESULT)
                bars.setdefault((element, product, item.lane, item.number), []).append(cycle)
    return bars


def draw(states: Sequence[Sequence[ElementState]]) -> str:
    """The SVG: cycles to the right, elements downwards, a bar for each pass in each element."""
    elements = len(states[0])
    width = _LEFT + len(states) * _WIDTH + 8
    height = _TOP + elements * _HEIGHT + 24
    body = legend(PAIR, _LEFT, 90, 8)
    for cycle in range(0, len(states), 20):
        x, y = _LEFT + cycle * _WIDTH, _TOP + elements * _HEIGHT
        body.append(f'<path d="M{x},{_TOP - 4}V{y + 4}" stroke="#bbb"/>')
        body.append(f'<text x="{x}" y="{y + 18}">{cycle}</text>')
    for element in range(elements):
        y = _TOP + element * _HEIGHT + 16
        body.append(f'<text x="{_LEFT - 36}" y="{y}">element {element}</text>')
    for (element, product, lane, number), cycles in _bars(states).items():
        x, y = _LEFT + cycles[0] * _WIDTH, _TOP + element * _HEIGHT
        span = len(cycles) * _WIDTH
        step = number * elements + element
        body.append(
            f'<rect x="{x}" y="{y}" width="{span - 1}" height="{_HEIGHT - 3}" '
            f'fill="{PAIR[2 if product else lane][0]}"/>'
            f'<text x="{x + span / 2}" y="{y + 16}">step {step}</text>'
        )
    return picture(width, height, body, "fold_diagram")


if __name__ == "__main__":
    drawing(
        "modfab.pages.fold_diagram",
        rtl_dir() / "mul" / "qp_systolic" / "folded.svg",
        lambda: draw(record()),
    )
