# SPDX-License-Identifier: Apache-2.0
"""A P-256 public key from its private scalar: every field product on the engine `sos`.

usage: ./modfab python examples/p256.py [sim|model]

The engine knows products only, so this host adds, and sends each product as four commands of the
contract: two loads, the product, a store. The commands are the same for every scalar, and so are
their cycles. Values stay in Montgomery form, in which sums are sums as well. (The additions in
Python are not constant in time; the engine's part is.)
"""

import secrets
import sys
from functools import reduce

from cryptography.hazmat.primitives.asymmetric import ec

from modfab.catalog import get_engine
from modfab.host.defaults import SIMULATED
from modfab.models.engine import SLOT_FREE, SLOT_MOD, Command, Op
from modfab.numbers import from_words, to_words
from modfab.sim.engine import RtlEngine

P = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
X = 0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296
Y = 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5
A_SLOT, B_SLOT, RESULT = range(SLOT_FREE, SLOT_FREE + 3)

Point = tuple[int, int, int]


class Field:
    """Integers modulo P in Montgomery form, multiplied by an engine whose cycles are counted."""

    def __init__(self, device: str) -> None:
        engine = get_engine("sos")
        params = engine.resolve(256)
        self.unit = RtlEngine(engine, params) if device == "sim" else engine.model(params)
        self.r = pow(2, engine.r_bits(params), P)
        self.cycles = 0
        self.run(Command(Op.LOAD, dst0=SLOT_MOD, words=words(P)), Command(Op.SETUP))

    def run(self, *commands: Command) -> int:
        """Send commands; the value that the last one stores."""
        if isinstance(self.unit, RtlEngine):
            results = list(self.unit.run_all(commands).results)
        else:
            results = [self.unit.run(command) for command in commands]
        self.cycles += sum(result.cycles for result in results)
        return from_words(results[-1].words)

    def mul(self, a: int, b: int) -> int:
        """The product a * b / R mod P."""
        return self.run(
            Command(Op.LOAD, dst0=A_SLOT, words=words(a)),
            Command(Op.LOAD, dst0=B_SLOT, words=words(b)),
            Command(Op.MUL, dst0=RESULT, a0=A_SLOT, b=B_SLOT),
            Command(Op.STORE, a0=RESULT),
        )

    def enter(self, value: int) -> int:
        """Into Montgomery form."""
        return self.mul(value, self.r * self.r % P)

    def inverse(self, value: int) -> int:
        """value^(P - 2): the exponent is public, so its bits may choose products."""
        bits = f"{P - 2:b}"[1:]
        return reduce(
            lambda x, bit: self.mul(self.mul(x, x), value) if bit == "1" else self.mul(x, x),
            *(bits, value),
        )


def words(value: int) -> tuple[int, ...]:
    """The 32-bit words of a field element."""
    return tuple(to_words(value, 8))


def add(f: Field, b: int, p: Point, q: Point) -> Point:
    """The sum p + q by the complete formulas of Renes, Costello and Batina (2016), algorithm 4.

    14 products, without an exception: doubling and the point at infinity take the same way.
    """
    t0, t1, t2 = (f.mul(u, v) for u, v in zip(p, q, strict=True))
    xy = (f.mul((p[0] + p[1]) % P, (q[0] + q[1]) % P) - t0 - t1) % P
    yz = (f.mul((p[1] + p[2]) % P, (q[1] + q[2]) % P) - t1 - t2) % P
    xz = (f.mul((p[0] + p[2]) % P, (q[0] + q[2]) % P) - t0 - t2) % P
    u = 3 * (xz - f.mul(b, t2)) % P
    v = 3 * (f.mul(b, xz) - 3 * t2 - t0) % P
    w = 3 * (t0 - t2) % P
    minus, plus = (t1 - u) % P, (t1 + u) % P
    return (
        (f.mul(xy, plus) - f.mul(yz, v)) % P,
        (f.mul(plus, minus) + f.mul(w, v)) % P,
        (f.mul(yz, minus) + f.mul(xy, w)) % P,
    )


def multiply(f: Field, scalar: int) -> tuple[int, int]:
    """The affine point scalar * G by a ladder: two additions for each of 256 bits."""
    b, x, y = (f.enter(value) for value in (B, X, Y))
    points: list[Point] = [(0, f.r, 0), (x, y, f.r)]  # infinity, G
    for index in reversed(range(256)):
        bit = scalar >> index & 1
        total, double = add(f, b, *points), add(f, b, points[bit], points[bit])
        points = [double, total] if bit == 0 else [total, double]
    inverse = f.inverse(points[0][2])
    affine_x, affine_y = (f.mul(f.mul(value, inverse), 1) for value in points[0][:2])
    return affine_x, affine_y


def main() -> None:
    """Two scalars: both points as `cryptography` has them, in the same cycles."""
    device = sys.argv[1] if len(sys.argv) > 1 else "sim"
    if device not in SIMULATED:
        sys.exit(f"Expected {' or '.join(SIMULATED)}, but got {device}; name one of these.")
    field = Field(device)
    counts = set()
    for scalar in (1, 1 + secrets.randbelow(ORDER - 1)):
        before = field.cycles
        found = multiply(field, scalar)
        counts.add(field.cycles - before)
        numbers = ec.derive_private_key(scalar, ec.SECP256R1()).public_key().public_numbers()
        if found != (numbers.x, numbers.y):
            sys.exit(f"WRONG for the scalar {scalar:#x}")
    print("both points are those of cryptography")
    print(f"{counts.pop():,} cycles each" if len(counts) == 1 else "WRONG: cycles differ")


if __name__ == "__main__":
    main()
