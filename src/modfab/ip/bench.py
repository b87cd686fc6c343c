# SPDX-License-Identifier: Apache-2.0
"""The testbench of a package: plain Verilog with vectors, for Icarus Verilog and Verilator."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modfab.gen.config import CoreConfig
from modfab.host.generated import mf_modexp_regs as regs
from modfab.ip.templates import fill
from modfab.ip.top import CLOCK, IRQ, PORTS, RESET
from modfab.models.engine import Status
from modfab.numbers import words_of

if TYPE_CHECKING:
    from modfab.ip.package import IpPackage

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


def vectors_of(config: CoreConfig) -> tuple[Vector, ...]:
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
    config, name = package.config, package.name
    words = words_of(config.num_bits)
    width = 32 * words
    vectors = vectors_of(config)
    signals = "".join(
        f"  reg  {f'[{width - 1}:0] ' if width > 1 else ''}{port} = 0;\n"
        if is_input
        else f"  wire {f'[{width - 1}:0] ' if width > 1 else ''}{port};\n"
        for port, width, is_input in PORTS
    )
    links = ", ".join(f".{port}({port})" for port in (CLOCK, RESET, IRQ, *(p[0] for p in PORTS)))
    limit = 20 * (max(v.cycles for v in vectors) + config.engine.cycles.setup(config.params))
    used = {name: f"{value:x}" for name, value in vars(regs).items() if isinstance(value, int)}
    return fill(
        "bench.v",
        used
        | {
            "name": name,
            "clock": CLOCK,
            "reset": RESET,
            "irq": IRQ,
            "signals": signals,
            "links": links,
            "top_bit": str(width - 1),
            "num_vectors": str(len(vectors)),
            "num_bytes": str(4 * words),
            "checks": _checks(vectors, width),
            "max_clocks": str(limit + 4000 * words),
        },
    )
