# SPDX-License-Identifier: Apache-2.0
"""Cycles that pages of the RTL state are those of the formulas, to the cycle."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from modfab.build.rsa import RsaCore, public_core, rsa_core_of
from modfab.catalog import get_engine, get_sequencer
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E, walk
from modfab.paths import rtl_dir

USUAL = {"Contexts": 1}
ADDS = {**USUAL, "LoadSum": 1}
BASIC = {"hardened": 0, "exponent_words": 1}
WINDOW5 = {**ADDS, "QuotientTables": 1, "FactorSlots": 16}


def dual(params: dict[str, int], sequencer: str = "window", **choices: int) -> RsaCore:
    """RSA-2048 on the dual-port engine."""
    options = {"engines": 2, "pair": 1, **choices}
    return rsa_core_of("qp_systolic", 2048, params, sequencer, options)


def cycles(core: RsaCore, entry: RsaEntry = RsaEntry.PRIVATE) -> str:
    return f"{core.programs().program(entry, 65537):,}"


def text_of(page: str) -> str:
    return " ".join((rtl_dir() / page).read_text(encoding="utf-8").split())


def test_builds_of_the_rsa_core() -> None:
    page = text_of("rsa/README.md")
    rows = {
        "without": (USUAL, "window"),
        "with `LoadSum`": (ADDS, "window"),
        "with `LoadSum`, `window5`": (WINDOW5, "window5"),
    }
    for name, (params, sequencer) in rows.items():
        hardened = dual(params, sequencer)
        basic = cycles(dual(params, sequencer, **BASIC))
        key = cycles(hardened, RsaEntry.KEY)
        assert f"| {name} | {cycles(hardened)} | {basic} | {key} |" in page
    turn = dual({**ADDS, "TwoInTurn": 1}, "ladder", address_blinding=1)
    name = "with `LoadSum`, `TwoInTurn`, `address_blinding`"
    assert f"| {name} | {cycles(turn)} | - | {cycles(turn, RsaEntry.KEY)} |" in page
    usual, basic_core = dual(USUAL), dual(USUAL, "window", **BASIC)
    masked = dual(USUAL, "ladder", address_blinding=1)
    assert (
        f"takes {cycles(usual)} cycles (`hardened`), {cycles(basic_core)} "
        f"(`basic`) or {cycles(masked)} (`address_blinding`), a key set-up "
        f"{cycles(usual, RsaEntry.KEY)}, `derive` {cycles(usual, RsaEntry.DERIVE)}"
    ) in page


BOTH = ("LOAD2", "STORE2", "MUL2")


def on_the_first_port(core: RsaCore) -> Counter[str]:
    """Commands of a private operation to the engine of p, but for its exponentiation."""
    found, unit = Counter[str](), 0
    for address in walk(core.image, RsaEntry.PRIVATE.program):
        instruction = core.image.code[address]
        name = instruction.op.name
        if name == "UNIT":
            unit = instruction.len
        elif name == "EXPE":
            found["MUL"] += USUAL_E.bit_length() - 1 + USUAL_E.bit_count() - 1
        elif name in BOTH or (unit == 0 and name + "2" in BOTH):
            found[name.removesuffix("2")] += 1
    return found


def test_an_operation_beside_its_exponentiations() -> None:
    core = dual(WINDOW5, "window5")
    alone, unit = core.cycles()["private"], core.unit
    of_engine, params = unit.engine.cycles, unit.params
    mul, load, store = of_engine.mul(params), of_engine.load(params), of_engine.store(params)
    powers = len(list(unit.sequencer.commands(0, core.shape.private_bits, 1))) * mul
    page, beside = text_of("rsa/README.md"), alone - powers
    assert f"takes {alone:,} cycles: {beside:,} beside its exponentiations ({powers:,})" in page
    count = on_the_first_port(core)
    busy = count["MUL"] * mul + count["LOAD"] * load + count["STORE"] * store
    assert (
        f"In {busy:,} of these the port of p is at work: {count['MUL']} products, {count['LOAD']} "
        f"loads of {load} cycles, {count['STORE']} stores of {store}. The other {beside - busy:,} "
    ) in page
    products = count["MUL"] + count["LOAD"]
    hidden, left = busy - products * mul, products * mul
    assert f"hide {hidden:,} more; {products} products of {mul} cycles stay: {left:,}." in page
    few, most = (f"{100 * saved / alone:.1f} %" for saved in (beside - busy, beside - left))
    assert f"So it is {few} or {most} of a job." in page


def test_other_cores() -> None:
    page = text_of("rsa/README.md")
    keys = dual(USUAL, keys=2)
    assert f"| `change` | {cycles(keys, RsaEntry.CHANGE)} |" in page
    said = f"{cycles(keys, RsaEntry.KEY)} ({cycles(dual(USUAL), RsaEntry.KEY)} with one key)"
    assert said in page
    fast, small = public_core("qp_systolic", 2048), public_core("sos", 2048)
    both = (RsaEntry.KEY, RsaEntry.PUBLIC)
    qp, sos = ([cycles(core, entry) for entry in both] for core in (fast, small))
    wanted = (
        f"{qp[0]} cycles for the key and {qp[1]} for an operation, on `sos` {sos[0]} and {sos[1]}"
    )
    assert wanted in page
    made = text_of("rsa/keygen.md")
    for name, core in {
        "dual-port engine, `window`": dual(USUAL, keygen=1),
        "dual-port engine with tables, `LoadSum`, `window5`": dual(WINDOW5, "window5", keygen=1),
    }.items():
        assert f"| {name} | {cycles(core, RsaEntry.DERIVE)} |" in made


def products(sequencer: str, exponent: int, exp_bits: int, num_lanes: int = 1) -> Counter[str]:
    commands = get_sequencer(sequencer).commands(exponent, exp_bits, num_lanes)
    return Counter(command.op.name for command in commands)


@pytest.mark.parametrize("exp_bits", [1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 1056, 1088])
def test_products_of_the_sequencers(exp_bits: int, rng: random.Random) -> None:
    """Page of the sequencers, and what docs/measured.md says of whole windows."""
    windows, rest = -(-exp_bits // 4), exp_bits - 5
    one_lane = {
        "ladder": 2 * exp_bits + 2,
        "r2l": 2 * exp_bits,
        "window": 17 + 5 * (windows - 1),
        "window5": 33 + max(0, rest - (-rest // 5)),
        "ladder_masked": 2 * exp_bits + 3,
    }
    two_lanes = {
        "ladder": {"MUL2": exp_bits, "MUL": 2},
        "r2l": {"MUL2": exp_bits - 1, "MUL": 2},
        "ladder_masked": {"MUL2": exp_bits, "MUL": 3},
    }
    for exponent in (0, 1, (1 << exp_bits) - 1, rng.getrandbits(exp_bits)):
        for name, number in one_lane.items():
            assert products(name, exponent, exp_bits) == {"MUL": number}, name
        for name, numbers in two_lanes.items():
            assert products(name, exponent, exp_bits, 2) == +Counter(numbers), name
        number = exponent.bit_length() + exponent.bit_count()
        assert products("l2r", exponent, exp_bits) == {"MUL": max(2, number)}
    page = text_of("exp/README.md")
    for words in (
        "products for L exponent bits, at least one |",
        "| `ladder` | 2 L + 2 | L pairs, 2 products |",
        "| `l2r` | bit length + ones, 2 for 0 |",
        "| `r2l` | 2 L | L - 1 pairs, 2 products |",
        "| `window` | 17 + 5 (W - 1), W = ceil(L / 4) windows |",
        "| `window5` | 33, for L > 5 also L - 5 + ceil((L - 5) / 5) |",
        "| `ladder_masked` | 2 L + 3 | L pairs, 3 products |",
    ):
        assert words in page


@pytest.mark.parametrize(("name", "bits"), [("window", 4), ("window5", 5)])
def test_windows_and_their_tables(name: str, bits: int) -> None:
    page = (rtl_dir().parent / "docs" / "measured.md").read_text(encoding="utf-8")
    first, second = (products(name, 0, count * bits)["MUL"] for count in (1, 2))
    table = first - (second - first)
    said = f"| `{name}` | {second - first} per {bits} exponent bits, always, and {table} for its"
    assert said in page


@pytest.mark.parametrize(
    ("page", "engine", "params", "work", "text"),
    [
        ("qp_systolic", "qp_systolic", {"MinModBits": 1023}, "setup", "to {} cycles"),
        ("qp_systolic", "qp_systolic", {"MinModBits": 992}, "setup", "instead of {} ("),
        ("qp_systolic", "qp_systolic", {}, "setup", "or {}."),
        ("sos36", "sos36", {}, "square", "a square takes {} cycles"),
        ("sos36", "sos36", {}, "mul", "a product {}:"),
    ],
)
def test_engines(page: str, engine: str, params: dict[str, int], work: str, text: str) -> None:
    found = get_engine(engine)
    formula = getattr(found.cycles, work)
    assert text.format(f"{formula(found.resolve(1024, params)):,}") in text_of(
        f"mul/{page}/README.md"
    )


def test_multiplier_cycles() -> None:
    """Of `sos36` in the mix of a window exponentiation, beside `sos`."""
    short, plain = get_engine("sos36"), get_engine("sos")
    params, square = short.resolve(1024), short.cycles.square
    assert square
    mean = 4 * (5 * square(params) + short.cycles.mul(params)) / 6
    assert (
        f"{mean:,.0f} multiplier-cycles in the mean of five squares and a product. `sos` with "
        f"seven multipliers takes {7 * plain.cycles.mul(plain.resolve(1024)):,}."
    ) in text_of("mul/sos36/README.md")
