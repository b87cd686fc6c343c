# SPDX-License-Identifier: Apache-2.0
"""Choosing a core: what counts, what is Pareto-best, what a limit leaves, what fills a device."""

from __future__ import annotations

import random
from dataclasses import replace
from operator import ge
from typing import Any

import pytest

from modfab.build.core import Core, engine_core, modexp_core
from modfab.build.farm import farm_core, farm_core_of
from modfab.build.rsa import public_core, rsa_core
from modfab.errors import UsageError
from modfab.flow.record import Record
from modfab.flow.stored import current
from modfab.flow.targets import get_target
from modfab.host.open import open_modexp
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.pages.readme import measured_block
from modfab.pages.web.points import point_of
from modfab.report.bench import parse_operation
from modfab.report.choosing import (
    Choice,
    Limits,
    best,
    candidates,
    filling,
    misses,
    nearest,
    pareto,
)
from tests.flow.test_store import record

SIGN, VERIFY = parse_operation("rsa512-sign"), parse_operation("rsa512-verify")
TARGET = get_target("ecp5-85k")
AREA = {"lut": 6000, "ff": 4000, "multipliers": 22, "block_rams": 30}


def stored(core: Core, level: str, mhz: float | None, **area: int) -> Record:
    """A measurement of a core, routed when it has a frequency."""
    unit = core.unit
    made = record(seed=None if mhz is None else 1, mhz=mhz, cycles=core.cycles())
    request = replace(
        made.request,
        engine=unit.engine.name,
        sequencer=unit.sequencer_name,
        level=level,
        params=dict(unit.params),
        exp_bits=unit.exp_bits,
        rsa=core.choices() or None,
    )
    return replace(made, request=request, circuit=level, area=made.area | AREA | area)


def found(*records: Record, op: Any = SIGN) -> list[Choice]:
    return candidates(records, op, TARGET)


def test_the_command_repeats_how_it_was_routed() -> None:
    core = rsa_core("sos", 256)
    made = stored(core, "rsa_axil", 150.0)
    (usual,) = found(made)
    assert "--timing-weight" not in usual.measure
    request = replace(made.request, timing_weight=60, router="router2")
    (chosen,) = found(replace(made, request=request))
    assert chosen.measure.startswith("modfab synth --engine sos ")
    assert "--router router2 --timing-weight 60" in chosen.measure
    (third,) = found(replace(made, request=replace(made.request, seed=3)))
    assert "--route --seeds 3" in third.measure, "its own seed is among them"


def test_the_build_basic_is_not_offered() -> None:
    safe, plain = rsa_core("sos", 256), rsa_core("sos", 256, hardened=False, exponent_words=1)
    (one,) = found(stored(safe, "rsa", 150.0), stored(plain, "rsa", 160.0))
    assert (one.mhz, "basic" in one.form) == (150.0, False)


@pytest.mark.parametrize("less", [{"message_blinding": False}, {"exponent_words": 0}])
def test_a_core_that_does_not_blind_is_not_offered(less: dict[str, Any]) -> None:
    safe, bare = rsa_core("sos", 256), rsa_core("sos", 256, **less)
    (one,) = found(stored(safe, "rsa", 150.0), stored(bare, "rsa", 160.0))
    assert one.mhz == 150.0


def test_a_routed_core_and_a_farm_have_their_own_rate() -> None:
    farm, core = farm_core("sos", 256, 2), rsa_core("sos", 256)
    records = [stored(farm, "farm_axil", 100.0), stored(core, "rsa", 150.0, lut=3500)]
    two, one = found(*records)
    cycles = core.programs().program(RsaEntry.PRIVATE, 65537)
    assert (two.cores, one.cores) == (2, 1)
    assert two.per_second == pytest.approx(100e6 / farm.full_cycles([cycles] * 2))
    assert one.per_second == pytest.approx(150e6 / cycles)
    assert one.latency_ms == pytest.approx(cycles / 150e3)
    assert "--core farm" in two.build
    assert "--rsa cores=2" in two.build
    assert f"--target {TARGET.name} -o modfab_farm_sos" in two.build
    assert "--level farm_axil" in two.measure
    assert (one.copies, one.ends_first) == (208 // 30, "block RAMs")


def test_a_core_for_public_operations_verifies_and_does_not_sign() -> None:
    core = public_core("sos", 512)
    kept = stored(core, "rsa", 150.0)
    assert found(kept) == []
    (one,) = found(kept, op=VERIFY)
    cycles = core.programs().program(RsaEntry.PUBLIC, 65537)
    assert one.per_second == pytest.approx(150e6 / cycles)
    assert "--rsa public_only=1" in one.build
    assert "--bits 512" in one.build
    assert "--rsa public_only=1" in one.measure
    (row,) = [line for line in measured_block([kept]).splitlines() if "public only" in line]
    assert f"| 512 | ecp5-85k | 6000 | 4000 | 22 | 30 | {cycles:,} |" in row
    point = point_of(next(iter(current([kept]))))
    assert point is not None
    assert (point.cycles, point.work) == (cycles, "RSA public operation")


def test_what_does_not_count() -> None:
    core = rsa_core("sos", 256)
    older = stored(core, "rsa", 150.0)
    assert found(replace(older, cycles={**older.cycles, "private": 1})) == []
    assert found(replace(older, stale="another circuit")) == []
    assert found(older, op=parse_operation("rsa1024-sign")) == []
    assert candidates([older], SIGN, get_target("ecp5-45k")) == []
    assert found(stored(engine_core("sos", 512), "engine", 200.0)) == []
    assert found(stored(modexp_core("sos", 512), "modexp", 200.0)) == [], "it has no protection"


def test_verification_on_an_exponentiator_too() -> None:
    exponentiator = modexp_core("sos", 512, sequencer="l2r", exp_bits=32)
    known = found(
        stored(exponentiator, "modexp_axil", 100.0),
        stored(rsa_core("sos", 256), "rsa_axil", 100.0),
        op=VERIFY,
    )
    assert {choice.level for choice in known} == {"modexp_axil", "rsa_axil"}
    assert known[0].per_second == max(choice.per_second or 0 for choice in known)


@pytest.mark.parametrize("sequencer", ["ladder", "window", "r2l", "l2r"])
def test_verification_takes_what_the_driver_takes(sequencer: str) -> None:
    """17 bits of the exponent are walked, however long the window is; the words' way counts."""
    (choice,) = found(
        stored(modexp_core("sos", 512, sequencer=sequencer), "modexp", 100.0), op=VERIFY
    )
    modulus = (1 << 512) - 569
    with open_modexp("model", 512, "sos", sequencer) as device:
        done = device.powmod(3, USUAL_E, modulus, USUAL_E.bit_length())
    assert done.value == pow(3, USUAL_E, modulus)
    assert choice.cycles == done.exp_cycles + 95  # as the RTL counts, with any sequencer
    assert choice.per_second == pytest.approx(100e6 / choice.cycles)


def test_an_exponentiator_verifies_what_it_was_built_for() -> None:
    """Not with an exponent window below 65537, and not a modulus that is a word shorter."""
    short, wide, next_to = (
        modexp_core("sos", bits, sequencer="l2r", exp_bits=exp_bits)
        for bits, exp_bits in ((512, 16), (544, 32), (512, 17))
    )
    for core in (short, wide):
        assert found(stored(core, "modexp", 100.0), op=VERIFY) == []
    assert found(stored(next_to, "modexp", 100.0), op=VERIFY)


def test_an_operation_of_a_mixed_farm_takes_as_long_as_in_its_slowest_core() -> None:
    choices = {"cores": 2, "engines": 2, "pair": 1, "small_cores": 1, "small_elements": 5}
    farm = farm_core_of("qp_systolic", 512, {"Contexts": 1}, "window", choices)
    large, small = farm.own_cycles(RsaEntry.PRIVATE)
    (choice,) = found(stored(farm, "farm_axil", 100.0))
    assert large < small == choice.cycles
    assert choice.latency_ms == pytest.approx(small / 100e3)


def test_a_synthesis_alone_has_no_rate() -> None:
    (choice,) = found(stored(rsa_core("sos", 256), "rsa", None))
    assert (choice.per_second, choice.latency_ms, choice.mhz, choice.seeds) == (None, None, None, 0)
    assert [miss.limit for miss in misses(choice, Limits(min_rate=1))] == ["--min-rate"]
    assert [miss.limit for miss in misses(choice, Limits(max_latency_ms=9))] == ["--max-latency"]
    assert misses(choice, Limits(max_lut=6000)) == []


def test_pareto_keeps_what_no_other_beats(rng: random.Random) -> None:
    (base,) = found(stored(rsa_core("sos", 256), "rsa", 100.0))

    def drawn(index: int) -> Choice:
        lut, multipliers, block_rams = (rng.randrange(3) for _ in range(3))
        area = replace(base, lut=lut, multipliers=multipliers, block_rams=block_rams)
        routed = rng.randrange(3) > 0
        rate, latency = (rng.randrange(1, 3) if routed else None for _ in range(2))
        return replace(area, per_second=rate, latency_ms=latency, build=str(index))

    def goodness(choice: Choice) -> tuple[float, ...]:
        """What is not routed has no rate, and takes longer than all others."""
        speed = choice.per_second or 0, 1 / choice.latency_ms if choice.latency_ms else 0
        return (*speed, -choice.lut, -choice.multipliers, -choice.block_rams)

    choices = [drawn(index) for index in range(60)]
    kept = pareto(choices)
    assert 0 < len(kept) < len(choices)
    for choice in choices:
        mine = goodness(choice)
        beaten = any(
            theirs != mine and all(map(ge, theirs, mine)) for theirs in map(goodness, choices)
        )
        assert (choice in kept) != beaten
    larger = replace(base, lut=base.lut + 1, build="larger")
    for better in (
        replace(larger, per_second=1e9),
        replace(larger, latency_ms=1e-9),
        replace(larger, multipliers=base.multipliers - 1),
        replace(larger, block_rams=base.block_rams - 1),
    ):
        assert pareto([base, better]) == [base, better]
    assert pareto([base, larger]) == [base]
    unrouted = replace(base, per_second=None, latency_ms=None)
    faster = replace(larger, per_second=None, latency_ms=None, cycles=base.cycles - 1)
    assert pareto([unrouted, faster]) == [unrouted, faster], "cycles stand for the rate"
    assert pareto([unrouted, replace(faster, cycles=base.cycles)]) == [unrouted]


def test_limits_and_the_nearest() -> None:
    known = found(
        stored(rsa_core("sos", 256), "rsa", 100.0, lut=3000, multipliers=7),
        stored(rsa_core("sos", 256, engines=2), "rsa", 100.0, lut=5000, multipliers=14),
    )
    assert len(best(known, Limits())) == 2
    assert [choice.lut for choice in best(known, Limits(max_lut=4000))] == [3000]
    assert [choice.lut for choice in best(known, Limits(max_multipliers=7))] == [3000]
    fast = Limits(min_rate=known[0].per_second)
    assert [choice.lut for choice in best(known, fast)] == [5000]
    none = Limits(max_lut=2900)
    assert best(known, none) == []
    near = nearest(known, none)
    assert near is not None
    assert near[0].lut == 3000
    assert near[1][0].text == "--max-lut 2,900: it has 3,000, off by 100"
    assert nearest([], none) is None
    least = nearest(known, Limits(max_multipliers=0))
    assert least is not None
    assert least[0].multipliers == 7, "no factor is beyond 0, but 14 are farther than 7"


def test_the_nearest_misses_a_rate_by_least_and_of_two_limits_the_farther_one_counts() -> None:
    small, large = (
        stored(rsa_core("sos", 256, engines=engines), "rsa", 100.0, lut=lut, multipliers=muls)
        for engines, lut, muls in ((1, 3000, 30), (2, 4500, 15))
    )
    known = found(small, large)
    fastest = max(choice.per_second or 0 for choice in known)
    near = nearest(known, Limits(min_rate=10 * fastest))
    assert near is not None
    assert near[0].per_second == fastest
    off = f"it has {fastest:,.4g}, off by {9 * fastest:,.4g}"
    assert near[1][0].text == f"--min-rate {10 * fastest:,.4g}: {off}"
    near = nearest(known, Limits(max_lut=2900, max_multipliers=10))
    assert near is not None
    assert near[0].lut == 4500, "half as much again twice, not three times the multipliers"


def test_how_much_is_missing_has_all_digits_of_whole_numbers() -> None:
    (large,) = found(stored(rsa_core("sos", 256), "rsa", 0.2, lut=27_019))
    (much,) = misses(large, Limits(max_lut=27_000))
    assert much.text == "--max-lut 27,000: it has 27,019, off by 19"
    (rate,) = misses(large, Limits(min_rate=12_345.6))
    assert rate.text.startswith("--min-rate 12,346: it has 0.")
    (slow,) = misses(large, Limits(max_latency_ms=0.00001234))
    assert slow.text.startswith("--max-latency 1.234e-05: it has ")


@pytest.mark.parametrize("limit", [float("inf"), float("nan")])
def test_a_limit_is_a_finite_number(limit: float) -> None:
    with pytest.raises(UsageError, match="Expected a rate that is a finite number"):
        Limits(min_rate=limit)
    with pytest.raises(UsageError, match="Expected a latency that is a finite number"):
        Limits(max_latency_ms=limit)


def test_filling_takes_routed_farms_first() -> None:
    farm, core = farm_core("sos", 256, 2), rsa_core("sos", 256)
    small = stored(core, "rsa", 150.0, block_rams=4, multipliers=7, lut=2000, ff=1000)
    large = stored(rsa_core("sos", 256, engines=2), "rsa", 150.0)
    records = [large, small, stored(farm, "farm_axil", 90.0)]
    chosen = filling(found(*records), Limits())
    assert [(choice.cores, choice.level) for choice in chosen] == [
        (2, "farm_axil"),
        (1, "rsa"),
        (1, "rsa"),
    ]
    assert chosen[1].lut == 2000
    too_large = found(replace(large, area={**large.area, "lut": 99_999}))
    assert filling(too_large, Limits()) == []
    tiny = {"lut": 900, "ff": 900, "multipliers": 1, "block_rams": 1}
    fast = stored(core, "rsa", 150.0, **tiny | {"lut": 2000})
    slow = stored(rsa_core("sos", 256, hardened=True, keys=2), "rsa", 100.0, **tiny)
    known = filling(found(slow, fast), Limits())
    assert [choice.copies for choice in known] == [41, 92], "a farm has 32 cores at most"
