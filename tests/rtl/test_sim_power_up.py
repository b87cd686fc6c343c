# SPDX-License-Identifier: Apache-2.0
"""State of simulated cores before reset: another one for each seed, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from modfab.build.rsa import rsa_core
from modfab.catalog import get_engine
from modfab.sim.engine import RtlEngine
from modfab.sim.farm import RtlFarm, farm_design
from modfab.sim.power_up import SEED_VARIABLE, power_up_seed
from modfab.sim.rsa import RtlRsa
from tests.support.farm_core import config


def engine_state(seed: int | None, folder: Path) -> str:
    """Every signal before the first clock edge."""
    engine, wave = get_engine("systolic"), folder / f"{seed}.vcd"
    RtlEngine(engine, engine.resolve(16), wave, seed).close()
    return wave.read_text().partition("#3\n")[2].partition("#5\n")[0]


class FreshRsa(RtlRsa):
    """An RSA core that was reset, before its wipe and its self-test, which leave nothing random."""

    def idle(self) -> int:
        return 0


def rsa_state(seed: int | None, folder: Path) -> str:
    """What registers hold in the first cycles after reset."""
    del folder
    rtl = FreshRsa(rsa_core("bit_serial", 64, {"BitsPerClock": 8}), public=True, seed=seed)
    state = [rtl.value(register) for register in rtl.registers()]
    rtl.close()
    return str(state)


def farm_state(seed: int | None, folder: Path) -> str:
    """Which registers are zero in the first cycles after reset."""
    del folder
    rtl = RtlFarm(config(3), seed=seed, design=farm_design(config(3)))
    state = [rtl.is_zero(register) for register in rtl.registers()]
    rtl.close()
    return str(state)


STATES: dict[str, Callable[[int | None, Path], str]] = {
    "engine": engine_state,
    "rsa": rsa_state,
    "farm": farm_state,
}


@pytest.mark.parametrize("state", STATES.values(), ids=list(STATES))
def test_state_follows_the_seed(
    state: Callable[[int | None, Path], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = state(1, tmp_path)
    assert len(first) > 100
    assert state(1, tmp_path) == first
    assert state(2, tmp_path) != first
    states = []
    for text in ("5", "6", "5"):
        monkeypatch.setenv(SEED_VARIABLE, text)
        states.append(state(None, tmp_path))
    assert states[0] == states[2] != states[1]


def test_seeds_are_verilators(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = [power_up_seed(seed) for seed in (0, 1, -1, 2**31, 2**64)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 < seed < 2**31 for seed in seeds)
    monkeypatch.delenv(SEED_VARIABLE)
    assert power_up_seed() == power_up_seed()
    monkeypatch.setenv(SEED_VARIABLE, "7")
    assert power_up_seed() == power_up_seed(7)
