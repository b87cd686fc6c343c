# SPDX-License-Identifier: Apache-2.0
"""What is particular to the SOS engine: the paper's cycles, run-time width, bounds of a row."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.models.engine import SLOT_MOD, Command, Op
from modfab.models.mul_sos import SosModel, negative_inverse, row, sos_product
from modfab.numbers import from_words, to_words, words_of
from tests.contract.bench import A, B, Bench, C, store

PAPER_CYCLES = {160: 107, 256: 203, 512: 635, 1024: 2267}
"""[QURESHI08] Table 1 and its formula 2b(b+1) + 23 with b = n/32 + 1."""
RATIO_64 = 0.30
"""A 64 bit word may take this part of the paper's cycles at 1024 bits."""


def product_cycles(num_bits: int, **options: int) -> int:
    engine = get_engine("sos")
    return engine.cycles.mul(engine.resolve(num_bits, options))


@pytest.mark.parametrize("bits", PAPER_CYCLES)
def test_paper_formula(bits: int) -> None:
    b = bits // 32 + 1
    assert 2 * b * (b + 1) + 23 == PAPER_CYCLES[bits]


@pytest.mark.parametrize("bits", PAPER_CYCLES)
def test_products_take_at_most_the_papers_cycles(bits: int) -> None:
    steady, alone = product_cycles(bits), product_cycles(bits, Overlap=0)
    b = bits // 32 + 1
    # A row of step 2 waits 12 cycles for its m, the next product 11 for the first word.
    assert steady == b * b + (b - 1) * max(b, 12) + max(b, 11)
    assert steady <= PAPER_CYCLES[bits]
    assert steady < alone
    assert alone <= PAPER_CYCLES[bits] + 5 * (bits == 160)  # D2 in the engine's page
    assert product_cycles(bits, Overlap=0, MulStages=1) <= PAPER_CYCLES[bits]


def test_wide_words_take_at_most_the_part_asked_for() -> None:
    assert product_cycles(1024, WordBits=64) <= RATIO_64 * PAPER_CYCLES[1024]


@pytest.fixture(
    scope="module",
    params=[{"Overlap": 1}, {"Overlap": 0}, {"Overlap": 0, "MulStages": 1}, {"DspAdd": 1}],
    ids=["overlap", "alone", "alone-short", "adders-in-dsp-blocks"],
)
def paper_core(request: pytest.FixtureRequest) -> Iterator[Bench]:
    """The paper's core: built for 1024 bits, used at any width."""
    engine = get_engine("sos")
    bench = Bench(engine, engine.resolve(1024, request.param))
    yield bench
    bench.rtl.close()


@pytest.mark.parametrize("bits", PAPER_CYCLES)
def test_core_for_1024_bits_at_every_paper_width(
    paper_core: Bench, bits: int, rng: random.Random
) -> None:
    bench = paper_core
    bench.choose_words(words_of(bits))
    modulus = rng.getrandbits(bits) | 1 << (bits - 1) | 1
    a, b = rng.randrange(modulus), rng.randrange(modulus)
    chain = [Command(Op.MUL, dst0=C, a0=A, b=B)]
    chain += [Command(Op.MUL, dst0=C, a0=C, b=C) for _ in range(4)]
    program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b), *chain]
    run = bench.rtl.run_all([*program, Command(Op.STORE, a0=C)])
    cycles = [result.cycles for result in run.results[-1 - len(chain) : -1]]
    options = {name: bench.params[name] for name in ("Overlap", "MulStages")}
    assert cycles == [product_cycles(bits, **options)] * len(chain)
    if options != {"Overlap": 0, "MulStages": 2}:
        assert max(cycles) <= PAPER_CYCLES[bits]
    expected = bench.product(a, b, modulus)
    for _ in chain[1:]:
        expected = bench.product(expected, expected, modulus)
    assert from_words(run.results[-1].words) == expected


def test_a_result_may_need_its_topmost_word(paper_core: Bench) -> None:
    """2^64 + 4: only every 2^30th product of random factors ends with a carry."""
    bench, modulus = paper_core, (1 << 64) - 1
    bench.choose_words(2)
    a, b = 0x2B8C7B49F7, 0x1D64709EBEF5B839  # a * b = M + 5 R
    assert a * b == modulus + (5 << bench.r_bits)
    program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b)]
    bench.both([*program, Command(Op.MUL, dst0=C, a0=A, b=B)])
    assert bench.model.slots[C] == modulus + 5
    square, product = (Command(Op.MUL, dst0=slot, a0=C, b=slot) for slot in (C, A))
    stored = bench.both([*store(C), product, square, *store(A, C)])
    assert stored == [5, bench.product(5, a, modulus), bench.product(5, 5, modulus)]


def test_row_carries_and_result_stay_in_their_bounds() -> None:
    """Every modulus and every pair of factors below 2M of a two-word engine with tiny words."""
    word_bits = 3
    for modulus in range(3, 1 << word_bits, 2):
        n = to_words(modulus, 2, word_bits)
        inverse = -pow(modulus, -1, 1 << word_bits) % (1 << word_bits)
        for a, b in itertools.product(range(2 * modulus), repeat=2):
            words_a, words_b = to_words(a, 2, word_bits), to_words(b, 2, word_bits)
            total, tops = [0] * 4, [0]
            for i in range(2):
                tops.append(row(total, i, words_b[i], words_a, tops[-1], word_bits))
            assert tops[-1] == 0
            assert from_words(total, word_bits) == a * b
            for i in range(2):
                factor = total[i] * inverse % (1 << word_bits)
                tops.append(row(total, i, factor, n, tops[-1], word_bits))
            assert set(tops) <= {0, 1}
            result = from_words([total[2], tops[-1]], word_bits)
            assert result < 2 * modulus
            assert result == a * b * pow(2, -2 * word_bits, modulus) % modulus + (
                modulus if result >= modulus else 0
            )


@pytest.mark.parametrize("word_bits", [32, 64])
def test_model_product_is_the_product_word_by_word(word_bits: int, rng: random.Random) -> None:
    for _ in range(60):
        words = rng.randrange(1, 9)
        bits = 32 * words
        modulus = rng.choice([(1 << bits) - 1, rng.getrandbits(bits) | 1 << (bits - 1) | 1, 3])
        model = SosModel(bits, 8, word_bits, 2, True)
        model.run(Command(Op.LOAD, dst0=SLOT_MOD, words=tuple(to_words(modulus, words))))
        model.run(Command(Op.SETUP))
        a = rng.choice([0, 2 * modulus - 1, rng.randrange(2 * modulus)])
        b = rng.choice([1, 2 * modulus - 1, rng.randrange(2 * modulus)])
        value, _ = model.multiply(a, b)
        size = model.timing.num_words
        x, y, n = (to_words(number, size, word_bits) for number in (a, b, modulus))
        assert value == from_words(sos_product(x, y, n, word_bits), word_bits)
        assert value < 2 * modulus


@pytest.mark.parametrize("word_bits", [32, 64])
def test_negative_inverse(word_bits: int, rng: random.Random) -> None:
    for word in (1, (1 << word_bits) - 1, rng.getrandbits(word_bits) | 1):
        assert (negative_inverse(word, word_bits) * word + 1) % (1 << word_bits) == 0


@pytest.mark.parametrize(
    ("bits", "options", "expected"),
    [
        (31, {}, "Parameter NumBits must be one of 32..4096 (bits), but 31 was given"),
        (64, {"WordBits": 16}, "Parameter WordBits must be one of 32, 64"),
        (64, {"MulStages": 5}, "Parameter MulStages must be one of 1, 2, 3, 4"),
        (64, {"Overlap": 2}, "Parameter Overlap must be one of 0, 1"),
        (64, {"DspAdd": 1, "WordBits": 64}, "DspAdd = 1 needs WordBits 32, since a DSP block adds"),
    ],
)
def test_bad_parameters(bits: int, options: dict[str, int], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        get_engine("sos").resolve(bits, options)
    assert expected in str(error.value)
