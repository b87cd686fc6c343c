# SPDX-License-Identifier: Apache-2.0
"""What fills a device: routed ones by their rate, others by area and cycles, and the table."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from modfab.build.farm import FarmCore, farm_core, farm_core_of, small_core
from modfab.build.rsa import rsa_core
from modfab.flow.record import Record
from modfab.flow.store import read_folder
from modfab.flow.stored import current
from modfab.flow.targets import TARGETS
from modfab.models.mul_qp_systolic_shape import Shape
from modfab.models.rsa.entry import RsaEntry
from modfab.pages.devices import OPERATION, devices_block, whole_device_block
from modfab.paths import docs_dir, results_dir
from modfab.report.devices import DEVICES, best_filling, fillings
from modfab.report.fitting import room_of
from tests.report.test_choosing import stored

ECP5 = next(device for device in DEVICES if device.name == "LFE5U-85F")
XC7 = next(device for device in DEVICES if device.name == "XC7Z020")
SMALL, PAIR = rsa_core("sos", 1024), rsa_core("qp_systolic", 1024, engines=2, pair=True)
FARM = farm_core("sos", 1024, 2)


def on(target: str, made: Record) -> Record:
    return replace(made, request=replace(made.request, target=target))


def test_devices_have_targets_and_those_of_a_device_its_numbers() -> None:
    assert {device.target for device in DEVICES} <= set(TARGETS)
    for device in DEVICES:
        known = room_of(TARGETS[device.target])
        assert known is None or known == device.room


def test_the_highest_routed_rate_comes_first_and_what_does_not_fit_is_left_out() -> None:
    routed = stored(SMALL, "rsa", 150.0)
    farm = stored(FARM, "farm_axil", 100.0)
    wide = stored(PAIR, "rsa", None)
    huge = stored(PAIR, "rsa_axil", 200.0, lut=83_641)
    found = fillings([routed, farm, wide, huge], OPERATION, ECP5)
    assert [(one.choice.level, one.cores) for one in found] == [
        ("farm_axil", 2),
        ("rsa", 1),
        ("rsa", 208 // 30),
    ]


def test_without_a_router_cores_that_fit_over_cycles_decide() -> None:
    small, pair = (on("xc7", stored(core, "rsa", None)) for core in (SMALL, PAIR))
    best = best_filling([small, pair], OPERATION, XC7)
    assert best
    assert best.choice.form == "dual-port engine"
    assert best.cores == 53_200 // 6000
    assert best.choice.per_second is None
    area = {"lut": 60, "ff": 60, "multipliers": 1, "block_rams": 1}
    many = on("xc7", stored(rsa_core("qp_systolic", 1024), "rsa", None, **area))
    best = best_filling([many, pair], OPERATION, XC7)
    assert best
    assert (best.choice.form, best.cores) == ("1 engine", 220), "so many slow ones do more"
    assert best_filling([small], OPERATION, ECP5) is None


@pytest.mark.parametrize("name", [device.name for device in DEVICES])
def test_every_device_has_a_row(name: str) -> None:
    assert f"| {name} | not measured | - |" in devices_block([])


def test_a_row_says_what_is_used_and_what_was_only_synthesized() -> None:
    pair = stored(PAIR, "rsa", 100.0)
    text = devices_block([pair, on("xc7", replace(stored(PAIR, "rsa", None), circuit="x"))])
    cycles = PAIR.cycles()["private"]
    rate = f"{100e6 / cycles:,.0f} | {cycles / 100e3:,.2f} |"
    used = "6,000 of 83,640 | 22 of 156 | 30 of 208 | 100.0 (1)"
    assert f", dual-port engine | 1 | {used} | {cycles:,} | {rate}" in text
    used = "48,000 of 53,200 | 176 of 220 | 240 of 280 | synthesis only"
    assert f", dual-port engine | 8 | {used} | {cycles:,} | - | - |" in text


def test_the_whole_device_is_a_farm_that_was_routed() -> None:
    pair, farm = stored(PAIR, "rsa", 100.0), stored(FARM, "farm_axil", 100.0)
    for known in ([], [pair], [pair, stored(FARM, "farm_axil", None)]):
        assert "Not measured yet: `modfab synth --engine qp_systolic" in whole_device_block(known)
    rate = 100e6 / FARM.full_cycles([FARM.cycles()["private"]] * 2)
    text = whole_device_block([pair, farm])
    assert "2 cores on the LFE5U-85F, placed and routed whole" in text
    assert f"100.0 MHz (1 seed): {rate:,.0f} signatures a second" in text
    assert f"{rate / 100:.2f} for each MHz" in text


def test_the_best_seed_of_a_farm_is_named() -> None:
    first = stored(FARM, "farm_axil", 100.0)
    second = replace(first, mhz=120.0, request=replace(first.request, seed=2))
    text = whole_device_block([first, second])
    each = 1e6 / FARM.full_cycles([FARM.cycles()["private"]] * 2)
    assert f"110.0 MHz (2 seeds): {110 * each:,.0f} signatures a second" in text
    assert f"; the best seed 120.0 MHz: {120 * each:,.0f} a second. At" in text
    assert "the best" not in whole_device_block([first])


def test_the_farm_with_address_blinding_is_named_beside_a_faster_one() -> None:
    blinded = farm_core_of("sos", 2048, {}, "ladder", {"cores": 2, "address_blinding": 1})
    usual, masked = (stored(farm, "farm_axil", 100.0) for farm in (FARM, blinded))
    rate = 100e6 / blinded.full_cycles([blinded.cycles()["private"]] * 2)
    assert f"\nWith address blinding (sos), 100.0 MHz (1 seed): {rate:,.0f} signatures" in (
        whole_device_block([usual, masked])
    )
    alone = whole_device_block([masked])
    assert "(sos, 1 engine, address blinding), 100.0 MHz" in alone
    assert "With address blinding" not in alone


def test_the_page_of_limits_has_the_formulas_figures() -> None:
    tables = {"Contexts": 1, "QuotientTables": 1}
    own = {"LoadSum": 1, "FactorSlots": 16}
    apart, core = (
        rsa_core("qp_systolic", 1024, tables | more, sequencer, engines=2, pair=True)
        for more, sequencer in (({}, "window"), (own, "window5"))
    )
    before, interval = (
        FarmCore(one, 2).full_cycles([one.cycles()["private"]] * 2) for one in (apart, core)
    )
    alone = FarmCore(core, 1).full_cycles([core.cycles()["private"]])
    engine, digits = core.unit.engine, Shape(1024, core.unit.params["DigitBits"]).mod_digits
    product = engine.cycles.mul(core.unit.params) // 2
    power = core.unit.sequencer.exp_cycles(engine, core.unit.params, 0, 1024 + 64)
    power -= engine.cycles.store_latency(core.unit.params) - core.unit.sequencer.start_cycles
    small = small_core(core, 5)
    mixed = FarmCore(core, 3, small=small, small_cores=1)
    together = mixed.full_cycles(mixed.own_cycles(RsaEntry.PRIVATE))
    text = " ".join((docs_dir() / "choosing.md").read_text(encoding="utf-8").split())
    for figure in (
        f"{together:,} cycles between two jobs, so that 2,200 a second would need "
        f"{2200 * together / 1e6:.0f} MHz",
        f"| {2 * (digits + 1) * product:,} | {2 * digits * digits:,} = 2 * {digits} * {digits} |",
        f"| {(digits + 2) * product:,} = {digits + 2} * {product} | {digits * digits:,} =",
        f"| {2 * interval - 1:,}; {2 * before - 1:,} with neither | {power:,}, the "
        "exponentiations alone |",
        f"| signatures a second at 225 MHz | {225e6 / interval:,.0f} |",
        f"2,200 a second need {2200 * interval / 1e6:.0f} MHz.",
        f"a farm of one such core takes {alone:,} cycles per job",
    ):
        assert figure in text


def test_the_engine_alone_is_faster_than_the_farm() -> None:
    """As the page says, by the stored measurements."""
    records, largest = read_folder(results_dir()), DEVICES[2]
    farm = fillings(records, OPERATION, largest)[0].choice
    request = {"level": "engine", "target": largest.target, "engine": farm.engine.split()[0]}
    engines = [
        one.mhz
        for one in current(records)
        if one.mhz is not None
        and request.items() <= asdict(m := one.synthesis.request).items()
        and m.num_bits == OPERATION.num_bits // 2
        and not m.params["NumElements"]
        and m.params["QuotientDelay"] == 1
    ]
    text = " ".join((docs_dir() / "choosing.md").read_text(encoding="utf-8").split())
    assert farm.cores > 1
    assert min(engines) > (farm.mhz or 0)
    assert "**Frequency.** The engine alone reaches more ([as routed](" in text
