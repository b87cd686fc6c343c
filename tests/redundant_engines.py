# SPDX-License-Identifier: Apache-2.0
"""What the tests of both redundant engines share: the paper's figures and a device to run them."""

from __future__ import annotations

import random
from typing import Any

import tomli

from modfab.catalog import get_engine, get_sequencer
from modfab.host.open import open_device
from modfab.paths import rtl_dir

PUBLISHED = rtl_dir().parent / "results" / "published" / "nakano.toml"
DATA: dict[str, Any] = tomli.loads(PUBLISHED.read_text())
WIDTHS = (64, 128, 256, 512, 1024)


def rows(engine: str) -> list[dict[str, Any]]:
    """The paper's rows that an engine stands beside."""
    return [row for row in DATA["row"] if row.get("ours", {}).get("engine") == engine]


def exp_cycles(engine: str, num_bits: int, redundant: int, exponent: int) -> int:
    """Cycles of an exponentiation by the catalogue's formula."""
    found = get_engine(engine)
    params = found.resolve(num_bits, {"Redundant": redundant})
    return get_sequencer("l2r").exp_cycles(found, params, exponent, num_bits)


def mean_cycles(engine: str, num_bits: int, rng: random.Random) -> float:
    """Mean over 50 random exponents with their highest bit set."""
    top = 1 << (num_bits - 1)
    exponents = [rng.getrandbits(num_bits) | top for _ in range(50)]
    return sum(exp_cycles(engine, num_bits, 1, exponent) for exponent in exponents) / 50


def check_on_device(
    engine: str,
    num_bits: int,
    redundant: int,
    exponent: int,
    rng: random.Random,
    sequencer: str = "l2r",
) -> int:
    """Run one exponentiation on the RTL, against `pow`; returns its cycles."""
    modulus = rng.getrandbits(num_bits) | 1 << (num_bits - 1) | 1
    base = rng.randrange(modulus)
    with open_device("sim", engine, num_bits, sequencer, {"Redundant": redundant}) as device:
        result = device.powmod(base, exponent, modulus)
    assert result.value == pow(base, exponent, modulus)
    return result.exp_cycles
