# SPDX-License-Identifier: Apache-2.0
"""What is particular to the systolic array: bounds, elements, read-out, diagram."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.models.engine import SLOT_FREE, Command, Op
from modfab.models.mul_systolic import (
    Shape,
    normalised,
    product,
    read_out,
    setup_constants,
)
from modfab.models.mul_systolic_array import (
    MODULUS,
    ONE,
    SQUARED,
    SystolicArray,
    load_program,
    product_program,
    read_out_program,
)
from modfab.numbers import to_words
from modfab.pages.systolic_diagram import draw, record
from modfab.pages.waveform import read_vcd
from modfab.paths import rtl_dir
from modfab.sim.core import TOP
from tests.contract.bench import Bench
from tests.support.vcd import last_registers
from tests.test_regfile_banked import with_instances

A, B, C = range(SLOT_FREE, SLOT_FREE + 3)


def odd(rng: random.Random, num_bits: int) -> int:
    """A modulus of any length up to num_bits, often at an end of the range."""
    length = rng.choice([2, 3, num_bits - 1, num_bits, num_bits, rng.randrange(2, num_bits)])
    ends = [3, (1 << num_bits) - 1, (1 << (num_bits - 1)) + 1]
    return rng.choice([*ends, *[rng.getrandbits(length) | 1 << (length - 1) | 1] * 5])


def operands(rng: random.Random, shape: Shape) -> list[int]:
    """Values at the edges of what the array takes, and at random."""
    half = 1 << (shape.r_bits - 1)
    return [0, 1, half, half - 1, rng.randrange(half), rng.randrange(half)]


# ---- arithmetic ----
@pytest.mark.parametrize("radix_bits", range(1, 7))
def test_bounds_and_values(radix_bits: int, rng: random.Random) -> None:
    for _ in range(60):
        shape = Shape(rng.randrange(16, 200), radix_bits)
        modulus, half = odd(rng, shape.num_bits), 1 << (shape.r_bits - 1)
        constants = setup_constants(modulus, shape)
        r = 1 << shape.r_bits
        assert constants.mu * modulus * 4 <= r
        assert 0 < constants.r <= half // 2
        assert constants.r % modulus == r % modulus
        assert constants.r2 % modulus == r * r % modulus
        inverse = pow(r, -1, modulus)
        values = operands(rng, shape)
        for a in values:
            assert read_out(a, modulus, constants, shape) == a * inverse % modulus
            for b in values:
                result = product(a, b, constants.hat, shape)
                assert result % modulus == a * b * inverse % modulus
                assert result <= half


def test_normalised_bound_is_tight() -> None:
    largest = max(range(3, 1 << 12, 2), key=lambda modulus: normalised(modulus, 20))
    assert normalised(largest, 20) == 1 << 18
    assert min(normalised(modulus, 20) for modulus in range(3, 1 << 12, 2)) > 0


# ---- elements ----
FORMS = [*((radix_bits, 1) for radix_bits in range(1, 7)), (1, 4), (1, 8), (1, 16)]
"""Bits of a digit and, in radix 2, of an element."""


@pytest.mark.parametrize(("radix_bits", "element_bits"), FORMS)
def test_elements_compute_the_same(radix_bits: int, element_bits: int, rng: random.Random) -> None:
    for _ in range(4 if element_bits == 1 else 2 * element_bits):  # every place of the top bit
        shape = Shape(rng.randrange(16, 64), radix_bits, element_bits)
        modulus = odd(rng, shape.num_bits)
        constants = setup_constants(modulus, shape)
        array = SystolicArray(shape, num_slots=8)
        array.set_modulus(modulus)
        assert (array.mu, array.peek(SQUARED)) == (constants.mu, constants.hat)
        array.poke(ONE, constants.r)
        array.poke(SQUARED, constants.r2)
        a0, a1, b = (rng.choice(operands(rng, shape)) for _ in range(3))
        array.poke(A, a0)
        array.poke(C, a1)
        array.run(load_program(shape, to_words(b, shape.num_digits, radix_bits), B))
        assert array.peek(B) == b
        program = product_program(shape, A, B, A, C, B)
        assert array.run(program) == shape.product_cycles
        assert array.peek(A) == product(a0, b, constants.hat, shape)
        assert array.peek(B) == product(a1, b, constants.hat, shape)
        array.run(read_out_program(shape, C, C))
        assert array.peek(C) == read_out(a1, modulus, constants, shape) + 1
        assert array.peek(MODULUS) == modulus


@pytest.fixture
def bench() -> Iterator[Bench]:
    engine = get_engine("systolic")
    built = Bench(engine, engine.resolve(16))
    yield built
    built.rtl.close()


@pytest.fixture(params=[(4, 1), (1, 4)], ids=["radix16", "radix2-elements-of-4"])
def stepped(request: pytest.FixtureRequest) -> Iterator[tuple[Bench, Shape]]:
    """An engine of 16 bits and the sizes of its array."""
    radix_bits, element_bits = request.param
    engine = get_engine("systolic")
    params = engine.resolve(16, {"RadixBits": radix_bits, "ElementBits": element_bits})
    built = Bench(engine, params)
    yield built, Shape(16, radix_bits, element_bits)
    built.rtl.close()


def test_rtl_has_the_models_state_in_every_clock(
    stepped: tuple[Bench, Shape], rng: random.Random, tmp_path: Path
) -> None:
    bench, shape = stepped
    modulus = odd(rng, 16)
    values = [rng.randrange(modulus) for _ in range(3)]
    slots = (A, B, C)
    bench.both([*bench.start(modulus), *map(bench.load, slots, values)])
    pair = Command(Op.MUL2, dst0=A, a0=A, b=B, dst1=B, a1=C)
    private = [bench.model.slots[slot] for slot in slots]
    bench.both([pair, pair])
    bench.rtl.replay(tmp_path / "run.vcd")

    model = SystolicArray(shape, 8)
    constants = setup_constants(modulus, shape)
    model.set_modulus(modulus)
    model.poke(ONE, constants.r)
    model.poke(SQUARED, constants.r2)
    for slot, value in zip(slots, private, strict=True):
        model.poke(slot, value)

    registers = {"a_q": "a", "q_q": "q", "t_q": "t", "s_q": "s", "acc_q": "acc"}
    names = [f"{name}[{j}]" for name in registers for j in range(shape.num_elements)]
    traces = read_vcd(tmp_path / "run.vcd", "u_array", names)
    ports = read_vcd(tmp_path / "run.vcd", TOP, ("cmd_valid_i", "cmd_ready_o"))
    fired = [i for i, both in enumerate(zip(*ports.values(), strict=True)) if both == ("1", "1")]
    start = fired[-2] + 3  # acceptance, the sequencer's count, its program, element 0's register
    assert fired[-1] - fired[-2] == shape.product_cycles
    program = [*product_program(shape, A, B, A, C, B)] * 2
    recorded = len(traces["s_q[0]"]) - start
    assert recorded >= len(program) - 2  # the run ends when the engine is idle
    for x, token in enumerate(program[:recorded]):
        model.clock(token)
        for j, state in enumerate(model.state()):
            if x - j < 2:  # still in the cycles before this command
                continue
            seen = {name: int(traces[f"{name}[{j}]"][start + x], 2) for name in registers}
            expected = {name: getattr(state, field) for name, field in registers.items()}
            assert seen == expected, f"element {j}, clock {x}"


# Registers that a wipe need not clear: they hold the state of the wipe itself, or nothing secret.
CONTROL = {
    *("state_q", "status_q", "new_q", "x_q", "y_q", "near_q", "bit_q", "pass_q"),  # sequencer
    *("bit_one_q", "bit_end_q", "chain_last_q"),  # what bit_q says of a constant
    *("filling_q", "fill_last_q"),  # where x_q stands
    "more_q",  # as words_q
    *("above_q", "digits_q", "shift_q", "rest_q"),  # constants that follow from wiped notes
    *("tok_q", "addr_q", "need_q", "words_q", "factor_q", "bits_q", "borrow_q", "last_q"),
    *("armed_q", "got_q"),  # an element waits for its digits of a load, and how many it has
}


@pytest.mark.parametrize(
    ("radix_bits", "element_bits"), [(4, 1), pytest.param(1, 1, marks=pytest.mark.full), (1, 8)]
)
def test_wipe_leaves_no_data_anywhere(
    radix_bits: int, element_bits: int, rng: random.Random, tmp_path: Path
) -> None:
    engine = with_instances(get_engine("systolic"), tmp_path)
    params = {"RadixBits": radix_bits, "ElementBits": element_bits}
    bench = Bench(engine, engine.resolve(33, params))
    modulus = odd(rng, 33)
    loads = [bench.load(slot, rng.randrange(modulus)) for slot in (A, B, C)]
    pair = Command(Op.MUL2, dst0=A, a0=A, b=B, dst1=B, a1=C)
    program = [*bench.start(modulus), *loads, pair, Command(Op.STORE, a0=A), pair]
    bench.cut(program, rng.randrange(len(program)), rng)
    bench.rtl.wipe(zeroize=True)
    bench.rtl.replay(tmp_path / "run.vcd")
    bench.rtl.close()
    registers = {
        name: value
        for name, value in last_registers(tmp_path / "run.vcd").items()
        if ".u_engine." in name
        and not name.endswith(".u_neg.one_q")  # a carry, 1 before the first digit
        and ".u_contract." not in name  # the assertions' own registers
        and name.split(".")[-1].split("[")[0].endswith("_q")
    }
    memories = [name for name in registers if ".mem_q" in name]
    for memory in ("u_slots", "u_words", *(("u_b", "u_m", "u_h") if radix_bits > 1 else ())):
        assert any(f".{memory}." in name for name in memories), "memories are recorded"
    left = {name.split(".")[-1].split("[")[0] for name, value in registers.items() if value}
    assert left <= CONTROL


def test_diagram_is_current() -> None:
    assert (rtl_dir() / "mul" / "systolic" / "spacetime.svg").read_text() == draw(record()), (
        "run `./modfab python -m modfab.pages.systolic_diagram`"
    )


# ---- the contract's choices ----
def test_values_in_the_constants_are_one(bench: Bench, rng: random.Random) -> None:
    modulus = odd(rng, 16)
    value = rng.randrange(modulus)
    for constant in range(3):
        times = Command(Op.MUL, dst0=B, a0=A, b=constant)
        stored = bench.both(
            [*bench.start(modulus), bench.load(A, value), times, Command(Op.STORE, a0=B)]
        )
        assert stored == [value]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"RadixBits": 0}, "Parameter RadixBits must be one of 1..6 (bits), but 0 was given"),
        ({"RadixBits": 7}, "Parameter RadixBits must be one of 1..6"),
        ({"ElementBits": 2}, "Parameter ElementBits must be one of 1, 4, 8, 16 (bits)"),
        ({"ElementBits": 4}, "ElementBits must be 1 unless RadixBits is 1, but ElementBits = 4"),
        ({"NumSlots": 129}, "Parameter NumSlots must be one of 8..128"),
    ],
)
def test_bad_parameters(options: dict[str, int], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        get_engine("systolic").resolve(256, options)
    assert expected in str(error.value)
