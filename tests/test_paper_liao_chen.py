# SPDX-License-Identifier: Apache-2.0
"""[LIAO24] Tables 1, 2, 3, 5, 6: our cycles of one 256-bit decryption are at most the paper's."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from modfab.catalog import Params
from modfab.gen.config import core_config
from modfab.models.modexp import ModexpModel


@dataclass(frozen=True)
class Row:
    """One row: table, name and latency as printed there, and our counterpart under `r2l`."""

    table: int
    name: str
    paper_cycles: int
    engine: str
    options: Params = field(default_factory=dict)


ROWS = [
    Row(1, "baseline (No DSP)", 265483, "mul_mod", {"UseDsp": 0, "DigitBits": 1}),
    Row(1, "baseline", 267280, "mul_mod"),
    Row(2, "No optimization", 526082, "mod_product", {"ClocksPerStep": 2}),
    Row(2, "UNROLL MP factor=2", 460546, "mod_product", {"ClocksPerStep": 2, "BitsPerStep": 2}),
    Row(2, "UNROLL MP factor=4", 427778, "mod_product", {"ClocksPerStep": 2, "BitsPerStep": 4}),
    Row(2, "UNROLL MP factor=8", 411934, "mod_product", {"ClocksPerStep": 2, "BitsPerStep": 8}),
    Row(2, "MP II=2", 264450, "mod_product", {"ClocksPerStep": 2}),
    Row(2, "UNROLL ME factor=2", 525954, "mod_product", {"ClocksPerStep": 2}),
    Row(2, "UNROLL ME factor=4", 525890, "mod_product", {"ClocksPerStep": 2}),
    Row(2, "UNROLL ME factor=8", 525858, "mod_product", {"ClocksPerStep": 2}),
    Row(2, "ME II=1", 393474, "mod_product", {"NumLanes": 2}),
    Row(3, "RSA_Mont", 528643, "bit_serial", {"Variant": 0}),
    Row(5, "RSA_Mont1", 266244, "bit_serial", {"Variant": 1}),
    Row(6, "RSA_Mont2", 135684, "bit_serial", {"Variant": 2}),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"table{row.table}-{row.name}")
def test_cycles_are_at_most_the_papers(row: Row) -> None:
    """The set-up is included: the paper's Algorithm 4 converts into Montgomery form every time."""
    config = core_config(row.engine, 256, row.options, "r2l")
    cycles = config.sequencer.exp_cycles(config.engine, config.params, 0, 256)
    assert cycles + config.engine.cycles.setup(config.params) <= row.paper_cycles


@pytest.mark.parametrize("row", [ROWS[0], ROWS[6], ROWS[13]], ids=lambda row: row.engine)
def test_a_whole_decryption_by_the_model(row: Row, rng: random.Random) -> None:
    config = core_config(row.engine, 256, row.options, "r2l")
    model = ModexpModel(config.engine.model(config.params), config.sequencer.commands, 256)
    modulus = rng.getrandbits(256) | 1 << 255 | 1
    base, exponent = rng.randrange(modulus), rng.getrandbits(256)
    result = model.power(base, exponent, modulus)
    assert result.value == pow(base, exponent, modulus)
    assert result.exp_cycles == config.sequencer.exp_cycles(
        config.engine, config.params, exponent, 256
    )
    assert result.exp_cycles + result.setup_cycles <= row.paper_cycles
