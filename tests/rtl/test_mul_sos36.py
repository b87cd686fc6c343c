# SPDX-License-Identifier: Apache-2.0
"""What is particular to sos36: cycles of squares, slots that decide them, bounds of a row."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from modfab.build.core import modexp_core
from modfab.build.rsa import rsa_core
from modfab.catalog import get_engine, get_sequencer
from modfab.errors import UsageError
from modfab.models.engine import SLOT_BASE, SLOT_MOD, SLOT_R, SLOT_RESULT, Command, Op
from modfab.models.mul_sos36 import (
    DIGIT_BITS,
    Sos36Model,
    negative_inverse,
    row,
    rows_of_step1,
    sos36_product,
)
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.numbers import from_words, to_words, words_of
from tests.contract.bench import A, B, Bench, C, D
from tests.support.rsa_core import load_anew, make_key, make_model, ok, operate

SQUARES, PRODUCTS = 5, 1
"""The mix of a window exponentiation that the engine is for."""
MULTIPLIER_CYCLES = 6_000
"""Four multipliers times the cycles of that mix at 1024 bits, at most."""


def cycles(num_bits: int, slots: tuple[int, int], **options: int) -> int:
    engine = get_engine("sos36")
    return engine.product_cycles(engine.resolve(num_bits, options), *slots)


def test_cycles_of_a_windows_mix() -> None:
    square, product = cycles(1024, (A, A)), cycles(1024, (A, B))
    length = 29
    assert product == 2 * length * (length + 1) + 11  # the text in the catalogue
    assert square == length * (3 * length + 5) // 2 + 26
    mean = (SQUARES * square + PRODUCTS * product) / (SQUARES + PRODUCTS)
    assert 4 * mean <= MULTIPLIER_CYCLES


def test_a_window_exponentiation_keeps_to_the_mix() -> None:
    config = modexp_core("sos36", 1024, sequencer="window")
    whole = config.cycles()["exp"] - config.engine.cycles.store_latency(config.params)
    commands = list(config.sequencer.commands((1 << 1024) - 1, 1024, 1))
    assert 4 * whole <= MULTIPLIER_CYCLES * len(commands)


@pytest.fixture(scope="module")
def core() -> Iterator[Bench]:
    """Built for 1024 bits, used at any width."""
    engine = get_engine("sos36")
    bench = Bench(engine, engine.resolve(1024))
    yield bench
    bench.rtl.close()


@pytest.mark.parametrize("bits", [32, 64, 256, 288, 512, 1024])
def test_core_for_1024_bits_at_other_widths(core: Bench, bits: int, rng: random.Random) -> None:
    """288 bits fill words of 36: another one has the bits to spare."""
    core.choose_words(words_of(bits))
    for modulus in (rng.getrandbits(bits) | 1 << (bits - 1) | 1, (1 << bits) - 1, 3):
        core.both([*core.start(modulus), core.load(A, modulus - 1), core.load(B, modulus // 2)])
        slots = {A: modulus - 1, B: modulus // 2, C: 0, D: 0}
        chain = []
        for _ in range(8):
            dst, (a0, b) = rng.choice((C, D)), rng.choice([(A, A), (A, B), (C, C), (D, D), (D, C)])
            chain.append(Command(Op.MUL, dst0=dst, a0=a0, b=b))
            slots[dst] = core.product(slots[a0], slots[b], modulus)
        first = [Command(Op.MUL, dst0=slot, a0=slot, b=A) for slot in (C, D)]
        core.both([core.load(C, 0), core.load(D, 0), *first])
        assert core.both([*chain, *(Command(Op.STORE, a0=slot) for slot in slots)]) == list(
            slots.values()
        )


def test_slots_decide_and_not_what_they_hold(core: Bench, rng: random.Random) -> None:
    core.choose_words(8)
    modulus = rng.getrandbits(256) | 1 << 255 | 1
    value = rng.randrange(modulus)
    core.both([*core.start(modulus), core.load(A, value), core.load(B, value), core.load(C, 0)])
    products = [Command(Op.MUL, dst0=D, a0=a0, b=b) for a0, b in ((A, B), (A, C), (A, A), (C, C))]
    found = [result.cycles for result in core.rtl.run_all(products).results]
    product, square = cycles(256, (A, B)), cycles(256, (A, A))
    assert found == [product, product, square, square]
    assert square < product


@pytest.mark.parametrize("sequencer", ["window", "window5", "ladder", "r2l"])
def test_a_cores_sequencer_has_the_same_cycles_for_every_exponent(
    sequencer: str, rng: random.Random
) -> None:
    """Whether slot 1 squared is a square is as the sequencer needs it; otherwise it shows."""
    config, exp_bits = modexp_core("sos36", 256, {"NumSlots": 48}, sequencer), 10
    bench = Bench(config.engine, config.params)
    modulus = rng.getrandbits(256) | 1 << 255 | 1
    base = rng.randrange(modulus)
    sent = get_sequencer(sequencer)
    bench.both(bench.start(modulus))
    seen, formulas, wrong = set(), set(), set()
    other = {**config.params, "LongR": 1 - config.params["LongR"]}
    for exponent in (1, 0b1000000000, 0b1111111111, rng.getrandbits(exp_bits)):
        stream = list(sent.commands(exponent, exp_bits, 1))
        bench.both([bench.load(SLOT_BASE, base)])
        run = bench.rtl.run_all([*stream, Command(Op.STORE, a0=SLOT_RESULT)])
        assert from_words(run.results[-1].words) == pow(base, exponent, modulus)
        spent = sum(result.cycles for result in run.results[:-1])
        seen.add(spent + run.results[-1].first_word)
        formulas.add(sent.exp_cycles(config.engine, config.params, exponent, exp_bits))
        wrong.add(sent.exp_cycles(config.engine, other, exponent, exp_bits))
    bench.rtl.close()
    assert seen == formulas
    assert len(seen) == 1
    assert len(wrong) == (1 if sequencer == "r2l" else 2)


@pytest.mark.parametrize("sequencer", ["ladder", "window"])
def test_an_rsa_cores_formulas_know_squares(sequencer: str, rng: random.Random) -> None:
    config = rsa_core("sos36", 256, sequencer=sequencer)
    model = make_model(config, lambda: rng.getrandbits(32))
    key = make_key(rng, 256, 256)
    assert ok(load_anew(model, key)) == config.programs().program(RsaEntry.KEY, USUAL_E)
    message = rng.randrange(key.n)
    for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC):
        run = operate(model, key, message, entry)
        assert ok(run) == config.programs().program(entry, USUAL_E)


def test_slot_1_squared_is_a_product_where_the_sequencer_wants_it() -> None:
    assert cycles(256, (SLOT_R, SLOT_R)) == cycles(256, (A, A))
    assert cycles(256, (SLOT_R, SLOT_R), LongR=1) == cycles(256, (A, B))


def check_rows(a: list[int], b: list[int] | None, modulus: list[int], digit_bits: int) -> int:
    """The rows of a product against their bounds; returns its value."""
    size, mask = len(a), (1 << digit_bits) - 1
    inverse = -pow(modulus[0], -1, 1 << digit_bits) & mask
    multiple = [1] + [0] * size
    assert row(multiple, 0, inverse, [*modulus, 0], 0, digit_bits) == 0
    assert multiple[0] == 0
    assert from_words(multiple, digit_bits) >> digit_bits < from_words(modulus, digit_bits)
    total = [0] * (2 * size)
    for place, factor, operand in rows_of_step1(a, b, digit_bits):
        assert row(total, place, factor, operand, 0, digit_bits) == 0
    tops = [0]
    for i in range(1, size):
        operand = [*multiple[1:], 0]
        tops.append(row(total, i, total[i - 1], operand, tops[-1], digit_bits))
    assert set(tops) <= {0, 1}
    assert tops[-1] == 0
    last = total[size - 1] * inverse & mask
    assert row(total, size - 1, last, [*modulus, 0], 0, digit_bits) == 0
    assert total[size - 1] == 0
    return from_words(total[size:], digit_bits)


@pytest.mark.parametrize(("digit_bits", "size"), [(4, 2), (6, 1)])
def test_every_small_product_stays_in_its_bounds(digit_bits: int, size: int) -> None:
    """Every modulus with four bits to spare, every pair of factors below 3M, tiny words."""
    inverse_r = 1 << digit_bits * size
    for modulus in range(3, 1 << digit_bits * size - 4, 2):
        m = to_words(modulus, size, digit_bits)
        words = [to_words(value, size, digit_bits) for value in range(3 * modulus)]
        for (a, words_a), (b, words_b) in itertools.product(enumerate(words), repeat=2):
            value = check_rows(words_a, words_b, m, digit_bits)
            assert value < 3 * modulus
            assert (value * inverse_r - a * b) % modulus == 0
            if a == b:
                assert check_rows(words_a, None, m, digit_bits) == value


def test_longer_products_stay_in_their_bounds(rng: random.Random) -> None:
    for _ in range(1500):
        digit_bits, size = rng.randrange(5, 8), rng.randrange(2, 6)
        bits = digit_bits * size - 4
        modulus = rng.choice([(1 << bits) - 1, rng.getrandbits(bits) | 1 << (bits - 1) | 1])
        factors = [
            to_words(rng.choice([3 * modulus - 1, rng.randrange(3 * modulus)]), size, digit_bits)
            for _ in range(2)
        ]
        m = to_words(modulus, size, digit_bits)
        for second in (factors[1], None):
            assert check_rows(factors[0], second, m, digit_bits) < 3 * modulus


def test_model_product_is_the_product_word_by_word(rng: random.Random) -> None:
    for _ in range(60):
        words = rng.randrange(1, 12)
        bits = 32 * words
        modulus = rng.choice([(1 << bits) - 1, rng.getrandbits(bits) | 1 << (bits - 1) | 1, 3])
        model = Sos36Model(bits, 8, 3)
        model.run(Command(Op.LOAD, dst0=SLOT_MOD, words=tuple(to_words(modulus, words))))
        model.run(Command(Op.SETUP))
        a = rng.choice([0, 3 * modulus - 1, rng.randrange(3 * modulus)])
        b = rng.choice([1, 3 * modulus - 1, rng.randrange(3 * modulus)])
        value, _ = model.multiply(a, b)
        size = model.timing.num_words
        x, y, n = (to_words(number, size, DIGIT_BITS) for number in (a, b, modulus))
        assert value == from_words(sos36_product(x, y, n), DIGIT_BITS) < 3 * modulus
        assert model.square(a)[0] == from_words(sos36_product(x, None, n), DIGIT_BITS)


def test_negative_inverse(rng: random.Random) -> None:
    for word in (1, (1 << DIGIT_BITS) - 1, rng.getrandbits(DIGIT_BITS) | 1):
        assert (negative_inverse(word) * word + 1) % (1 << DIGIT_BITS) == 0


@pytest.mark.parametrize(
    ("bits", "options", "expected"),
    [
        (31, {}, "Parameter NumBits must be one of 32..4096 (bits), but 31 was given"),
        (64, {"MulStages": 1}, "Parameter MulStages must be one of 2, 3, 4"),
        (64, {"LongR": 2}, "Parameter LongR must be one of 0, 1"),
    ],
)
def test_bad_parameters(bits: int, options: dict[str, int], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        get_engine("sos36").resolve(bits, options)
    assert expected in str(error.value)
