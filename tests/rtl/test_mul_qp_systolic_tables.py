# SPDX-License-Identifier: Apache-2.0
"""The tables of q * mh: every entry that set-up writes, what a wipe leaves, bounds, refusals."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modfab.catalog import get_engine
from modfab.errors import UsageError
from modfab.models.engine import SLOT_FREE, Command, Op
from modfab.models.mul_qp_systolic import multiple, table
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.numbers import from_words
from modfab.pages.waveform import read_vcd
from tests.contract.bench import Bench
from tests.contract.pair import pair_port
from tests.formal.test_formal import LIMIT_S, ROOT, prove
from tests.support.strategies import moduli

ENGINE = get_engine("qp_systolic")
Key = tuple[int, int, int]
"""Element, modulus and number of an entry."""


@given(st.data())
def test_two_entries_are_the_product_with_a_quotient_digit(data: st.DataObject) -> None:
    bits = data.draw(st.integers(64, 200), label="bits")
    shape = Shape(bits, data.draw(st.integers(8, 18), label="digit"), tables=True)
    n = data.draw(moduli(bits), label="modulus")
    w, low = shape.digit_bits, shape.table_bits
    entries, mh = table(n, shape), multiple(n, shape)
    q = data.draw(st.integers(0, (1 << w) - 1), label="q")
    lower, upper = entries[q & ((1 << low) - 1)], entries[q >> low]
    digits = [a + (b << low) for a, b in zip(lower, upper, strict=True)]
    assert sum(digit << (w * j) for j, digit in enumerate(digits)) == q * mh
    assert max(digits) <= ((1 << w) - 1) ** 2  # as a product of two digits
    assert shape.table_digits <= shape.num_digits


def written(path: Path, shape: Shape) -> dict[Key, int]:
    """What the tables hold at the end of a run, from the writes that it shows."""
    names = ["fill_at", "modulus_at", "q_at", "entry_q"]
    waves = read_vcd(path, "u_array", names)
    memory: dict[Key, int] = {}
    w, index = shape.digit_bits, (1 << shape.table_bits) - 1
    for words in zip(*(waves[name] for name in names), strict=True):
        fill, modulus, q, entry = (int(word, 2) for word in words)
        for j in range(shape.table_digits):
            if fill >> j & 1:
                place = (j, modulus >> j & 1, q >> (w * j) & index)
                memory[place] = entry >> (w * j) & ((1 << w) - 1)
    return memory


def values(memory: Mapping[Key, int], shape: Shape, modulus: int) -> list[int]:
    """Every entry of a modulus, as a number."""
    return [
        from_words([memory[j, modulus, v] for j in range(shape.table_digits)], shape.digit_bits)
        for v in range(1 << shape.table_bits)
    ]


@pytest.mark.parametrize(
    ("pair", "digit"),
    [
        (False, 9),
        (True, 18),
        *(
            pytest.param(pair, digit, marks=pytest.mark.full)
            for pair in (False, True)
            for digit in (8, 13, 17)
        ),
    ],
)
def test_setup_writes_every_entry_and_a_wipe_zeros(
    pair: bool, digit: int, rng: random.Random, shape_rng: random.Random, tmp_path: Path
) -> None:
    engine = pair_port(ENGINE) if pair else ENGINE
    shape = Shape(shape_rng.randrange(64, 110), digit, tables=True)
    port = shape_rng.randrange(2) if pair else 0
    own = {"DigitBits": digit, "QuotientTables": 1}
    own |= {"Port": port, "Lag": shape_rng.randrange(1, 65)} if pair else {}
    bench = Bench(engine, engine.resolve(shape.num_bits, own), seed=rng.getrandbits(32))
    bench.rtl.forget()
    bench.rtl.wipe(zeroize=False)
    bench.both(bench.start(bench.moduli(rng)[-1]))
    bench.rtl.replay(tmp_path / "filled.vcd")
    memory = written(tmp_path / "filled.vcd", shape)
    mh = multiple(bench.model.modulus, shape)
    assert values(memory, shape, port) == [v * mh for v in range(1 << shape.table_bits)]

    bench.rtl.wipe(zeroize=True)
    bench.rtl.replay(tmp_path / "wiped.vcd")
    memory = written(tmp_path / "wiped.vcd", shape)
    for number in range(2 if pair else 1):
        assert values(memory, shape, number) == [0] * (1 << shape.table_bits)
    bench.rtl.close()


def test_products_wait_for_full_tables(rng: random.Random, shape_rng: random.Random) -> None:
    """The shortest set-up that is built: a modulus with the highest bound that tables take."""
    for digit in (9, 13):
        bits = shape_rng.randrange(64, 80)
        fits = [
            k for k in range(bits) if Shape(bits, digit, min_mod_bits=k, tables=True).hides_fill
        ]
        own = {"DigitBits": digit, "QuotientTables": 1, "MinModBits": fits[-1]}
        bench = Bench(ENGINE, ENGINE.resolve(bits, own))
        modulus = bench.moduli(rng)[-1]
        a = rng.randrange(modulus)
        program = [*bench.start(modulus), bench.load(SLOT_FREE, a)]
        program += [Command(Op.MUL, dst0=SLOT_FREE, a0=SLOT_FREE, b=SLOT_FREE)]
        program += [Command(Op.STORE, a0=SLOT_FREE)]
        assert bench.both(program) == [bench.product(a, a, modulus)]
        bench.rtl.close()


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ({"NumElements": 3}, "must be 0 in a folded array, but 1 was given"),
        ({"DigitBits": 9, "MinModBits": 69}, "MinModBits of 69 at 70 bits in digits of 9, but 1"),
    ],
)
def test_what_has_no_tables_is_refused(overrides: dict[str, int], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        ENGINE.resolve(70, {"QuotientTables": 1} | overrides)


def test_multiplier_cycles_of_a_product() -> None:
    shape = Shape(1024, 18, tables=True)
    assert shape.num_digits * shape.period / 2 <= 3800
    assert shape.period == Shape(1024, 18).period
    assert shape.setup_cycles == Shape(1024, 18).setup_cycles


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (".b_i  ({1'b0, mh_i[j], carry[j]})", ".b_i  ({1'b0, mh_i[j], 1'b0})"),
        ("upper_i[j]) << TableBits", "upper_i[j]) << (TableBits - 1)"),
    ],
)
def test_the_proof_fails_for_a_wrong_table(right: str, wrong: str, tmp_path: Path) -> None:
    """A carry that is lost; an entry at the wrong weight."""
    for folder in ("formal/mul_qp_systolic", "rtl/prim/generic"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    harness = tmp_path / "formal/mul_qp_systolic/mf_formal_qp_systolic_table.sv"
    text = harness.read_text()
    assert text.count(right) == 1
    harness.write_text(text.replace(right, wrong))
    path = tmp_path / "formal/mul_qp_systolic/table.sby"
    code, output = prove(path, tmp_path / "run", LIMIT_S, "w13")
    assert code != 0
    assert "DONE (FAIL" in output
