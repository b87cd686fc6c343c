# SPDX-License-Identifier: Apache-2.0
"""The testbench of a package: plain Verilog with vectors, for Icarus Verilog and Verilator."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch

from modfab.build.core import Core, ModexpCore
from modfab.build.farm import FarmCore
from modfab.build.rsa import RsaCore
from modfab.host.generated import mf_modexp_regs as regs
from modfab.models.generated.status import Status
from modfab.numbers import words_of
from modfab.package.bench_farm import farm_values
from modfab.package.bench_rsa import registers_of, rsa_values
from modfab.package.ip import IpPackage
from modfab.package.kind import CLOCK, IRQ, RESET
from modfab.package.templates import fill

_SHORT_BITS = 17  # exponents of the vectors stay short, so that wide cores are tested in seconds


@dataclass(frozen=True, slots=True)
class Vector:
    """One operation and its outcome; `result` comes from Python's pow."""

    modulus: int
    base: int
    exponent: int
    exp_bits: int
    status: Status
    result: int = 0
    cycles: int = 0


def vectors_of(config: ModexpCore) -> tuple[Vector, ...]:
    """Vectors of a configuration; the same every time."""
    rng = random.Random(f"{config.engine.name}:{sorted(config.params.items())}")
    bits, short = config.num_bits, min(_SHORT_BITS, config.exp_bits)
    ones = (1 << bits) - 1
    moduli = [rng.getrandbits(bits) | 1 << (bits - 1) | 1, ones, (1 << (bits - 1)) + 1]
    exponents = [65537 & ((1 << short) - 1) | 1, rng.getrandbits(short), (1 << short) - 1]
    vectors = []
    for modulus, exponent in zip(moduli, exponents, strict=True):
        base = modulus - 1 if modulus == ones else rng.randrange(modulus)
        cycles = config.sequencer.exp_cycles(config.engine, config.params, exponent, short)
        power = pow(base, exponent, modulus)
        vectors.append(Vector(modulus, base, exponent, short, Status.OK, power, cycles))
    return (*vectors, Vector(moduli[0] - 1, 1, 1, short, Status.MOD_EVEN))


def _checks(vectors: tuple[Vector, ...], width: int) -> str:
    lines = []
    for v in vectors:
        hexes = ", ".join(f"{width}'h{x:x}" for x in (v.modulus, v.base, v.result))
        lines.append(
            f"    operate({hexes}, 32'h{v.exponent:x}, {v.exp_bits}, {int(v.status)}, "
            f"64'd{v.cycles});"
        )
    return "\n".join(lines)


def bench_text(package: IpPackage) -> str:
    """Verilog-2005 of the bench; it prints PASS, or says what is wrong and stops."""
    kind = package.kind
    names = (port for port, _, _ in kind.port_lines())
    signals = "".join(
        f"  {'reg ' if is_input else 'wire'} {f'[{width - 1}:0] ' if width > 1 else ''}{port}"
        f"{' = 0' if is_input else ''};\n"
        for port, width, is_input in kind.port_lines()
        if port not in (CLOCK, RESET)
    )
    used = {
        "name": package.name,
        "clock": CLOCK,
        "reset": RESET,
        "irq": IRQ,
        "signals": signals,
        "links": ", ".join(f".{name}({name})" for name in names),
    }
    used |= _values(package.core, used)
    entropy = fill("bench_entropy.v", used) if kind.has_entropy else ""
    return fill("bench.v", used | {"entropy": entropy})


@singledispatch
def _values(core: Core, used: Mapping[str, str]) -> dict[str, str]:
    """What only this kind of core has."""
    raise TypeError(f"a core of the kind {core.kind} has no bench")


_values.register(RsaCore, rsa_values)
_values.register(FarmCore, farm_values)


@_values.register
def _(config: ModexpCore, used: Mapping[str, str]) -> dict[str, str]:
    """What only the exponentiator's bench has."""
    words, vectors = words_of(config.num_bits), vectors_of(config)
    width = 32 * words
    limit = 20 * (max(v.cycles for v in vectors) + config.engine.cycles.setup(config.params))
    values = registers_of(regs) | {
        "top_bit": str(width - 1),
        "num_vectors": str(len(vectors)),
        "num_bytes": str(4 * words),
        "checks": _checks(vectors, width),
        "max_cycles": str(limit + 4000 * words),
    }
    return values | {"operate": fill("bench_modexp.v", {**used, **values})}
