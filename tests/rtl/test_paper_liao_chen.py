# SPDX-License-Identifier: Apache-2.0
"""[LIAO24] Tables 1 to 8: our cycles of one 256-bit decryption are at most the paper's."""

from __future__ import annotations

import random
from typing import Any

import pytest
import tomli

from modfab.build.core import ModexpCore, modexp_core
from modfab.build.rsa import RsaCore
from modfab.models.modexp import ModexpModel
from modfab.paths import rtl_dir
from modfab.report.published import Row as PublishedRow
from modfab.report.published import read_published
from tests.support.rsa_core import load, make_key, make_model, ok, operate

PUBLISHED = rtl_dir().parent / "results" / "published" / "liao-chen.toml"
Row = dict[str, Any]
DATA: Row = tomli.loads(PUBLISHED.read_text())
ROWS: list[Row] = [row for row in DATA["row"] if row.get("work") != "rsa"]
CRT_ROWS = [row for row in read_published("liao-chen").rows if row.ours and row.table in "78"]


def _name(row: Row) -> str:
    return f"table{row['table']}-{row['design']}"


def configured(row: Row) -> ModexpCore:
    ours = row["ours"]
    return modexp_core(ours["engine"], DATA["num_bits"], ours["params"], ours["sequencer"])


def test_every_table_of_designs_without_crt_is_there() -> None:
    assert [row["table"] for row in ROWS] == ["1"] * 2 + ["2"] * 9 + ["3", "5", "6"]
    assert [row.table for row in CRT_ROWS] == ["7", "8"]


@pytest.mark.parametrize("row", CRT_ROWS, ids=lambda row: f"table{row.table}-{row.design}")
def test_crt_takes_at_most_the_papers_cycles(row: PublishedRow, rng: random.Random) -> None:
    """RSA-256, the halves at the same time, not blinded as in the paper; formula and model."""
    ours = row.ours
    assert ours is not None
    assert isinstance(ours.core, RsaCore)
    assert (ours.core.shape.num_bits, ours.core.shape.engines) == (256, 2)
    assert ours.cycles <= row.figures["cycles"]
    assert row.why
    model = make_model(ours.core, lambda: rng.getrandbits(32))
    key = make_key(rng, 128, 128)
    assert ok(load(model, key)) == ours.setup_cycles
    message = rng.randrange(key.n)
    assert ok(operate(model, key, message)) == ours.cycles
    assert model.get("M") == pow(message, key.d, key.n)


@pytest.mark.parametrize("row", DATA["row"], ids=_name)
def test_published_figures_agree_with_each_other(row: Row) -> None:
    """A misread digit would show: decryptions a second follow from clock and latency."""
    per_second = 1e9 / (row["clock_ns"] * row["cycles"])
    assert row["per_second"] == pytest.approx(per_second, rel=0.01)
    assert row["interval_cycles"] == row["cycles"] + 1


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_cycles_are_at_most_the_papers(row: Row) -> None:
    """The set-up is included: the paper's Algorithm 4 converts into Montgomery form every time."""
    config = configured(row)
    cycles = config.sequencer.exp_cycles(config.engine, config.params, 0, 256)
    total = cycles + config.engine.cycles.setup(config.params)
    assert total <= row["cycles"]
    assert (total < row["cycles"]) == ("why" in row), "a lower count has its reason beside it"


@pytest.mark.parametrize("row", [ROWS[0], ROWS[6], ROWS[13]], ids=_name)
def test_a_whole_decryption_by_the_model(row: Row, rng: random.Random) -> None:
    config = configured(row)
    model = ModexpModel(config.engine.model(config.params), config.sequencer.commands, 256)
    modulus = rng.getrandbits(256) | 1 << 255 | 1
    base, exponent = rng.randrange(modulus), rng.getrandbits(256)
    result = model.powmod(base, exponent, modulus)
    assert result.value == pow(base, exponent, modulus)
    assert result.exp_cycles == config.sequencer.exp_cycles(
        config.engine, config.params, exponent, 256
    )
    assert result.exp_cycles + result.setup_cycles <= row["cycles"]
