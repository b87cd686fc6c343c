# SPDX-License-Identifier: Apache-2.0
"""Loads that reduce, multiply or add, on the engines that have them (rtl/mul/README.md)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from modfab.models.engine import SLOT_ONE, SLOT_R, SLOT_R2, Command, Op
from tests.contract.bench import A, B, Bench, C, D, load_by, needs, store


def test_wide_load_takes_every_value(bench: Bench, rng: random.Random) -> None:
    """Engines that say so take every number of NumBits bits, and reduce it."""
    needs(bench.engine.wide_load, "loads of values above the modulus")
    limit = 1 << bench.num_bits
    for modulus in bench.moduli(rng):
        bench.both(bench.start(modulus))
        for a in (modulus, limit - 1, rng.randrange(limit)):
            square = Command(Op.MUL, dst0=B, a0=A, b=A)
            program = [
                bench.load(A, a),
                square,
                Command(Op.MUL, dst0=C, a0=B, b=A),
                *store(A, B, C),
            ]
            b = bench.product(a, a, modulus)
            assert bench.both(program) == [a % modulus, b, bench.product(b, a, modulus)]


def filled(bench: Bench, modulus: int, rng: random.Random) -> dict[int, int]:
    """Set up a modulus and load A and B; the values of all slots that have one."""
    a, b = modulus - 1, rng.randrange(modulus)
    bench.both([*bench.start(modulus), bench.load(A, a), bench.load(B, b)])
    r = (1 << bench.r_bits) % modulus
    return {SLOT_ONE: 1, SLOT_R: r, SLOT_R2: r * r % modulus, A: a, B: b}


def test_load_with_a_factor_is_a_load_and_a_product(bench: Bench, rng: random.Random) -> None:
    """Engines that say so multiply what they load, any number of NumBits bits, in a load's time."""
    needs(bench.engine.load_factor, "loads with a factor")
    limit = 1 << bench.num_bits
    for modulus in bench.moduli(rng):
        values = filled(bench, modulus, rng)
        loaded = [*bench.operands(modulus, rng), modulus, limit - 1, rng.randrange(limit)]
        for value in loaded if bench.engine.wide_load else loaded[:-3]:
            for factor in (SLOT_R, *rng.sample(sorted(values)[1:], 2)):
                two = [bench.load(C, value), Command(Op.MUL, dst0=C, a0=C, b=factor)]
                expected = bench.product(value, values[factor], modulus)
                program = [load_by(bench, D, value, factor), *two, *store(D, C)]
                assert bench.both(program) == [expected] * 2
        assert bench.both(store(*values)) == list(values.values())


def test_a_load_adds_a_slot(bench: Bench, rng: random.Random) -> None:
    """Engines that say so; any slot, the loaded one too, and any factor, in a load's time."""
    needs(bench.model.load_sum, "loads that add a slot")
    limit = 1 << bench.num_bits
    for modulus in bench.moduli(rng):
        values = filled(bench, modulus, rng)
        divided = pow(2, -bench.engine.sum_bits(bench.params), modulus)
        for value in (0, limit - 1, modulus, rng.randrange(limit)):
            for addend in (SLOT_R, A, B, SLOT_R2):
                factor = rng.choice(sorted(values))
                own = bench.product(value, values[factor], modulus) if factor else value
                expected = (own + values[addend] * divided) % modulus
                load = replace(load_by(bench, C, value, factor), a0=addend)
                again = replace(load_by(bench, C, value, factor), a0=C)
                twice = (own + expected * divided) % modulus
                square = Command(Op.MUL, dst0=D, a0=C, b=C)
                assert bench.both([load, *store(C), again, square, *store(C, D)]) == [
                    *(expected, twice),
                    bench.product(twice, twice, modulus),
                ]
        assert bench.both(store(*values)) == list(values.values())


def test_an_added_slot_may_have_been_written_just_before(bench: Bench, rng: random.Random) -> None:
    """By a product, a load, a load that adds."""
    needs(bench.model.load_sum, "loads that add a slot")
    modulus = bench.moduli(rng)[-1]
    divided = pow(2, -bench.engine.sum_bits(bench.params), modulus)
    a, b, c = (rng.randrange(modulus) for _ in range(3))
    add = replace(load_by(bench, C, c, B), a0=A)
    program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b)]
    program += [Command(Op.MUL, dst0=A, a0=A, b=B), add, replace(add, a0=C)]
    program += [bench.load(A, a), replace(add, dst0=D)]
    product, own = bench.product(a, b, modulus), bench.product(c, b, modulus)
    first = (own + product * divided) % modulus
    expected = [(own + first * divided) % modulus, (own + a * divided) % modulus]
    assert bench.both([*program, *store(C, D)]) == expected


@pytest.mark.parametrize("stalled", [False, True], ids=["flowing", "stalled"])
def test_factor_of_a_load_may_have_been_written_just_before(
    bench: Bench, rng: random.Random, stalled: bool
) -> None:
    """By a product, a pair, a load with a factor; the factor's slot may be the loaded one."""
    needs(bench.engine.load_factor, "loads with a factor")
    modulus = bench.moduli(rng)[-1]
    a, b, c = (rng.randrange(modulus) for _ in range(3))
    program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b)]
    program += [Command(Op.MUL, dst0=A, a0=A, b=B), load_by(bench, C, c, A)]
    a = bench.product(a, b, modulus)
    c = bench.product(c, a, modulus)
    if bench.model.num_lanes == 2:
        program.append(Command(Op.MUL2, dst0=C, a0=A, b=B, dst1=A, a1=C))
        a, c = bench.product(c, b, modulus), bench.product(a, b, modulus)
    program += [load_by(bench, C, b, C), load_by(bench, D, a, C)]
    program.append(Command(Op.MUL, dst0=D, a0=D, b=C))
    c = bench.product(b, c, modulus)
    d = bench.product(bench.product(a, c, modulus), c, modulus)
    stall_seed = rng.randrange(1, 1 << 32) if stalled else 0
    assert bench.both([*program, *store(A, B, C, D)], stall_seed) == [a, b, c, d]
