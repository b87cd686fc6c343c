# SPDX-License-Identifier: Apache-2.0
"""The golden exponentiator against Python's pow, over widths, engines' options and sequencers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modfab.build.core import modexp_core
from modfab.models.generated.status import Status
from modfab.models.modexp import ModexpModel
from tests.support.strategies import moduli, residues


def model(bits: int, options: dict[str, int], sequencer: str) -> ModexpModel:
    config = modexp_core("bit_serial", bits, options, sequencer)
    return ModexpModel(config.engine.model(config.params), config.sequencer.commands, bits)


@given(st.data())
def test_power_and_cycles(data: st.DataObject) -> None:
    bits = data.draw(st.integers(16, 512), label="bits")
    options = {
        "Variant": data.draw(st.sampled_from([0, 1, 2]), label="Variant"),
        "BitsPerClock": data.draw(st.sampled_from([1, 2, 4, 8]), label="BitsPerClock"),
    }
    sequencer = data.draw(st.sampled_from(["ladder", "l2r", "window"]), label="sequencer")
    modulus = data.draw(moduli(bits), label="modulus")
    base = data.draw(residues(modulus), label="base")
    exponent = data.draw(st.integers(0, (1 << min(bits, 24)) - 1), label="exponent")
    exp_bits = data.draw(st.integers(exponent.bit_length(), min(bits, 24)), label="exp_bits")
    config = modexp_core("bit_serial", bits, options, sequencer)
    result = model(bits, options, sequencer).powmod(base, exponent, modulus, exp_bits)
    assert result.status is Status.OK
    assert result.value == pow(base, exponent, modulus)
    assert result.setup_cycles == config.engine.cycles.setup(config.params)
    assert result.exp_cycles == config.sequencer.exp_cycles(
        config.engine, config.params, exponent, exp_bits
    )


@pytest.mark.parametrize("sequencer", ["ladder", "l2r"])
@pytest.mark.parametrize(
    ("modulus", "status"),
    [
        (0, Status.MOD_ZERO),
        (1, Status.MOD_ONE),
        (10, Status.MOD_EVEN),
        (1 << 40 | 1, Status.MOD_WIDE),
    ],
)
def test_bad_modulus(sequencer: str, modulus: int, status: Status) -> None:
    assert model(40, {}, sequencer).powmod(0, 1, modulus).status is status


def test_set_up_runs_once_for_a_modulus() -> None:
    core = model(32, {}, "ladder")
    first, second = core.powmod(2, 3, 101), core.powmod(3, 3, 101)
    assert (first.value, second.value) == (8, 27)
    assert first.setup_cycles == second.setup_cycles > 0
    assert core.engine.modulus == 101
    core.zeroize()
    assert core.engine.modulus == 0
    assert core.powmod(3, 3, 101).value == 27


def test_refused_operands() -> None:
    core = model(32, {}, "l2r")
    assert core.powmod(101, 3, 101).status is Status.OPERAND
    assert core.powmod(3, 3, 101, exp_bits=33).status is Status.EXP_BITS


def test_progress_counts_up() -> None:
    seen: list[int] = []
    result = model(32, {}, "ladder").powmod(2, 5, 101, progress=seen.append)
    assert seen == sorted(seen)
    assert len(seen) == result.products == 2 * 32 + 2
