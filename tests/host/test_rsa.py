# SPDX-License-Identifier: Apache-2.0
"""The RSA operations of a key on the exponentiator."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from modfab.errors import DeviceError
from modfab.host.core_device import CycleProgress
from modfab.host.rsa import RsaOnModexp
from tests.support.rsa_keys import make_key, ours


@dataclass
class Result:
    value: int
    exp_cycles: int = 20
    setup_cycles: int = 10
    total_cycles: int = 30


@dataclass
class Recorder:
    """A device that notes what it is asked, and spoils the result on demand.

    The first exponentiation sets the modulus up, as a core does.
    """

    flip: int = 0
    asked: list[tuple[int, int, int, int | None]] = field(default_factory=list)

    def powmod(
        self,
        base: int,
        exp: int,
        modulus: int,
        exp_bits: int | None = None,
        progress: CycleProgress | None = None,
    ) -> Result:
        self.asked.append((base, exp, modulus, exp_bits))
        if progress is not None:
            progress(15, 30)
        value = pow(base, exp, modulus) ^ self.flip
        if len(self.asked) > 1:
            return Result(value, setup_cycles=0, total_cycles=21)
        return Result(value)


def test_powers(rng: random.Random) -> None:
    key, device = ours(make_key(rng)), Recorder()
    seen: list[tuple[int, int | None]] = []
    core = RsaOnModexp(device, lambda done, total: seen.append((done, total)))
    base = rng.randrange(key.n)
    assert core.private_operation(key)(base) == pow(base, key.d, key.n)
    assert core.public_operation(key)(base) == pow(base, key.e, key.n)
    assert device.asked == [(base, key.d, key.n, 1024), (base, key.e, key.n, 17)]
    assert seen == [(15, 30)] * 2
    assert core.last is not None
    assert core.last.total_cycles == 21


def test_the_check_with_e_costs_the_core_nothing(rng: random.Random) -> None:
    key, device = ours(make_key(rng)), Recorder()
    core = RsaOnModexp(device)
    core.private_operation(key)(rng.randrange(key.n))
    assert len(device.asked) == 1
    assert cost_of(core) == (20, 10, 30)


def cost_of(core: RsaOnModexp) -> tuple[int, int, int]:
    """Cycles of exponentiations and set-up, and all."""
    assert core.last is not None
    return core.last.exp_cycles, core.last.setup_cycles, core.last.total_cycles


def test_wrong_private_power_is_caught(rng: random.Random) -> None:
    key = ours(make_key(rng))
    core = RsaOnModexp(Recorder(flip=1 << rng.randrange(1000)))
    with pytest.raises(DeviceError, match="returned a wrong result"):
        core.private_operation(key)(rng.randrange(key.n))


def test_without_e_the_power_is_computed_twice(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, device = replace(ours(make_key(rng)), e=0), Recorder()
    base, core = rng.randrange(key.n), RsaOnModexp(device)
    assert core.private_operation(key)(base) == pow(base, key.d, key.n)
    assert len(device.asked) == 2
    assert cost_of(core) == (40, 10, 51)  # of both, with the set-up that the first one needs
    flips = iter([0, 4])
    run = device.powmod

    def spoiled(*words: Any, **names: Any) -> Result:
        device.flip = next(flips)
        return run(*words, **names)

    monkeypatch.setattr(device, "powmod", spoiled)
    with pytest.raises(DeviceError, match="returned a wrong result"):
        core.private_operation(key)(base)
    assert cost_of(core) == (40, 0, 42)
