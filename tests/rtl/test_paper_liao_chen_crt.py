# SPDX-License-Identifier: Apache-2.0
"""RTL of [LIAO24] Algorithms 5 and 6 against its model: value, status and cycles."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import pytest

from modfab.build.core import modexp_core
from modfab.filelists import listed_files
from modfab.models.generated.status import Status
from modfab.models.paper_crt import Counted, PaperKey, decrypt
from modfab.numbers import from_words, to_words, words_of
from modfab.paths import rtl_dir
from modfab.sim.handle import Simulation
from modfab.sim.verilate import Design, build
from tests.support.rsa_core import make_key

HARNESS = Path(__file__).resolve().parent / "liao_chen" / "decrypt.cpp"
ENGINES = ("mod_product", "bit_serial")
LIMIT = 100_000
TOP = """module top (
  input logic clk_i, rst_i, start_i, input logic [{half}-1:0] p_i, q_i,
  input logic [2*{half}-1:0] d_i, y_i, output logic busy_o, done_o,
  output mf_pkg::status_e error_o, output logic [2*{half}-1:0] x_o
);
  mf_liao_chen_rsa #(.HalfBits({half}), .Montgomery({montgomery})) u_rsa (.*);
endmodule
"""


class RtlCrt(Simulation):
    """The circuit with its operands as arguments."""

    def __init__(self, engine: str, half_bits: int, rng: random.Random) -> None:
        self.num_words = 2 * words_of(half_bits) + 1
        self.rng = rng
        text = TOP.format(half=half_bits, montgomery=f"1'b{ENGINES.index(engine)}")
        files = tuple(rtl_dir() / name for name in listed_files("papers/liao_chen/files.f"))
        library = ctypes.CDLL(str(build(Design("top", files, {"top.sv": text}, str(HARNESS)))))
        library.mf_open.restype = ctypes.c_void_p
        library.mf_decrypt.restype = ctypes.c_int64
        super().__init__(library, library.mf_open(rng.randrange(1, 1 << 31)))

    def decrypt(self, key: PaperKey, message: int) -> tuple[Status, Counted]:
        """One decryption; noise is on the operands' wires while it runs."""
        array = ctypes.c_uint32 * self.num_words
        noise = self.rng.getrandbits(32 * self.num_words)
        given = (key.p, key.q, key.d, message, noise)
        words = [array(*to_words(value, self.num_words)) for value in given]
        x, error = array(), ctypes.c_uint32()
        cycles = self._library.mf_decrypt(
            self._handle, *words, ctypes.c_int64(LIMIT), x, ctypes.byref(error)
        )
        return Status(error.value), Counted(from_words(list(x)), cycles)


def expected(engine: str, half_bits: int, key: PaperKey, message: int) -> Counted:
    """The model over the catalogue's cycles of engine and sequencer."""
    core = modexp_core(engine, half_bits, {}, "r2l", half_bits)

    def modexp(base: int, exponent: int, modulus: int) -> Counted:
        cycles = core.sequencer.exp_cycles(core.engine, core.params, exponent, half_bits)
        return Counted(pow(base, exponent, modulus), cycles)

    return decrypt(key, message, modexp, core.engine.cycles.setup(core.params))


def check(engine: str, half_bits: int, num_keys: int, rng: random.Random) -> None:
    rtl = RtlCrt(engine, half_bits, rng)
    for _ in range(num_keys):
        made = make_key(rng, half_bits, half_bits)
        key = PaperKey(made.p, made.q, made.d)
        between = pow(rng.randrange(*sorted((made.p, made.q))), made.e, made.n)  # h is 0 or 1
        drawn = (rng.randrange(made.n) for _ in range(2))
        for message in (0, 1, made.q, made.n - 1, between, *drawn):
            status, found = rtl.decrypt(key, message)
            assert status is Status.OK
            assert found == expected(engine, half_bits, key, message)
            assert found.value == pow(message, made.d, made.n)
    rtl.close()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("half_bits", [17, 40])
def test_value_and_cycles_are_the_models(engine: str, half_bits: int, rng: random.Random) -> None:
    check(engine, half_bits, 8, rng)


@pytest.mark.full
@pytest.mark.parametrize("engine", ENGINES)
def test_at_the_papers_width(engine: str, rng: random.Random) -> None:
    check(engine, 128, 10, rng)


def test_bad_primes_end_with_a_status(rng: random.Random) -> None:
    """An even p, and a q that is p; the next decryption is right again."""
    rtl = RtlCrt("bit_serial", 17, rng)
    made = make_key(rng, 17, 17)
    assert rtl.decrypt(PaperKey(made.p - 1, made.q, made.d), 5)[0] is Status.MOD_EVEN
    assert rtl.decrypt(PaperKey(made.p, made.p, made.d), 5)[0] is Status.OPERAND
    status, found = rtl.decrypt(PaperKey(made.p, made.q, made.d), 5)
    assert (status, found.value) == (Status.OK, pow(5, made.d, made.n))
    rtl.close()
