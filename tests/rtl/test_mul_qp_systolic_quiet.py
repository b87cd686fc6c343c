# SPDX-License-Identifier: Apache-2.0
"""While products run, what holds a loaded value and takes no part in them stands still."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from modfab.catalog import Engine, get_engine
from modfab.models.engine import SLOT_FREE, SLOT_MOD, Command, Op
from modfab.numbers import to_words, words_of
from modfab.pages.waveform import read_vcd
from modfab.sim.engine import RtlEngine
from tests.contract.pair import pair_port
from tests.support.vcd import change_cycles

ENGINE = get_engine("qp_systolic")
FORMS: dict[str, tuple[Engine, int, dict[str, int]]] = {
    "two lanes": (ENGINE, 64, {}),
    "one lane": (ENGINE, 70, {"Contexts": 1, "DigitBits": 13}),
    "in turn": (ENGINE, 64, {"Contexts": 1, "TwoInTurn": 1}),
    "delay 2": (ENGINE, 64, {"QuotientDelay": 2, "MulStages": 4}),
    "tables": (ENGINE, 64, {"QuotientTables": 1}),
    "folded": (ENGINE, 128, {"NumElements": 3}),
    "pair": (pair_port(ENGINE), 64, {"Lag": 3}),
}
AT_REST = ("u_serial", "u_gearbox", "u_setup")
"""Instances of a port that have no part in a product of slots."""

NO_DATA = ("clk_i", "rd_place_i")
"""Their inputs that go on: the clock, and the number of the digit that the operand feed is at."""

SETTLED = 48
"""Cycles from the acceptance of the first product until the load before it has left the pipeline
of the serial unit, in both ports."""

TURNING = (
    *(".token_i", ".y_slot_at", ".y_slot_q", ".fin_slot_at", ".fin_slot_q", ".wr_addr_i"),
    *(".rd_a_addr_i", ".mh0_q", ".mh1_q", ".u_mul_q.b_i", ".u_mul_q.gen_pipe.b_q"),
)
"""In the array of a pair: the ports' slot numbers, and their multiples of the moduli."""

A, B, C, D = range(SLOT_FREE, SLOT_FREE + 4)


def chain_of_products(
    name: str, wave: Path, rng: random.Random, num_products: int, stores: int = 0
) -> tuple[range, dict[str, list[int]]]:
    """Load, store, load, then products of slots, then stores.

    Returns:
        Cycles in which there are only products, or only stores where there are some; and the cycles
        in which each signal changes.
    """
    engine, num_bits, overrides = FORMS[name]
    modulus = rng.getrandbits(num_bits) | 1 | 1 << (num_bits - 1)

    def load(slot: int, value: int) -> Command:
        return Command(Op.LOAD, dst0=slot, words=tuple(to_words(value, words_of(num_bits))))

    values = [load(slot, rng.randrange(modulus)) for slot in (A, B)]
    program = [load(SLOT_MOD, modulus), Command(Op.SETUP), *values, Command(Op.STORE, a0=A)]
    program += values
    for step in range(num_products):
        product = Command(Op.MUL, dst0=C, a0=C if step % 3 else A, b=C if step % 2 else B)
        in_turn = overrides.get("TwoInTurn")
        program.append(replace(product, op=Op.MUL2, dst1=D, a1=A) if in_turn else product)
    program += [Command(Op.STORE, a0=C)] * stores
    rtl = RtlEngine(engine, engine.resolve(num_bits, overrides), wave, seed=rng.getrandbits(31))
    run = rtl.run_all(program)
    rtl.close()
    found = change_cycles(wave)
    end = max(found["TOP.clk_i"])
    start = end - sum(result.cycles for result in run.results[-(stores or num_products) :])
    return range(start + SETTLED, end - SETTLED), found


@pytest.mark.parametrize("name", FORMS)
def test_what_is_idle_stands_still(name: str, tmp_path: Path, rng: random.Random) -> None:
    cycles, found = chain_of_products(name, tmp_path / "products.vcd", rng, 24)
    assert len(cycles) > 300
    idle = {path: at for path, at in found.items() if any(f".{part}." in path for part in AT_REST)}
    data = [path for path in idle if path.rpartition(".")[2] not in NO_DATA]
    assert sum(bool(idle[path]) for path in data if path.endswith("_q")) > 40, "found too few"
    assert [path for path in data if any(clock in cycles for clock in idle[path])] == []
    ports = [path for path in found if path.endswith("u_ctrl.we_digit_q")]
    assert len(ports) == (2 if name == "pair" else 1)
    for path in ports:
        assert found[path], "a loaded value passes it"
        assert not any(clock in cycles for clock in found[path])


@pytest.mark.parametrize("name", ["two lanes", "one lane", "in turn", "delay 2", "pair"])
def test_cycles_of_a_lane_without_a_product_have_no_operand(
    name: str, tmp_path: Path, rng: random.Random
) -> None:
    """One lane's x enters in every second cycle, 0 between; nothing waits for another lane."""
    wave = tmp_path / "products.vcd"
    cycles, _ = chain_of_products(name, wave, rng, 24)
    signals = read_vcd(wave, "u_operand_feed", ("pre_q", "x_count_q", "left1_q"))
    digits: dict[int, set[str]] = {0: set(), 1: set()}
    for clock in cycles:
        digits[int(signals["x_count_q"][clock], 2) % 2].add(signals["pre_q"][clock])
    assert {"0"} in digits.values()
    assert len(digits[0] | digits[1]) > 20
    assert {signals["left1_q"][clock] for clock in cycles} == {"0"}


@pytest.mark.parametrize("name", FORMS)
def test_array_rests_without_a_product(name: str, tmp_path: Path, rng: random.Random) -> None:
    """While results are stored: the sums have run empty, and no operand comes."""
    cycles, found = chain_of_products(name, tmp_path / "stores.vcd", rng, 4, stores=4)
    assert len(cycles) > 200
    turning = TURNING if name == "pair" else ()
    data = [
        path for path in found if ".u_array." in path and not path.endswith((".clk_i", *turning))
    ]
    assert sum(bool(found[path]) for path in data if path.endswith("_q")) > 20, "found too few"
    assert [path for path in data if any(clock in cycles for clock in found[path])] == []
