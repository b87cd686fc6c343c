# SPDX-License-Identifier: Apache-2.0
"""The engine contract (rtl/mul/README.md), held against every engine in cases/."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from modfab.models.engine import SLOT_MOD, SLOT_ONE, SLOT_R, SLOT_R2, Command, Op
from modfab.models.generated.status import Status
from tests.contract.bench import A, B, Bench, C, D, load_by, needs, store


def test_setup_fills_the_constants(bench: Bench, rng: random.Random) -> None:
    for modulus in bench.moduli(rng):
        r = 1 << bench.r_bits
        stored = bench.both([*bench.start(modulus), *store(SLOT_ONE, SLOT_R, SLOT_R2)])
        assert stored == [1, r % modulus, r * r % modulus]


def test_works_right_after_power_up(built: Bench, rng: random.Random) -> None:
    """Registers start at random: one cycle of reset must be enough, whatever they hold."""
    for _ in range(3):
        fresh = Bench(built.engine, built.params, seed=rng.getrandbits(32))
        modulus = fresh.moduli(rng)[-1]
        a = rng.randrange(modulus)
        program = [*fresh.start(modulus), fresh.load(A, a), Command(Op.MUL, dst0=B, a0=A, b=A)]
        assert fresh.both([*program, *store(B)]) == [fresh.product(a, a, modulus)]
        fresh.rtl.close()


def test_products_of_boundary_operands(bench: Bench, rng: random.Random) -> None:
    for modulus in bench.moduli(rng):
        bench.both(bench.start(modulus))
        values = bench.operands(modulus, rng)
        for a in values:
            bench.both([bench.load(A, a)])
            for b in values:
                program = [bench.load(B, b), Command(Op.MUL, dst0=C, a0=A, b=B)]
                assert bench.both([*program, *store(C)]) == [bench.product(a, b, modulus)]
                if a == values[0]:  # operands stay; B once for each value, A after its products
                    assert bench.both(store(B)) == [b]
            assert bench.both(store(A)) == [a]


def resume(bench: Bench, modulus: int) -> list[Command]:
    """A short set-up and the loads that make slots 0, 1, 2 after it."""
    load, setup = bench.start(modulus)
    square = pow(2, bench.engine.resume_bits(bench.params), modulus)
    r, one = load_by(bench, SLOT_R, 1, SLOT_R2), load_by(bench, SLOT_ONE, 1, SLOT_R)
    return [load, replace(setup, b=1), bench.load(SLOT_R2, square), r, one]


def test_short_setup_goes_back_to_a_modulus(bench: Bench, rng: random.Random) -> None:
    """Engines that say so; what a load of R^2 has in b does not matter."""
    needs(bench.model.resume, "a short set-up")
    moduli = bench.moduli(rng)
    for modulus in moduli:
        bench.both(bench.start(modulus))
    for modulus in rng.sample(moduli, 4):
        a, b = (rng.randrange(modulus) for _ in range(2))
        start = resume(bench, modulus)
        start[2] = replace(start[2], b=rng.randrange(3))
        product = Command(Op.MUL, dst0=C, a0=A, b=B)
        program = [*start, bench.load(A, a), bench.load(B, b), product]
        r = (1 << bench.r_bits) % modulus
        expected = [1, r, r * r % modulus, a, bench.product(a, b, modulus)]
        stored = bench.both([*program, *store(SLOT_ONE, SLOT_R, SLOT_R2, A, C)])
        assert stored == expected
        assert bench.rtl.status is Status.OK


def test_short_setup_refuses_what_a_setup_refuses(bench: Bench, rng: random.Random) -> None:
    needs(bench.model.resume, "a short set-up")
    good = bench.moduli(rng)[-1]
    for modulus in (0, 1, good - 1):
        load, setup = bench.start(modulus)
        bench.both([*bench.start(good), load, replace(setup, b=2)])
        assert bench.rtl.status is {0: Status.MOD_ZERO, 1: Status.MOD_ONE}.get(
            modulus, Status.MOD_EVEN
        )
    assert bench.both([*resume(bench, good), *store(SLOT_ONE)]) == [1]


def test_setup_with_a_slot_is_a_setup_without_short_ones(bench: Bench, rng: random.Random) -> None:
    needs(not bench.model.resume, "whole set-ups only")
    modulus = bench.moduli(rng)[-1]
    load, setup = bench.start(modulus)
    assert bench.both([load, replace(setup, b=1), *store(SLOT_ONE)]) == [1]


def test_factor_in_the_command_of_a_modulus_has_no_effect(bench: Bench, rng: random.Random) -> None:
    """Nor has it in any load of an engine without such loads."""
    modulus = bench.moduli(rng)[-1]
    a = rng.randrange(modulus)
    load, setup = bench.start(modulus)
    program = [replace(load, b=SLOT_R2), setup]
    program.append(bench.load(A, a) if bench.engine.load_factor else load_by(bench, A, a, SLOT_R2))
    square = Command(Op.MUL, dst0=B, a0=A, b=A)
    assert bench.both([*program, square, *store(A, B)]) == [a, bench.product(a, a, modulus)]


def test_fields_that_a_command_does_not_have_are_ignored(bench: Bench, rng: random.Random) -> None:
    """The number of words by all commands but those of a modulus, slots by a set-up and a store."""
    modulus = bench.moduli(rng)[-1]
    a, b = rng.randrange(modulus), rng.randrange(modulus)
    load, setup = bench.start(modulus)
    setup = replace(setup, dst0=D, a0=A, dst1=SLOT_MOD, a1=SLOT_MOD)
    product = Command(Op.MUL, dst0=C, a0=A, b=B, dst1=SLOT_MOD, a1=SLOT_MOD, num_words=1)
    stored = Command(Op.STORE, a0=C, dst0=SLOT_MOD, b=A, dst1=SLOT_MOD, a1=D, num_words=1)
    program = [load, setup, bench.load(A, a), replace(bench.load(B, b), num_words=1)]
    c = bench.product(a, b, modulus)
    square = Command(Op.MUL, dst0=D, a0=C, b=C)
    assert bench.both([*program, product, stored, square, *store(A, D, SLOT_ONE)]) == [
        *(c, a, bench.product(c, c, modulus), 1)
    ]
    assert bench.rtl.status is Status.OK


def test_chain_of_dependent_products_has_no_bubbles(bench: Bench, rng: random.Random) -> None:
    modulus = bench.moduli(rng)[-1]
    a, b = rng.randrange(modulus), rng.randrange(modulus)
    chain = []
    for step in range(12):
        dst, left, right = [(C, A, B), (A, C, C), (B, A, C)][step % 3]
        chain.append(Command(Op.MUL, dst0=dst, a0=left, b=right))
    program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b), *chain]
    stored = bench.both([*program, *store(A, B, C)])
    slots = {A: a, B: b, C: 0}
    for command in chain:
        slots[command.dst0] = bench.product(slots[command.a0], slots[command.b], modulus)
    assert stored == [slots[A], slots[B], slots[C]]


def test_operands_and_result_may_be_one_slot(bench: Bench, rng: random.Random) -> None:
    modulus = bench.moduli(rng)[-1]
    value = rng.randrange(modulus)
    square = Command(Op.MUL, dst0=A, a0=A, b=A)
    stored = bench.both([*bench.start(modulus), bench.load(A, value), square, *store(A)])
    assert stored == [bench.product(value, value, modulus)]


def test_two_lanes_read_before_they_write(bench: Bench, rng: random.Random) -> None:
    needs(bench.model.num_lanes == 2, "a second lane")
    modulus = bench.moduli(rng)[-1]
    a, b = rng.randrange(modulus), rng.randrange(modulus)
    program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b)]
    pair = Command(Op.MUL2, dst0=A, a0=A, b=B, dst1=B, a1=B)
    stored = bench.both([*program, pair, pair, *store(A, B)])
    for _ in range(2):
        a, b = bench.product(a, b, modulus), bench.product(b, b, modulus)
    assert stored == [a, b]


def test_stalled_streams_change_nothing(bench: Bench, rng: random.Random) -> None:
    modulus = bench.moduli(rng)[-1]
    a, b = rng.randrange(modulus), rng.randrange(modulus)
    program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b)]
    program += [
        Command(Op.MUL, dst0=C, a0=A, b=B),
        *store(C, A),
        Command(Op.MUL, dst0=D, a0=C, b=A),
    ]
    for _ in range(3):
        stored = bench.both([*program, *store(D)], stall_seed=rng.randrange(1, 1 << 32))
        c = bench.product(a, b, modulus)
        assert stored == [c, a, bench.product(c, a, modulus)]


@pytest.mark.parametrize("modulus", [0, 1, 2, -2], ids=["zero", "one", "two", "largest-even"])
def test_bad_modulus_has_its_status(bench: Bench, modulus: int) -> None:
    """Whatever was found in the one before."""
    good = bench.start(bench.smallest)
    bench.both([*good, *bench.start(modulus % (1 << bench.num_bits))])
    expected = {0: Status.MOD_ZERO, 1: Status.MOD_ONE}
    assert bench.rtl.status is expected.get(modulus, Status.MOD_EVEN)
    bench.rtl.run(Command(Op.MUL, dst0=A, a0=A, b=A))  # unspecified value, but it must end
    assert bench.both([*bench.start(bench.smallest), *store(SLOT_ONE)]) == [1]
    assert bench.rtl.status is Status.OK


def test_too_wide_modulus_has_its_status(bench: Bench) -> None:
    wide = 1 << bench.num_bits
    needs(bench.num_bits % 32 != 0, "bits above the modulus in its last word")
    for bit in (wide, 1 << (32 * bench.num_words - 1)):
        bench.both(bench.start(bit | 1))
        assert bench.rtl.status is Status.MOD_WIDE
        assert bench.both([*bench.start(bench.smallest), *store(SLOT_ONE)]) == [1]


def test_modulus_below_the_bound_has_its_status(bench: Bench, rng: random.Random) -> None:
    """A modulus below 2^MinModBits is refused, whatever came before; zero, one, even go first."""
    bits = bench.engine.min_mod_bits(bench.params)
    needs(bits > 1, "a lower bound of the modulus")
    bound = 1 << bits
    small = [3, bound - 1, rng.randrange(3, bound, 2)]
    for modulus in small:
        assert bench.both([*bench.start(bench.moduli(rng)[-1]), *store(SLOT_ONE)]) == [1]
        bench.both(bench.start(modulus))
        assert bench.rtl.status is Status.MOD_SMALL
        bench.rtl.run(Command(Op.MUL, dst0=A, a0=A, b=A))  # unspecified value, but it must end
    for modulus in (0, 1, bound - 2, bound, bound << 1 & (1 << bench.num_bits) - 1):
        bench.both(bench.start(modulus))
        expected = {0: Status.MOD_ZERO, 1: Status.MOD_ONE}
        assert bench.rtl.status is expected.get(modulus, Status.MOD_EVEN)
    a = rng.randrange(bound)
    product = Command(Op.MUL, dst0=B, a0=A, b=A)
    for modulus in (bound + 1, bound + 3):
        stored = bench.both([*bench.start(modulus), bench.load(A, a), product, *store(B)])
        assert stored == [bench.product(a, a, modulus)]


def test_modulus_is_replaced(bench: Bench, rng: random.Random) -> None:
    for modulus in rng.sample(bench.moduli(rng), 3):
        a = rng.randrange(modulus)
        product = Command(Op.MUL, dst0=B, a0=A, b=A)
        stored = bench.both([*bench.start(modulus), bench.load(A, a), product, *store(B)])
        assert stored == [bench.product(a, a, modulus)]


def test_unbuilt_number_of_words_is_refused(bench: Bench) -> None:
    built = bench.model.num_words
    for num_words in (built + 1, built + 5, *range(1, built)[-1:]):
        bench.both([bench.load(SLOT_MOD, 3), Command(Op.SETUP, num_words=num_words)])
        assert bench.rtl.status is Status.NUM_WORDS


def test_model_and_catalogue_agree_on_what_there_is(bench: Bench) -> None:
    assert bench.model.num_lanes == bench.engine.num_lanes(bench.params)
    assert bench.model.runtime_words == bench.engine.runtime_words
    assert bench.model.load_factor == bench.engine.load_factor
    assert bench.model.resume == (bench.engine.resume_bits(bench.params) != 0)
    assert bench.model.load_sum == (bench.engine.sum_bits(bench.params) != 0)
    factors = bench.model.factor_slots or len(bench.model.slots)
    assert factors == bench.engine.factor_slots(bench.params)


def test_slots_beyond_the_factors_hold_values_too(bench: Bench, rng: random.Random) -> None:
    """As first operand, also of the next product; those below are left alone."""
    factors, num_slots = bench.engine.factor_slots(bench.params), bench.params["NumSlots"]
    needs(factors < num_slots, "slots that cannot be second operands")
    modulus = bench.moduli(rng)[-1]
    below = {slot: rng.randrange(modulus) for slot in (A, B, C, D)}
    beyond = {slot: rng.randrange(modulus) for slot in range(factors, num_slots)}
    slots = below | beyond
    bench.both([*bench.start(modulus), *(bench.load(*item) for item in slots.items())])
    assert bench.both(store(*slots)) == list(slots.values())
    chain = []
    for first in rng.sample(sorted(beyond), min(6, len(beyond))):
        factor, result, back = rng.choice((A, B)), rng.choice(sorted(beyond)), rng.choice((C, D))
        chain.append(Command(Op.MUL, dst0=result, a0=first, b=factor))
        chain.append(Command(Op.MUL, dst0=back, a0=result, b=rng.choice((C, D))))
        chain.append(Command(Op.MUL, dst0=result, a0=back, b=back))
    for command in chain:
        slots[command.dst0] = bench.product(slots[command.a0], slots[command.b], modulus)
    assert bench.both([*chain, *store(*slots)]) == list(slots.values())
    bench.rtl.wipe(zeroize=True)
    bench.model.zeroize()
    assert bench.both([*bench.start(modulus), *store(*slots)]) == [0] * len(slots)


def test_a_factor_beyond_its_slots_is_the_senders_fault(bench: Bench) -> None:
    """The model says so."""
    factors = bench.engine.factor_slots(bench.params)
    needs(factors < bench.params["NumSlots"], "slots that cannot be second operands")
    wrong = [Command(Op.MUL, dst0=A, a0=A, b=factors), Command(Op.LOAD, dst0=A, b=factors)]
    for command in [*wrong, Command(Op.LOAD, dst0=A, a0=factors)]:
        with pytest.raises(ValueError, match="beyond the first"):
            bench.model.run(command)


def test_width_is_chosen_with_the_modulus(bench: Bench, rng: random.Random) -> None:
    built = bench.model.num_words
    needs(bench.model.runtime_words, "run-time width")
    for num_words in {1, built, *rng.choices(range(1, built + 1), k=4)}:
        bench.choose_words(num_words)
        for modulus in bench.moduli(rng):
            values = bench.operands(modulus, rng)
            a, b = rng.sample(values, 2)
            product = Command(Op.MUL, dst0=C, a0=A, b=B)
            square = Command(Op.MUL, dst0=D, a0=C, b=C)
            program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b), product, square]
            stored = bench.both([*program, *store(SLOT_ONE, SLOT_R2, A, B, C, D)])
            c = bench.product(a, b, modulus)
            r2 = pow(2, 2 * bench.r_bits, modulus)
            assert stored == [1, r2, a, b, c, bench.product(c, c, modulus)]


def test_active_width_bounds_the_modulus_and_both_commands_agree(bench: Bench) -> None:
    built = bench.model.num_words
    needs(bench.model.runtime_words, "run-time width")
    needs(built > 1, "a number of words below the built one")
    few = Command(Op.LOAD, dst0=SLOT_MOD, num_words=built - 1, words=(3,) + (0,) * (built - 2))
    many = Command(Op.LOAD, dst0=SLOT_MOD, num_words=built + 1, words=(3,) + (0,) * (built - 1))
    for load, num_words, status in (
        (few, 0, Status.NUM_WORDS),
        (few, built - 1, Status.OK),
        (many, built + 1, Status.NUM_WORDS),
        (many, built, Status.OK),
    ):
        bench.both([load, Command(Op.SETUP, num_words=num_words)])
        assert bench.rtl.status is status
    assert bench.both([*bench.start(5), *store(SLOT_ONE)]) == [1]


@pytest.mark.parametrize("zeroize", [False, True], ids=["reset", "zeroize"])
def test_wipe_returns_to_the_built_width(bench: Bench, zeroize: bool) -> None:
    """Before a modulus the values are unspecified, and the cycles as ever."""
    needs(bench.model.runtime_words, "run-time width")
    bench.choose_words(1)
    bench.both(bench.start(5))
    bench.rtl.wipe(zeroize)
    bench.model.zeroize()
    for command in (Command(Op.MUL, dst0=A, a0=A, b=B), *store(A)):
        bench.check_formula(command, bench.rtl.run(command))


def test_loading_a_modulus_ends_the_old_one(bench: Bench) -> None:
    assert bench.both([*bench.start(bench.smallest), *store(SLOT_ONE)]) == [1]
    bench.both([bench.load(SLOT_MOD, bench.smallest + 2)])
    assert bench.rtl.status is Status.NO_MODULUS


@pytest.mark.parametrize("zeroize", [False, True], ids=["reset", "zeroize"])
def test_wipe_forgets_what_was_found_in_a_modulus(bench: Bench, zeroize: bool) -> None:
    """A set-up by itself after a wipe finds the modulus 0, whatever was loaded before."""
    wide = (1 << (32 * bench.model.num_words)) - 1
    for modulus in (wide, wide - 1, 1, bench.smallest):
        for program in (bench.start(modulus), bench.start(modulus)[:1]):
            bench.rtl.run_all(program)
            assert bench.rtl.wipe(zeroize) == bench.engine.cycles.wipe(bench.params)
            assert bench.rtl.run_all([Command(Op.SETUP)]).status is Status.MOD_ZERO


@pytest.mark.parametrize("zeroize", [False, True], ids=["reset", "zeroize"])
def test_wipe_in_flight_leaves_nothing(bench: Bench, rng: random.Random, zeroize: bool) -> None:
    modulus = bench.moduli(rng)[-1]
    value = rng.randrange(1, modulus)
    program = [*bench.start(modulus), *(bench.load(slot, value) for slot in (A, B, C, D))]
    program += [Command(Op.MUL, dst0=A, a0=B, b=B), *store(A)]
    if bench.model.num_lanes == 2:
        program.append(Command(Op.MUL2, dst0=A, a0=A, b=B, dst1=B, a1=B))
    for index in range(len(program)):
        bench.cut(program, index, rng)
        assert bench.rtl.wipe(zeroize) == bench.engine.cycles.wipe(bench.params)
        assert bench.rtl.status is Status.NO_MODULUS
        bench.model.zeroize()
        assert bench.both([*bench.start(modulus), *store(A, B, C, D)]) == [0] * 4
