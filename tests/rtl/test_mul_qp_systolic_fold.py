# SPDX-License-Identifier: Apache-2.0
"""The folded array: elements cycle by cycle, chains of products, use of the multipliers."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.models.engine import SLOT_FREE, Command, Op
from modfab.models.mul_qp_systolic import Reduction
from modfab.models.mul_qp_systolic_fold import CHAIN, STAGE, FoldedArray, FoldedShape
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.pages.fold_diagram import draw, record
from modfab.pages.waveform import read_vcd
from modfab.paths import rtl_dir
from modfab.sim.core import TOP
from tests.contract.bench import Bench
from tests.formal.test_formal import LIMIT_S, ROOT, prove
from tests.support.vcd import last_registers

SLOTS = range(SLOT_FREE, SLOT_FREE + 4)
ENGINE = get_engine("qp_systolic")
DELAYS = [
    {"delay": 1, "mul_stages": 3},
    *({"delay": 2, "mul_stages": stages} for stages in (3, 4)),
]
"""Every pair of QuotientDelay and MulStages."""


def random_shape(rng: random.Random) -> FoldedShape:
    bits, digit = rng.randrange(64, 200), rng.randrange(8, 19)
    own = rng.choice(DELAYS)
    delay = own["delay"]
    digits = Shape(bits, digit, delay=delay).num_digits
    elements = rng.choice([delay, 2, digits - 1, rng.randrange(delay, digits)])
    return FoldedShape(bits, digit, elements, **own)


def params_of(shape: FoldedShape) -> dict[str, int]:
    own = {"QuotientDelay": shape.delay, "MulStages": shape.mul_stages}
    return own | {"DigitBits": shape.digit_bits, "NumElements": shape.num_elements}


# ---- elements ----
def test_elements_compute_products_in_chains(rng: random.Random) -> None:
    """Every operand may be a result that is still on its way."""
    for _ in range(20):
        shape = random_shape(rng)
        modulus = rng.getrandbits(shape.num_bits) | 1 << (shape.num_bits - 1) | 1
        bound = modulus << (shape.digit_bits * shape.guard + 1)
        array = FoldedArray(shape, modulus, num_slots=8)
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
                assert array.start(x, y, dst) == shape.period
            else:
                values[dst1] = second
                assert array.start(x, y, dst, x1, dst1) == shape.pair_period
        array.finish()
        assert {slot: array.peek(slot) for slot in SLOTS} == values, shape


def sum_of(registers: str, element: int, digit_bits: int) -> int:
    """An element's sum in the RTL: a high part, a carry between the parts, a low part."""
    width, low = 2 * digit_bits + 2, (1 << digit_bits) - 1
    value = int(registers, 2) >> (width * element) & ((1 << width) - 1)
    high = (value >> (digit_bits + 1)) + (value >> digit_bits & 1)
    return (high << digit_bits) + (value & low)


@pytest.mark.parametrize(
    "shape",
    [
        *(FoldedShape(100, 13, 3, **delay) for delay in DELAYS),
        pytest.param(FoldedShape(100, 13, 1), marks=pytest.mark.full),
        pytest.param(FoldedShape(100, 13, 2, delay=2, mul_stages=4), marks=pytest.mark.full),
    ],
)
def test_rtl_has_the_models_state_in_every_clock(
    shape: FoldedShape, rng: random.Random, tmp_path: Path
) -> None:
    elements, digit = shape.num_elements, shape.digit_bits
    bench = Bench(ENGINE, ENGINE.resolve(shape.num_bits, params_of(shape)))
    modulus = bench.moduli(rng)[-1]
    values = [rng.randrange(modulus) for _ in SLOTS]
    a, b, c, d = SLOTS
    bench.both([*bench.start(modulus), *map(bench.load, SLOTS, values)])
    array = FoldedArray(shape, modulus, num_slots=8)
    for slot in SLOTS:
        array.poke(slot, bench.model.slots[slot])
    run = [
        Command(Op.MUL2, dst0=a, a0=a, b=b, dst1=d, a1=c),
        Command(Op.MUL, dst0=b, a0=d, b=a),
        Command(Op.STORE, a0=b),
    ]
    bench.both(run)
    bench.rtl.replay(tmp_path / "run.vcd")
    bench.rtl.close()

    sums = read_vcd(tmp_path / "run.vcd", "u_array", ["s_q"])["s_q"]
    ports = read_vcd(tmp_path / "run.vcd", TOP, ("cmd_valid_i", "cmd_ready_o"))
    fired = [i for i, both in enumerate(zip(*ports.values(), strict=True)) if both == ("1", "1")]
    start = fired[-3] + 1  # the port starts the array one cycle after it took the command
    assert fired[-2] - fired[-3] == array.start(a, b, a, c, d)
    assert fired[-1] - fired[-2] == array.start(d, a, b)
    compared = 0
    for cycle in range(fired[-1] + shape.num_digits + 1 - start):
        for p, state in enumerate(array.state()):
            if state.work is not None:
                seen = sum_of(sums[start + cycle], p, digit)
                assert seen == state.s, f"element {p}, cycle {cycle}, {state}"
                compared += 1
        array.clock()
    assert compared == 3 * shape.num_passes * elements * shape.num_digits


# ---- the engine ----
@pytest.mark.parametrize(
    "shape",
    [
        FoldedShape(64, 18, 5),
        FoldedShape(150, 9, 3),
        FoldedShape(80, 17, 2, delay=2, mul_stages=4),
        *(pytest.param(FoldedShape(1024, 18, p), marks=pytest.mark.full) for p in (4, 16, 32, 58)),
        *(
            pytest.param(FoldedShape(1024, 18, p, delay=2, mul_stages=4), marks=pytest.mark.full)
            for p in (4, 16, 59)
        ),
    ],
)
def test_random_chains_of_products_and_pairs(shape: FoldedShape, rng: random.Random) -> None:
    bench = Bench(ENGINE, ENGINE.resolve(shape.num_bits, params_of(shape)))
    for _ in range(4):
        modulus = rng.choice(bench.moduli(rng))
        values = {slot: rng.randrange(modulus) for slot in SLOTS}
        program = [*bench.start(modulus), *(bench.load(s, v) for s, v in values.items())]
        for _ in range(40):
            a0, a1, b = (rng.choice(SLOTS) for _ in range(3))
            dst0, dst1 = rng.sample(SLOTS, 2)
            first = bench.product(values[a0], values[b], modulus)
            second = bench.product(values[a1], values[b], modulus)
            values[dst0] = first
            if rng.random() < 0.5:
                values[dst1] = second
                program.append(Command(Op.MUL2, dst0=dst0, a0=a0, b=b, dst1=dst1, a1=a1))
            else:
                program.append(Command(Op.MUL, dst0=dst0, a0=a0, b=b))
        program += [Command(Op.STORE, a0=slot) for slot in SLOTS]
        assert bench.both(program) == list(values.values())
    bench.rtl.close()


def test_as_many_elements_as_digits_is_the_full_array() -> None:
    digits = Shape(1024, 18).num_digits
    full, same = (ENGINE.resolve(1024, {"NumElements": n}) for n in (0, digits))
    assert ENGINE.cycles.mul(same) == ENGINE.cycles.mul(full)
    assert ENGINE.r_bits(same) == ENGINE.r_bits(full)


@pytest.mark.parametrize("bits", [1024, 2048])
@pytest.mark.parametrize("elements", [4, 8, 16, 32])
def test_multipliers_are_busy(bits: int, elements: int) -> None:
    """Cycles in which a multiplier does something that the product needs, of all its cycles."""
    full, shape = Shape(bits, 18), FoldedShape(bits, 18, elements)
    pair = 2 * full.digit_products / (2 * elements * shape.pair_period)
    single = full.digit_products / (2 * elements * shape.period)
    assert pair >= 0.85
    if STAGE * elements + shape.mul_stages + CHAIN <= full.num_digits:
        assert single >= 0.85
        assert shape.period == shape.num_passes * shape.num_digits


def test_product_for_a_small_rsa_core() -> None:
    """The private operation of issue-size cores needs at most 520 cycles with 16 multipliers."""
    assert FoldedShape(1024, 18, 8).period <= 520


def test_more_elements_than_digits() -> None:
    with pytest.raises(UsageError) as error:
        ENGINE.resolve(64, {"NumElements": 7})
    assert "at most the number of digits, 6 for 64 bits in digits of 18, but 7" in str(error.value)


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ({"MulStages": 4}, r"at most 2 \* QuotientDelay \+ 1, 3, but 4"),
        ({"QuotientDelay": 2, "MulStages": 5, "NumElements": 3}, "at most .* 4, in a folded"),
        ({"MinModBits": 64}, "MinModBits must be below NumBits, 64, but 64"),
        ({"QuotientDelay": 2, "NumElements": 1}, "at least QuotientDelay, 2, but 1"),
    ],
)
def test_registers_that_the_delay_does_not_hide(overrides: dict[str, int], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        ENGINE.resolve(64, overrides)


def test_the_proof_fails_for_wrong_adders(tmp_path: Path) -> None:
    """A carry that is lost; and sums without their bound."""
    folders = ("formal/mul_qp_systolic", "rtl/mul/qp_systolic")
    faults = {
        "rtl/mul/qp_systolic/mf_mul_qp_systolic_fold_step.sv": (
            "majority[DigitBits-1]};",
            "1'b0};",
        ),
        "formal/mul_qp_systolic/mf_formal_qp_systolic_fold_step.sv": (
            "assume (high(here_i) <= MaxHigh)",
            "assume (high(here_i) <= MaxHigh + 1)",
        ),
    }
    for number, (name, (right, wrong)) in enumerate(faults.items()):
        for folder in folders:
            shutil.copytree(ROOT / folder, tmp_path / str(number) / folder)
        changed = tmp_path / str(number) / name
        text = changed.read_text()
        assert text.count(right) == 1
        changed.write_text(text.replace(right, wrong))
        path = tmp_path / str(number) / "formal/mul_qp_systolic/fold_step.sby"
        code, output = prove(path, tmp_path / f"run{number}", LIMIT_S, "w8")
        assert code != 0
        assert "DONE (FAIL" in output


# ---- wipe ----
CONTROL = {
    *("run_q", "two_q", "outside_q", "shift_q", "mh_q", "y_unit_q", "unit_q"),
    *("lane_q", "first_pass_q", "place_q", "left_q", "passes_q", "step_q", "base_q", "outer_q"),
    *("last_after_q", "first_pass_after_q", "lane_after_q", "first_after_q", "final_after_q"),
    *("index_after_q", "x_addr_q", "y_addr_q", "within_q", "inside_q", "m_we_q", "m_index_q"),
    *("sum_we_q", "sum_lane_q", "sum_final_q", "sum_first_q", "sum_index_q", "result_we_q"),
    *("final_two_q", "wait_q", "wait_left_q", "out_we_q", "out_index_q"),
    *("take_q", "result_index_q", "first_q", "final_q", "last_q", "second_q"),
}
"""Registers of the folded array that hold where it is, not data."""


@pytest.mark.parametrize(
    "overrides", [{}, {"QuotientDelay": 2, "MulStages": 4}], ids=["delay 1", "delay 2"]
)
def test_wipe_leaves_no_data_in_the_array(
    overrides: dict[str, int], rng: random.Random, tmp_path: Path
) -> None:
    bench = Bench(ENGINE, ENGINE.resolve(64, {"NumElements": 2} | overrides))
    modulus = bench.moduli(rng)[-1]
    loads = [bench.load(slot, rng.randrange(modulus)) for slot in SLOTS]
    a, b, c, d = SLOTS
    pair = Command(Op.MUL2, dst0=a, a0=a, b=b, dst1=d, a1=c)
    program = [*bench.start(modulus), *loads, pair, Command(Op.STORE, a0=a), pair]
    bench.cut(program, rng.randrange(len(program)), rng)
    bench.rtl.wipe(zeroize=True)
    bench.rtl.replay(tmp_path / "run.vcd")
    bench.rtl.close()
    registers = {
        name: value
        for name, value in last_registers(tmp_path / "run.vcd").items()
        if ".u_fold." in name and re.search(r"_q(\[\d+\])?$", name)
    }
    for memory in (
        "u_m",
        "u_s",
        "u_result",
    ):  # the slots are too deep for it; the contract suite reads them
        assert any(f".{memory}.mem_q" in name for name in registers), "memories are recorded"
    left = {name.split(".")[-1].split("[")[0] for name, value in registers.items() if value}
    assert left <= CONTROL


def test_diagram_is_current() -> None:
    assert (rtl_dir() / "mul" / "qp_systolic" / "folded.svg").read_text() == draw(record()), (
        "run `./modfab python -m modfab.pages.fold_diagram`"
    )
