# SPDX-License-Identifier: Apache-2.0
"""What slot numbers tell of an exponent, and the RSA core that masks them."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from modfab.build.named import named_core
from modfab.build.rsa import rsa_core, rsa_core_of
from modfab.catalog import ENGINES, get_engine, get_sequencer
from modfab.errors import UsageError
from modfab.filelists import listed_files
from modfab.models.engine import (
    SLOT_MOD,
    SLOT_ONE,
    SLOT_R,
    SLOT_R2,
    SLOT_RESULT,
    Command,
    CommandResult,
    Op,
)
from modfab.models.exp_ladder_masked import BASE, PLACES, RESULT, commands
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.numbers import to_words, words_of
from modfab.paths import rtl_dir
from modfab.sim.verilate import Design, build
from tests.rtl.test_exp_timing import HARNESS
from tests.support.rsa_core import load, load_anew, make_key, make_model, ok, operate, pair

EXP_BITS = 16
OPERATIONS = 1000
GUESSED = 0.55
"""The share of bits that an observer may guess at most."""


# ---- the values ----
@pytest.mark.parametrize("num_lanes", [1, 2])
def test_values_and_places(num_lanes: int, rng: random.Random) -> None:
    engine = get_engine("qp_systolic")
    model = engine.model(engine.resolve(64, {"NumSlots": 8, "Contexts": num_lanes}))
    for _ in range(30):
        modulus = rng.getrandbits(64) | 3
        base, bits = rng.randrange(modulus), rng.randrange(40)
        exponent = rng.choice([0, (1 << bits) - 1, rng.getrandbits(bits + 1)])
        model.run(Command(Op.LOAD, dst0=SLOT_MOD, words=tuple(to_words(modulus, 2))))
        model.run(Command(Op.SETUP))
        model.run(Command(Op.LOAD, dst0=BASE, words=tuple(to_words(base, 2))))
        masks, start = rng.getrandbits(40), rng.getrandbits(32)
        stream = list(commands(exponent, bits, num_lanes, masks, start))
        for command in stream:
            model.run(command)
        words = model.run(Command(Op.STORE, a0=RESULT)).words
        assert words == tuple(to_words(pow(base, exponent & ((1 << bits) - 1), modulus), 2))
        assert len(stream) == 3 + bits * (3 - num_lanes)
        assert {command.dst0 for command in stream} <= set(range(RESULT, RESULT + PLACES))
    assert get_sequencer("ladder_masked").num_slots == RESULT + PLACES


# ---- what an observer of the sequencer sees, and of the unit that takes its commands ----
PERIOD = 4
"""Cycles of a product, of which a unit wants no fewer."""

TOP = """// SPDX-License-Identifier: Apache-2.0
module mf_test_sequencer (
  input  logic                            clk_i, rst_i, start_i,
  input  logic [15:0]                     exp_bits_i,
  output mf_rsa_pkg::addr_t               exp_addr_o,
  input  logic [31:0]                     exp_data_i,
  output logic                            cmd_valid_o,
  input  logic                            cmd_ready_i,
  output logic [$bits(mf_pkg::cmd_t)-1:0] cmd_o,
  output logic                            done_o
);
  mf_pkg::seq_req_t     req;
  mf_pkg::seq_rsp_t     rsp;
  logic [{address}-1:0] exp_addr;
  logic                 ready, pending, running, ran;
  always_ff @(posedge clk_i) ran <= !rst_i && running;
  assign done_o       = ran && !running;
  assign rsp.exp_addr = 16'(exp_addr);
  mf_rsa_unit u_unit (
    .clk_i, .rst_i, .wipe_i(rst_i),
    .cmd_valid_i(1'b0), .cmd_ready_o(ready), .cmd_i('0),
    .start_i, .start_e_i(1'b0), .exp_bits_i, .exp_addr_o, .exp_data_i,
    .running_o(running), .pending_o(pending),
    .eng_valid_o(cmd_valid_o), .eng_ready_i(cmd_ready_i), .eng_cmd_o(cmd_o),
    .seq_req_o(req), .seq_rsp_i(rsp)
  );
  {top} #(.ExpBits({bits}), .NumLanes({lanes})) u_sequencer (
    .clk_i, .rst_i(req.rst), .start_i(req.start),
    .exp_bits_i(req.exp_bits), .exp_addr_o(exp_addr), .exp_data_i(req.exp_data),
    .cmd_valid_o(rsp.cmd_valid), .cmd_ready_i(req.cmd_ready), .cmd_o(rsp.cmd), .done_o(rsp.done)
  );
  logic unused_signals;
  assign unused_signals = &{{1'b0, ready, pending}};
endmodule
"""


Bits = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Watched:
    """Exponents, and what operations with each of them show.

    Attributes:
        exponents: Of EXP_BITS bits.
        seen: For each register bit and clock, and for its change until the next cycle, a row with
            a bit for each exponent, eight to a byte.
    """

    exponents: list[int]
    seen: Bits

    def bit(self, place: int) -> Bits:
        """That bit of all exponents, as a row."""
        return np.packbits([exponent >> place & 1 for exponent in self.exponents])


class Observer:
    """A sequencer and its unit of the RSA core, their registers but the masks, cycle by cycle.

    Args:
        name: The sequencer.
        within: Part of the names of what is watched; empty for everything.
        lanes: Of the engine: 2 takes both products of a bit as one command.
        rng: Chooses the masks.
    """

    def __init__(self, name: str, within: str, lanes: int, rng: random.Random) -> None:
        self.sequencer, self.within, self.rng = get_sequencer(name), within.encode(), rng
        self.lanes = lanes
        window = words_of(EXP_BITS)
        address = (window * 2 if self.sequencer.masked else window).bit_length()
        text = TOP.format(top=self.sequencer.top, bits=EXP_BITS, lanes=lanes, address=address)
        listed = listed_files(f"exp/{self.sequencer.top}.f")
        files = tuple(
            rtl_dir() / file
            for file in ("mf_pkg.sv", "rsa/mf_rsa_pkg.sv", "rsa/mf_rsa_unit.sv", *listed[1:])
        )
        texts = {"mf_test_sequencer.sv": text}
        design = Design("mf_test_sequencer", files, texts, str(HARNESS), public=True)
        self.simulator = ctypes.CDLL(str(build(design)))
        self.simulator.mf_open.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.simulator.mf_open(rng.randrange(1, 1 << 31)))
        self.out = np.zeros(1000 * 256, np.uint8)

    def run(self, exponent: int) -> Bits:
        """One operation with fresh masks: each register bit in each cycle, until the next run."""
        words = [exponent, self.rng.getrandbits(32), self.rng.getrandbits(32)]
        cycles = ctypes.c_int(1000)
        bits = self.simulator.mf_watch(
            *(self.handle, (ctypes.c_uint32 * 3)(*words), EXP_BITS, PERIOD),
            *(self.within, b"mask_q", self.out.ctypes, ctypes.byref(cycles)),
        )
        assert 20 < bits < 256
        assert (3 - self.lanes) * EXP_BITS * PERIOD < cycles.value < 1000
        return self.out[: bits * cycles.value].reshape(-1, bits)

    def watch(self, exponents: list[int], each: int = 1) -> Watched:
        """Operations with these exponents; what more than half of `each` of them show."""
        rows = np.stack([2 * self._counts(exponent, each) > each for exponent in exponents])
        return Watched(exponents, np.packbits(rows, axis=0).T)

    def _counts(self, exponent: int, each: int) -> Bits:
        """In how many operations each register bit is 1 in each cycle, and how often it changes."""
        ones = self.run(exponent).copy()
        changes = ones[1:] ^ ones[:-1]
        for _ in range(each - 1):
            run = self.run(exponent)  # of as many cycles, or they cannot be added
            ones += run
            changes += run[1:] ^ run[:-1]
        return np.concatenate((ones, changes)).ravel()

    def close(self) -> None:
        self.simulator.mf_close(self.handle)


def guessed(learned: Watched, attacked: Watched) -> float:
    """The share of bits right if each is told by what told it best in other operations."""
    count, right = len(attacked.exponents), 0
    assert learned.seen.shape == attacked.seen.shape
    assert learned.seen.shape[0] > 0
    for place in range(EXP_BITS):
        differ = np.bitwise_count(learned.seen ^ learned.bit(place)).sum(axis=1, dtype=int)
        best = np.abs(differ - count // 2).argmax()
        wrong = int(np.bitwise_count(attacked.seen[best] ^ attacked.bit(place)).sum())
        right += count - wrong if differ[best] <= count // 2 else wrong
    return right / (count * EXP_BITS)


OBSERVED = {
    "ladder": ("ladder", "u_sequencer", 1),
    "ladder, its unit": ("ladder", "u_unit", 1),
    "ladder_masked": ("ladder_masked", "", 1),
    "ladder_masked, pairs": ("ladder_masked", "", 2),
}


@pytest.fixture
def observer(request: pytest.FixtureRequest, rng: random.Random) -> Iterator[Observer]:
    name, within, lanes = request.param
    made = Observer(name, within, lanes, rng)
    yield made
    made.close()


@pytest.mark.parametrize("each", [1, 25], ids=["single", "majority"])
@pytest.mark.parametrize("observer", OBSERVED.values(), ids=OBSERVED, indirect=True)
def test_no_register_tells_the_exponent(observer: Observer, each: int, rng: random.Random) -> None:
    """The best bit of a register, or of its change, for each bit of the exponent.

    Registers are those of the sequencer and of the RSA core's unit, with the command that waits for
    the engine. Of the ladder each of the two tells every bit.

    It is found with exponents that are known, and tried on others: once with each exponent, or as
    the majority of operations with one exponent and fresh masks. The majority tells the lowest bit,
    which is 1 in every exponent of RSA; the others by chance, which fewer exponents would not show.
    """
    learned, attacked = (
        observer.watch([rng.getrandbits(EXP_BITS) for _ in range(OPERATIONS)], each)
        for _ in range(2)
    )
    share = guessed(learned, attacked)
    assert share <= GUESSED if observer.sequencer.masked else share > 0.95


@pytest.mark.parametrize("name", ["ladder", "ladder_masked", "r2l", "window"])
def test_all_slot_numbers_together_tell_the_exponent(name: str, rng: random.Random) -> None:
    """What masks cannot hide: who reads every command of an operation can follow its values."""
    exponent, sequencer = rng.getrandbits(EXP_BITS) | 1, get_sequencer(name)
    made = sequencer.commands(exponent, EXP_BITS, 1)
    if sequencer.masked:
        made = commands(exponent, EXP_BITS, 1, rng.getrandbits(EXP_BITS), rng.getrandbits(32))
    powers = {SLOT_ONE: 0, SLOT_R: 0, SLOT_R2: 0, BASE: 1}
    for command in made:
        powers[command.dst0] = powers[command.a0] + powers[command.b]
    assert powers[SLOT_RESULT] == exponent


# ---- the RSA core ----
SMALL = {"BitsPerClock": 8}
QUICK = {"QuotientTables": 1, "LoadSum": 1, "TwoInTurn": 1}
CORES = {
    "one engine": rsa_core("bit_serial", 64, SMALL, address_blinding=True),
    "two engines": rsa_core("bit_serial", 64, SMALL, engines=2, address_blinding=True),
    "pair": rsa_core("qp_systolic", 64, engines=2, pair=True, address_blinding=True),
    "two lanes": rsa_core("qp_systolic", 64, address_blinding=True),
    "in turn": rsa_core("qp_systolic", 64, QUICK, engines=2, pair=True, address_blinding=True),
}


@pytest.mark.parametrize("name", CORES)
def test_rtl_model_and_formula_agree(name: str, rng: random.Random) -> None:
    config = CORES[name]
    rtl, model = pair(config, rng)
    key, formula = make_key(rng, 64, 63), config.programs()
    message = rng.randrange(key.n)
    for core in (rtl, model):
        for part, value in {"P": key.p, "Q": key.q, "D": key.d, "E": key.e}.items():
            core.put(part, value)
    for entry in (RsaEntry.DERIVE, RsaEntry.KEY, RsaEntry.PRIVATE, RsaEntry.PUBLIC):
        runs = [operate(core, key, message, entry) for core in (rtl, model)]
        assert runs[0] == runs[1]
        assert ok(runs[0]) == formula.program(entry, key.e)
        for variable in model.image.variables:
            assert rtl.peek(variable) == model.get(variable), variable
    assert rtl.get("M") == model.get("M") == pow(message, key.e, key.n)
    rtl.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_model_on_every_engine(engine: str, rng: random.Random) -> None:
    config = rsa_core(engine, 64, address_blinding=True)
    model = make_model(config, lambda: rng.getrandbits(32))
    cycles = set()
    for _ in range(2):
        key = make_key(rng, 64, 64)
        assert ok(load_anew(model, key)) == config.programs().program(RsaEntry.KEY, USUAL_E)
        message = rng.randrange(key.n)
        cycles.add(ok(operate(model, key, message)))
        assert model.get("M") == pow(message, key.d, key.n)
    assert cycles == {config.programs().program(RsaEntry.PRIVATE, USUAL_E)}


def test_every_operation_has_fresh_masks(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same message twice, without exponent blinding: other slot numbers."""
    config = rsa_core("bit_serial", 64, SMALL, exponent_words=0, address_blinding=True)
    model = make_model(config, lambda: rng.getrandbits(32))
    key = make_key(rng, 64, 64)
    ok(load(model, key))
    seen: list[tuple[int, ...]] = []
    run, slots = model.engine.run, list[int]()

    def spy(command: Command) -> CommandResult:
        slots.append(command.b)
        return run(command)

    monkeypatch.setattr(model.engine, "run", spy)
    for _ in range(2):
        slots.clear()
        ok(operate(model, key, 5))
        seen.append(tuple(slots))
    assert seen[0] != seen[1]


def test_masks_are_wiped(rng: random.Random) -> None:
    config = CORES["two engines"]
    rtl, _ = pair(config, rng)
    key = make_key(rng, 64, 64)
    ok(load(rtl, key))
    ok(operate(rtl, key, 5))
    for variable in ("XD", "XDM", "XE", "XEM"):
        assert rtl.peek(variable) == 0
    rtl.close()


def test_rsa_2048_within_its_cycles() -> None:
    given: dict[str, Any] = {"engines": 2, "pair": True, "address_blinding": True}
    blinded = rsa_core("qp_systolic", 1024, **given)
    assert blinded.programs().program(RsaEntry.PRIVATE, USUAL_E) <= 292_000
    quick = rsa_core("qp_systolic", 1024, QUICK, **given)
    assert quick.programs().program(RsaEntry.PRIVATE, USUAL_E) <= 279_000


# ---- choices ----
def test_the_option_of_commands() -> None:
    options = {"address_blinding": 1, "engines": 2}
    core = rsa_core_of("bit_serial", 128, {}, "ladder", options)
    assert core.unit.sequencer.name == "ladder_masked"
    assert core.non_defaults() == options
    assert core.choices()["address_blinding"] == 1
    assert rsa_core_of("bit_serial", 128, {}, core.unit.sequencer.name, options) == core
    assert "address_blinding" not in rsa_core("bit_serial", 64).choices()


@pytest.mark.parametrize("sequencer", ["window", "r2l"])
def test_a_sequencer_that_cannot_be_blinded(sequencer: str) -> None:
    with pytest.raises(UsageError, match=f"the sequencer is {sequencer}; choose ladder, or no"):
        rsa_core("bit_serial", 64, sequencer=sequencer, address_blinding=True)


def test_basic_has_no_address_blinding() -> None:
    with pytest.raises(UsageError, match="the build is basic; choose hardened, or no address"):
        rsa_core("bit_serial", 64, hardened=False, address_blinding=True)


@pytest.mark.parametrize("kind", ["modexp", "rsa"])
def test_masked_slot_numbers_need_masks(kind: str) -> None:
    with pytest.raises(UsageError, match="ladder_masked needs random masks, which only an RSA"):
        named_core(kind, "bit_serial", 128, {}, "ladder_masked", None, {})
