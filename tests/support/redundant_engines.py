# SPDX-License-Identifier: Apache-2.0
"""What the tests of both redundant engines share: the paper's figures and a device to run them."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
import tomli

from modfab.catalog import get_engine, get_sequencer
from modfab.host.open import open_device
from modfab.paths import rtl_dir
from tests.support.eda import slang_command, yosys

PUBLISHED = rtl_dir().parent / "results" / "published" / "nakano.toml"
DATA: dict[str, Any] = tomli.loads(PUBLISHED.read_text())
WIDTHS = (64, 128, 256, 512, 1024)
COUNTED = [pytest.param(n, marks=[pytest.mark.full] if 64 < n < 1024 else []) for n in WIDTHS]


def rows(engine: str, kind: str = "worst") -> list[dict[str, Any]]:
    """The paper's rows that an engine stands beside: the worst case, or what is expected."""
    return [
        row
        for row in DATA["row"]
        if row.get("ours", {}).get("engine") == engine and row["design"].endswith(kind)
    ]


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
    stages: int = 0,
) -> int:
    """Run one exponentiation on the RTL, against `pow`; returns its cycles."""
    modulus = rng.getrandbits(num_bits) | 1 << (num_bits - 1) | 1
    base = rng.randrange(modulus)
    params = {"Redundant": redundant} | ({"PipelineStages": stages} if stages else {})
    with open_device("sim", engine, num_bits, sequencer, params) as device:
        result = device.powmod(base, exponent, modulus)
    assert result.value == pow(base, exponent, modulus)
    return result.exp_cycles


def multipliers(engine: str, num_bits: int, **overrides: int) -> int:
    """Multipliers that the RTL holds, counted by Yosys."""
    found = get_engine(engine)
    path = rtl_dir() / "mul" / engine / f"{found.top}.sv"
    read = slang_command(path, found.resolve(num_bits, overrides)).removesuffix("; design -reset")
    log = yosys(f"{read}; flatten; select -count t:$mul a:src=*mf_prim_mul.sv* %i")
    return int(re.findall(r"^(\d+) objects", log, re.MULTILINE)[-1])
