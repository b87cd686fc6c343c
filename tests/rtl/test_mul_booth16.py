# SPDX-License-Identifier: Apache-2.0
"""What is particular to the Booth engine: digits, bounds, signed slots, the paper's cycles."""

from __future__ import annotations

import random
from typing import Any

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.host.open import open_device
from modfab.host.rsa import RsaOnModexp
from modfab.models.engine import Command, Op
from modfab.models.mul_booth16 import (
    BOOTH4,
    BOOTH16,
    RADIX2,
    RADIX16,
    Booth16Config,
    Booth16Model,
    digits,
    product,
    quotient,
)
from modfab.paths import rtl_dir
from tests.contract.bench import A, B, Bench, C
from tests.support.rsa_keys import make_key, ours
from tests.support.strategies import moduli

PUBLISHED = rtl_dir().parent / "results" / "published" / "nguyen-pham.toml"
DATA: dict[str, Any] = tomli.loads(PUBLISHED.read_text())
RECODINGS = (BOOTH16, RADIX16, BOOTH4, RADIX2)
DIGIT_BITS = {BOOTH16: 4, RADIX16: 4, BOOTH4: 2, RADIX2: 1}
configs = st.builds(Booth16Config, st.integers(16, 300), st.sampled_from(RECODINGS))

# Digits of the multiplier and of the quotient: lowest and highest, then those of the last digit.
DIGIT_RANGES = {
    BOOTH16: ((-8, 8), (-4, 4), (-7, 8), (-7, 8)),
    RADIX16: ((0, 15), (-4, 3), (0, 15), (-8, 7)),
    BOOTH4: ((-2, 2), (-1, 1), (-1, 2), (-1, 2)),
    RADIX2: ((0, 1), (-1, 0), (0, 1), (-1, 0)),
}


def cycles(num_bits: int, recoding: int) -> int:
    engine = get_engine("booth16")
    return engine.cycles.mul(engine.resolve(num_bits, {"Recoding": recoding}))


def test_the_papers_cycles() -> None:
    row = next(row for row in DATA["row"] if "ours" in row)
    assert cycles(DATA["num_bits"], row["ours"]["params"]["Recoding"]) == row["cycles"] == 518


@pytest.mark.parametrize("recoding", RECODINGS)
def test_cycles_of_every_width(recoding: int) -> None:
    """Algorithm 2 of the paper: the loop runs floor((n + 5) / 4) + 1 times in radix 16."""
    bits = DIGIT_BITS[recoding]
    for num_bits in range(16, 4097):
        assert cycles(num_bits, recoding) == (num_bits + 1 + bits) // bits + 1 + 4


def test_published_figures_agree_with_each_other() -> None:
    for row in DATA["row"]:
        assert row["time_us"] == pytest.approx(row["cycles"] * row["clock_ns"] / 1000, rel=0.01)
        area_time = (row["lut"] + row["ff"]) * row["cycles"] * row["clock_ns"] / 1e6
        assert row["area_time"] == pytest.approx(area_time, rel=0.02)


@pytest.mark.full
def test_rtl_takes_518_cycles_at_2048_bits(rng: random.Random) -> None:
    engine = get_engine("booth16")
    bench = Bench(engine, engine.resolve(2048))
    try:
        modulus = bench.moduli(rng)[-1]
        a, b = rng.randrange(modulus), rng.randrange(modulus)
        program = [*bench.start(modulus), bench.load(A, a), bench.load(B, b)]
        program += [Command(Op.MUL, dst0=C, a0=A, b=B)] * 3 + [Command(Op.STORE, a0=C)]
        results = bench.rtl.run_all(program).results
        assert [result.cycles for result in results[4:7]] == [518] * 3
    finally:
        bench.rtl.close()


@given(configs, st.data())
def test_digits_have_the_value_and_the_range(cfg: Booth16Config, data: st.DataObject) -> None:
    bound = (1 << cfg.num_bits) - 1
    x = data.draw(st.integers(-bound, bound))
    found = digits(x, cfg)
    assert sum(digit << (cfg.digit_bits * i) for i, digit in enumerate(found)) == x
    inner, top, _, _ = DIGIT_RANGES[cfg.recoding]
    assert all(inner[0] <= digit <= inner[1] for digit in found[:-1])
    assert top[0] <= found[-1] <= top[1]


@given(configs, st.integers(0, 1 << 20), st.booleans())
def test_quotient_divides_and_has_its_range(cfg: Booth16Config, s: int, last: bool) -> None:
    radix = 1 << cfg.digit_bits
    for m in range(1, 2 * radix, 2):
        q = quotient(s, -pow(m, -1, radix) % radix, cfg, last)
        assert (s + q * m) % radix == 0
        low, high = DIGIT_RANGES[cfg.recoding][3 if last else 2]
        assert low <= q <= high


@given(configs, st.data())
def test_products_stay_in_range(cfg: Booth16Config, data: st.DataObject) -> None:
    modulus = data.draw(moduli(cfg.num_bits))
    factors = st.integers(1 - modulus, modulus - 1) | st.sampled_from([1 - modulus, modulus - 1])
    x, y = data.draw(factors), data.draw(factors)
    p = product(x, y, modulus, cfg)
    assert -modulus < p < modulus
    assert (p * (1 << cfg.r_bits) - x * y) % modulus == 0


@pytest.mark.parametrize(
    ("recoding", "num_bits"),
    [
        (BOOTH16, 40),
        (BOOTH16, 384),  # the narrowest with two segments of columns
        *(pytest.param(r, 40, marks=pytest.mark.full) for r in (RADIX16, BOOTH4, RADIX2)),
        *(pytest.param(r, 700, marks=pytest.mark.full) for r in (RADIX16, BOOTH4, RADIX2)),
    ],
)
def test_negative_slots_are_corrected(recoding: int, num_bits: int, rng: random.Random) -> None:
    """Negative products, as factors of a next one and stored: both signs must have occurred."""
    engine = get_engine("booth16")
    bench = Bench(engine, engine.resolve(num_bits, {"Recoding": recoding}))
    assert isinstance(bench.model, Booth16Model)
    try:
        modulus = rng.getrandbits(num_bits) | 1 << (num_bits - 1) | 1
        bench.both([*bench.start(modulus), bench.load(A, 3), bench.load(B, modulus - 1)])
        signs = set()
        value = 3
        for _ in range(40):
            bench.both([Command(Op.MUL, dst0=A, a0=A, b=B)])
            signs.add(bench.model.slots[A] < 0)
            value = bench.product(value, modulus - 1, modulus)
            assert bench.both([Command(Op.STORE, a0=A)]) == [value]
        assert signs == {False, True}
    finally:
        bench.rtl.close()


@pytest.mark.parametrize(
    ("sequencer", "num_bits", "recoding"),
    [
        ("ladder", 48, BOOTH16),
        pytest.param("l2r", 33, RADIX16, marks=pytest.mark.full),
        pytest.param("r2l", 50, BOOTH4, marks=pytest.mark.full),
        pytest.param("ladder", 32, RADIX2, marks=pytest.mark.full),
    ],
)
def test_exponentiation(sequencer: str, num_bits: int, recoding: int, rng: random.Random) -> None:
    options = {"Recoding": recoding}
    with open_device("sim", "booth16", num_bits, sequencer, options) as device:
        for _ in range(5):
            modulus = rng.getrandbits(num_bits) | 1 << (num_bits - 1) | 1
            base, exponent = rng.randrange(modulus), rng.getrandbits(num_bits)
            result = device.powmod(base, exponent, modulus)
            assert result.value == pow(base, exponent, modulus)


@pytest.mark.full
@pytest.mark.parametrize("num_bits", [1024, 2048])
def test_rsa_with_the_ladder(num_bits: int, rng: random.Random) -> None:
    engine, key = get_engine("booth16"), ours(make_key(rng, num_bits))
    with open_device("sim", "booth16", num_bits, "ladder") as device:
        core, message = RsaOnModexp(device), rng.randrange(key.n)
        cipher = pow(message, key.e, key.n)
        assert core.private_operation(key)(cipher) == message
        assert core.last is not None
        products = 2 * num_bits + 2
        assert core.last.exp_cycles == products * cycles(num_bits, BOOTH16) + 3
        assert core.last.setup_cycles == engine.cycles.setup(engine.resolve(num_bits))


@pytest.mark.parametrize(
    ("bits", "options", "expected"),
    [
        (15, {}, "Parameter NumBits must be one of 16..4096 (bits), but 15 was given"),
        (64, {"Recoding": 4}, "Parameter Recoding must be one of 0, 1, 2, 3"),
        (64, {"NumSlots": 129}, "Parameter NumSlots must be one of 8..128"),
    ],
)
def test_bad_parameters(bits: int, options: dict[str, int], expected: str) -> None:
    with pytest.raises(UsageError) as error:
        get_engine("booth16").resolve(bits, options)
    assert expected in str(error.value)
