# SPDX-License-Identifier: Apache-2.0
"""What the benches of packaged RSA cores compute with a key, and what has to come out."""

from __future__ import annotations

import random
from collections.abc import Mapping
from math import gcd
from types import ModuleType

from Crypto.Util.number import getPrime

from modfab.build.rsa import RsaCore, half_of
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.keys import RsaPrivate
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.package.templates import fill


def registers_of(module: ModuleType) -> dict[str, str]:
    """The numbers of a register map as hexadecimal texts."""
    return {name: f"{value:x}" for name, value in vars(module).items() if isinstance(value, int)}


def key_of(config: RsaCore) -> RsaPrivate:
    """A key for a configuration's bench; the same every time."""
    half = half_of(config.num_bits & ~1)
    rng = random.Random(f"{config.unit.engine.name}:{half}")
    while True:
        p, q = (getPrime(half, randfunc=rng.randbytes) for _ in "pq")
        phi = (p - 1) * (q - 1)
        if p != q and gcd(USUAL_E, phi) == 1:
            return RsaPrivate(n=p * q, e=USUAL_E, d=pow(USUAL_E, -1, phi), p=p, q=q)


def hexadecimal(width: int, *numbers: int) -> str:
    """Numbers as Verilog's constants.

    >>> hexadecimal(8, 1, 255)
    "8'h1, 8'hff"
    """
    return ", ".join(f"{width}'h{number:x}" for number in numbers)


def load_check(config: RsaCore, key: RsaPrivate) -> str:
    """The line that loads a key and checks the cycles of that."""
    cycles, e_bits = config.programs(), key.e.bit_length()
    if config.shape.public_only:
        parts = hexadecimal(32 * config.shape.num_words, key.n, key.e)
        return f"    load_key({parts}, {e_bits}, 64'd{cycles.program(RsaEntry.KEY, key.e)});"
    if config.shape.keygen:  # `derive` would make another key
        numbers = (key.p, key.q, key.d % (key.p - 1), key.d % (key.q - 1), pow(key.q, -1, key.p))
        parts = hexadecimal(32 * config.shape.num_words, *numbers, key.e)
        return f"    load_key({parts}, {e_bits}, 64'd{cycles.program(RsaEntry.KEY, key.e)});"
    derive, setup = (cycles.program(entry, key.e) for entry in (RsaEntry.DERIVE, RsaEntry.KEY))
    parts = hexadecimal(32 * config.shape.num_words, key.p, key.q, key.d, key.e)
    return f"    load_key({parts}, {e_bits}, 64'd{derive}, 64'd{setup});"


def key_values(module: ModuleType, config: RsaCore, used: Mapping[str, str]) -> dict[str, str]:
    """What the benches of all cores with a key have, by the names of the templates.

    Args:
        module: The register map.
        config: The core.
        used: What is the same for every core.
    """
    shape = config.shape
    values = registers_of(module) | {
        "top_bit": str(32 * shape.num_words - 1),
        "num_bytes": str(4 * shape.num_words),
        "num_half_bytes": str(4 * shape.half_words),
    }
    kind = "public" if shape.public_only else "whole" if shape.keygen else ""
    templates = "bench_run.v", f"bench_{kind}_key.v" if kind else "bench_key.v"
    return values | {"load": "".join(fill(name, {**used, **values}) for name in templates)}


def _checks(config: RsaCore, key: RsaPrivate) -> list[str]:
    private, public = (
        config.programs().program(entry, key.e) for entry in (RsaEntry.PRIVATE, RsaEntry.PUBLIC)
    )
    width = 32 * config.shape.num_words
    message = (2 * key.n) // 3
    signed = pow(message, key.d, key.n)
    if config.shape.public_only:
        return _public_checks(config, key, signed, message)
    edge = key.n - 1, pow(-1, key.d, key.n)
    return [
        load_check(config, key),
        f"    operate(1, {hexadecimal(width, message, signed)}, 0, 64'd{private});",
        f"    operate(0, {hexadecimal(width, signed, message)}, 0, 64'd{public});",
        f"    operate(1, {hexadecimal(width, *edge)}, 0, 64'd{private});",
        f"    operate(1, {hexadecimal(width, key.n, 0)}, {int(RsaStatus.OPERAND)}, 64'd0);",
    ]


def _public_checks(config: RsaCore, key: RsaPrivate, signed: int, message: int) -> list[str]:
    public = config.programs().program(RsaEntry.PUBLIC, key.e)
    width = 32 * config.shape.num_words
    pairs = (signed, message), (key.n - 1, key.n - 1), (0, 0)
    return [
        load_check(config, key),
        *(f"    operate(0, {hexadecimal(width, *pair)}, 0, 64'd{public});" for pair in pairs),
        f"    operate(0, {hexadecimal(width, key.n, 0)}, {int(RsaStatus.OPERAND)}, 64'd0);",
    ]


def rsa_values(config: RsaCore, used: Mapping[str, str]) -> dict[str, str]:
    """What only the RSA core's bench has, by the names of the template.

    Args:
        config: The core.
        used: What is the same for every core.
    """
    checks = _checks(config, key_of(config))
    values = key_values(regs, config, used) | {
        "num_vectors": str(len(checks) - 1),
        "checks": "\n".join(checks),
        "max_cycles": str(4 * config.programs().slowest + 10000 * config.shape.num_words),
    }
    return values | {"operate": fill("bench_rsa.v", {**used, **values})}
