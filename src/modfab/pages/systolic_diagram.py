# SPDX-License-Identifier: Apache-2.0
"""Space-time diagram of the systolic array, drawn from a run of its model.

`python -m modfab.pages.systolic_diagram` writes rtl/mul/systolic/spacetime.svg.
"""

from __future__ import annotations

from collections.abc import Sequence

from modfab.models.mul_systolic import Shape, setup_constants
from modfab.models.mul_systolic_array import (
    ONE,
    SQUARED,
    ElementState,
    SystolicArray,
    product_program,
)
from modfab.pages.run import drawing
from modfab.pages.svg import legend, picture
from modfab.paths import rtl_dir

SHAPE = Shape(num_bits=16, radix_bits=4)
MODULUS, BASE = 0xC5A7, 0x1234

_CELL_WIDTH, _CELL_HEIGHT, _LEFT, _TOP = 88, 18, 60, 44  # pixels
_FILLS = {"fill": "#ddd", "0": "#9ec5f0", "1": "#f5c58c"}  # tables; lane 0; lane 1

_MEANINGS = (("fill", "table of B"), ("0", "lane 0"), ("1", "lane 1"))


def record() -> list[list[ElementState]]:
    """The array's state in every cycle of a square-and-multiply pair and the start of the next."""
    array = SystolicArray(SHAPE, num_slots=8)
    constants = setup_constants(MODULUS, SHAPE)
    array.set_modulus(MODULUS)
    array.poke(ONE, constants.r)
    array.poke(SQUARED, constants.r2)
    array.poke(4, constants.r)
    array.poke(5, BASE)
    states = []
    pair = list(product_program(SHAPE, 4, 5, 4, 5, 5))
    for token in [*pair, *pair[: SHAPE.entries + 4]]:
        array.clock(token)
        states.append(array.state())
    return states


def _cell(cycle: int, column: int, state: ElementState) -> str:
    """One element in one cycle: colour by lane, step number, digit of a or the multiple before."""
    kind, _, step = state.note.partition(":")
    x, y = _LEFT + column * _CELL_WIDTH, _TOP + cycle * _CELL_HEIGHT
    text = f"i={step} a={state.a:x} q={state.q:x}" if step else f"acc={state.acc:x}"
    return (
        f'<rect x="{x}" y="{y}" width="{_CELL_WIDTH - 2}" height="{_CELL_HEIGHT - 2}" '
        f'fill="{_FILLS[kind]}"/>'
        f'<text x="{x + _CELL_WIDTH / 2 - 1}" y="{y + 12}">{text}</text>'
    )


def draw(states: Sequence[Sequence[ElementState]]) -> str:
    """The SVG: a row for each cycle, a column for each element, element 0 at the right."""
    elements = len(states[0])
    width = _LEFT + elements * _CELL_WIDTH + 8
    height = _TOP + len(states) * _CELL_HEIGHT + 8
    body = ['<text x="26" y="36">cycle</text>']
    for column in range(elements):
        x = _LEFT + column * _CELL_WIDTH + _CELL_WIDTH / 2
        body.append(f'<text x="{x}" y="36">element {elements - 1 - column}</text>')
    body += legend(((_FILLS[kind], text) for kind, text in _MEANINGS), _LEFT, 110)
    for cycle, row in enumerate(states):
        body.append(f'<text x="26" y="{_TOP + cycle * _CELL_HEIGHT + 12}">{cycle}</text>')
        body += [_cell(cycle, elements - 1 - j, state) for j, state in enumerate(row) if state.note]
    return picture(width, height, body, "systolic_diagram")


if __name__ == "__main__":
    drawing(
        "modfab.pages.systolic_diagram",
        rtl_dir() / "mul" / "systolic" / "spacetime.svg",
        lambda: draw(record()),
    )
