# SPDX-License-Identifier: Apache-2.0
"""A frequency counts for the circuit that was routed, and for no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from modfab.build.core import modexp_core
from modfab.build.farm import FarmCore, farm_core
from modfab.build.named import LEVELS
from modfab.build.rsa import RsaCore, public_core, rsa_core
from modfab.cli.synth_cmd import rows_of
from modfab.flow.levels import WORK_LEVELS
from modfab.flow.record import Record
from modfab.flow.stored import medians
from modfab.report.circuit import (
    Frequency,
    core_of_today,
    engine_frequency,
    frequency_of,
    mhz_text,
    routed,
    time_us,
)
from tests.flow.test_store import record

TARGET = "ecp5-85k"
CORE = rsa_core("qp_systolic", 256, engines=2, pair=True, sequencer="window")


def core_record(config: RsaCore, mhz: float, seed: int | None = 1, **changes: Any) -> Record:
    """A routed RSA core."""
    core = config.unit
    base = record(seed=seed, mhz=mhz, cycles=config.cycles(), circuit="core")
    request = replace(
        base.request,
        engine=core.engine.name,
        sequencer=core.sequencer.name,
        level="rsa",
        params=dict(core.params),
        exp_bits=core.exp_bits,
        rsa=config.choices(),
    )
    return replace(base, request=replace(request, **changes))


def engine_record(mhz: float, seed: int = 1) -> Record:
    """The engine alone as it is usually measured: default slots, two lanes behind one port."""
    config = modexp_core("qp_systolic", 256)
    request = replace(
        record(seed=seed).request, engine="qp_systolic", params=dict(config.params), exp_bits=256
    )
    return record(request=request, mhz=mhz, cycles=config.cycles())


def test_the_engine_alone_gives_a_core_no_frequency() -> None:
    known = [engine_record(230.0)]
    assert frequency_of(known, CORE, TARGET) is None
    assert frequency_of(known, modexp_core("qp_systolic", 256), TARGET) is None
    assert engine_frequency(known, CORE, TARGET) == Frequency(230.0, 1, "engine")
    two = rsa_core("qp_systolic", 256, {"Contexts": 1}, engines=2)
    assert engine_frequency(known, two, TARGET) is None


def test_the_core_itself_gives_it_by_the_median_of_its_seeds() -> None:
    runs = [core_record(CORE, mhz, seed) for seed, mhz in ((1, 60.0), (2, 90.0), (3, 70.0))]
    known = [engine_record(230.0), *runs]
    assert frequency_of(known, CORE, TARGET) == Frequency(70.0, 3, "rsa")
    assert frequency_of(known, CORE, "ecp5-25k") is None
    bus = core_record(CORE, 65.0, level="rsa_axil")
    assert frequency_of([*known, bus], CORE, TARGET) == Frequency(65.0, 1, "rsa_axil")


OTHERS = {
    "sequencer": core_record(CORE, 99.0, sequencer="ladder"),
    "engine parameter": core_record(CORE, 99.0, params={**CORE.unit.params, "NumSlots": 32}),
    "shape": core_record(CORE, 99.0, rsa=(CORE.choices() or {}) | {"message_blinding": 0}),
    "farm": core_record(CORE, 99.0, level="farm_axil", rsa=FarmCore(CORE, 1).choices()),
    "exponentiator": core_record(CORE, 99.0, level="modexp"),
    "engine": core_record(CORE, 99.0, level="engine", rsa=None),
    "older circuit": replace(core_record(CORE, 99.0), cycles={"private": 1}),
    "width": core_record(rsa_core("qp_systolic", 128, engines=2, pair=True), 99.0),
    "device": core_record(CORE, 99.0, target="ecp5-45k"),
    "synthesis": replace(core_record(CORE, 99.0, seed=None, freq_mhz=None), mhz=None),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
def test_no_other_circuit_counts(other: Record) -> None:
    assert frequency_of([other], CORE, TARGET) is None
    found = frequency_of([other, core_record(CORE, 70.0)], CORE, TARGET)
    assert found == Frequency(70.0, 1, "rsa")


def test_an_exponentiator_needs_its_own_sequencer_and_exponent() -> None:
    config = modexp_core("qp_systolic", 256, sequencer="window")
    good = core_record(CORE, 80.0, level="modexp", params=dict(config.params), rsa=None)
    good = replace(good, request=replace(good.request, exp_bits=256), cycles=config.cycles())
    assert frequency_of([good], config, TARGET) == Frequency(80.0, 1, "modexp")
    assert frequency_of([good], modexp_core("qp_systolic", 256), TARGET) is None
    short = modexp_core("qp_systolic", 256, sequencer="window", exp_bits=17)
    assert frequency_of([good], short, TARGET) is None


def test_every_work_of_a_core_has_its_levels() -> None:
    shapes = (rsa_core("sos", 64, keys=2), public_core("sos", 128))
    for core in (*shapes, modexp_core("sos", 64), farm_core("sos", 64, 2)):
        assert core.cycles().keys() <= WORK_LEVELS.keys()


@pytest.mark.parametrize("work", WORK_LEVELS)
def test_work_is_timed_on_the_circuits_that_do_it(work: str) -> None:
    for level in LEVELS:
        one = record(seed=1, mhz=50.0, cycles=dict.fromkeys(WORK_LEVELS, 100))
        (found,) = medians([replace(one, request=replace(one.request, level=level))])
        expected = 2.0 if level in WORK_LEVELS[work] else None
        assert time_us(found, work) == expected
    assert time_us(None, work) is None


def test_texts() -> None:
    (found,) = medians([record(seed=seed, mhz=50.0) for seed in (1, 2)])
    assert mhz_text(found) == "50.0 (2)"
    assert mhz_text(medians([record()])[0]) == mhz_text(None) == "-"
    assert Frequency(85.54, 1, "rsa").text == "85.5 MHz (level rsa, 1 seed)"


def test_the_newest_routing_of_a_circuit_counts() -> None:
    old = core_record(CORE, 40.0)
    old = replace(old, circuit="older", date="2025-01-01T00:00:00Z")
    found = routed([core_record(CORE, 70.0), old], CORE, TARGET, "rsa")
    assert found is not None
    assert found.mhz == 70.0


def test_the_newest_of_an_engine_counts_whatever_its_record_says_of_a_sequencer() -> None:
    old = replace(engine_record(40.0), date="2025-01-01T00:00:00Z")
    new = engine_record(70.0)
    new = replace(new, request=replace(new.request, sequencer="ladder"))
    for known in ([old, new], [new, old]):
        assert engine_frequency(known, CORE, TARGET) == Frequency(70.0, 1, "engine")


def test_an_older_rsa_core_is_told_from_todays() -> None:
    def today(one: Record) -> bool:
        return core_of_today(medians([one])[0]) is not None

    assert today(core_record(CORE, 70.0))
    assert not today(OTHERS["older circuit"])
    assert not today(core_record(CORE, 70.0, params={**CORE.unit.params, "NumSlots": 7}))
    assert not today(core_record(CORE, 70.0, params={**CORE.unit.params, "NumSlots": 8}))


def test_synth_shows_the_times_of_the_level_it_measured() -> None:
    def shown(level: str) -> dict[str, str]:
        one = record(seed=1, mhz=66.0, path={"text": "a -> b"})
        (found,) = medians([replace(one, request=replace(one.request, level=level))])
        return dict(rows_of(found))

    assert shown("engine")["time in us"] == "mul 1.00, setup 1.97"
    assert shown("engine")["(LUT + FF) x us per product"] == "150"
    assert shown("modexp")["time in us"] == "exp 130.03"
    assert shown("modexp")["(LUT + FF) x us per product"] == "- (level engine only)"
