# SPDX-License-Identifier: Apache-2.0
"""The full array: its model's elements, cycle by cycle, against values and against the RTL."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from modfab.catalog import get_engine
from modfab.models.engine import SLOT_FREE, Command, Op
from modfab.models.mul_qp_systolic import Reduction
from modfab.models.mul_qp_systolic_array import FullArray
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.pages.qp_diagram import draw, record
from modfab.pages.waveform import read_vcd
from modfab.paths import rtl_dir
from modfab.sim.core import TOP
from tests.contract.bench import Bench

SLOTS = range(SLOT_FREE, SLOT_FREE + 4)
ENGINE = get_engine("qp_systolic")
DELAYS = [
    {"delay": 1, "mul_stages": 3},
    *({"delay": 2, "mul_stages": stages} for stages in (3, 4, 5)),
]
"""Every pair of QuotientDelay and MulStages."""


def test_elements_compute_products_in_chains(rng: random.Random) -> None:
    """Every operand may be a result that is still on its way, of either lane."""
    for _ in range(20):
        delay = rng.choice(DELAYS)
        bits, digit = rng.randrange(64, 200), rng.randrange(8, 19)
        tables, in_turn = rng.random() < 0.5, rng.randrange(2)
        shape = Shape(bits, digit, **delay, tables=tables, in_turn=in_turn)
        modulus = rng.getrandbits(shape.num_bits) | 1 << (shape.num_bits - 1) | 1
        bound = modulus << (shape.digit_bits * shape.guard + 1)
        array = FullArray(shape, modulus, num_slots=8)
        values = {slot: rng.choice([rng.randrange(bound), bound - 1, 0]) for slot in SLOTS}
        for slot, value in values.items():
            array.poke(slot, value)
        for _ in range(6):
            x, x1, y = (rng.choice(SLOTS) for _ in range(3))
            dst, dst1 = rng.sample(SLOTS, 2)
            first = Reduction(modulus, shape).product(values[x], values[y])
            second = Reduction(modulus, shape).product(values[x1], values[y])
            values[dst] = first
            if rng.random() < 0.5:
                array.start(x, y, dst)
            else:
                values[dst1] = second
                array.start(x, y, dst, x1, dst1)
        array.finish()
        assert {slot: array.peek(slot) for slot in SLOTS} == values, shape


def _bench(shape: Shape) -> Bench:
    own = {"QuotientDelay": shape.delay, "MulStages": shape.mul_stages}
    own |= {"DigitBits": shape.digit_bits, "QuotientTables": int(shape.tables)}
    own |= {"Contexts": 2 - shape.in_turn, "TwoInTurn": shape.in_turn}
    return Bench(ENGINE, ENGINE.resolve(shape.num_bits, own))


@pytest.mark.parametrize(
    "shape",
    [
        *(Shape(80, 13, **delay) for delay in DELAYS),
        *(Shape(80, digit, tables=True) for digit in (8, 9, 18)),
        Shape(80, 13, **DELAYS[-1], tables=True),
        *(Shape(80, digit, in_turn=1, **delay) for digit, delay in ((18, {}), (13, DELAYS[-1]))),
    ],
)
def test_rtl_has_the_models_state_in_every_clock(
    shape: Shape, rng: random.Random, tmp_path: Path
) -> None:
    bench, digit = _bench(shape), shape.digit_bits
    modulus = bench.moduli(rng)[-1]
    a, b, c, d = SLOTS
    values = [rng.randrange(modulus) for _ in SLOTS]
    bench.both([*bench.start(modulus), *map(bench.load, SLOTS, values)])
    array = FullArray(shape, modulus, num_slots=8)
    for slot in SLOTS:
        array.poke(slot, bench.model.slots[slot])
    run = [
        Command(Op.MUL2, dst0=a, a0=a, b=b, dst1=d, a1=c),
        Command(Op.MUL2, dst0=c, a0=d, b=d, dst1=b, a1=a),
        Command(Op.MUL, dst0=d, a0=c, b=b),
        Command(Op.STORE, a0=d),
    ]
    bench.both(run)
    bench.rtl.replay(tmp_path / "run.vcd")
    bench.rtl.close()

    registers = read_vcd(tmp_path / "run.vcd", "u_array", ["s_q", "e_q"])
    ports = read_vcd(tmp_path / "run.vcd", TOP, ("cmd_valid_i", "cmd_ready_o"))
    fired = [i for i, both in enumerate(zip(*ports.values(), strict=True)) if both == ("1", "1")]
    start = fired[-4] + 1  # the port starts the array one cycle after it took the command
    assert fired[-3] - fired[-4] == array.start(a, b, a, c, d)
    assert fired[-2] - fired[-3] == array.start(d, d, c, a, b)
    assert fired[-1] - fired[-2] == array.start(c, b, d)
    width, compared = 2 * digit + 1, 0
    while array.products:
        sums, carries = (int(registers[name][start + array.now], 2) for name in ("s_q", "e_q"))
        for j, state in enumerate(array.state()):
            if state.work is not None:
                low = sums >> (width * j) & ((1 << width) - 1)
                seen = low + ((carries >> j & 1) << digit)
                assert seen == state.s, f"element {j}, cycle {array.now}, {state}"
                compared += 1
        array.clock()
    assert compared == 5 * shape.num_steps * shape.num_digits
    assert array.peek(d) % modulus == bench.model.slots[d] % modulus


@pytest.mark.parametrize("digit", [8, 18])
def test_wires_between_lanes_never_mix(digit: int) -> None:
    """Each lane's results are those of a run in which the other lane has nothing to do."""
    shape = Shape(64, digit)
    modulus = (1 << 64) - 59
    alone, both = (FullArray(shape, modulus, num_slots=8) for _ in range(2))
    for array in (alone, both):
        for slot, value in zip(SLOTS, (1, modulus - 1, 2**63, 3), strict=True):
            array.poke(slot, value)
    alone.start(SLOTS[0], SLOTS[1], SLOTS[3])
    both.start(SLOTS[0], SLOTS[1], SLOTS[3], SLOTS[2], SLOTS[2])
    alone.finish()
    both.finish()
    assert alone.peek(SLOTS[3]) == both.peek(SLOTS[3])
    assert both.peek(SLOTS[2]) == Reduction(modulus, shape).product(2**63, modulus - 1)


def test_diagram_is_current() -> None:
    assert (rtl_dir() / "mul" / "qp_systolic" / "spacetime.svg").read_text() == draw(record()), (
        "run `./modfab python -m modfab.pages.qp_diagram`"
    )
