# SPDX-License-Identifier: Apache-2.0
"""Commands and slots of the models are those of the RTL, and of all sequencers."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from modfab.catalog import ENGINES, LONG_R, SEQUENCERS
from modfab.models.engine import (
    COMMAND_FIELDS,
    SLOT_BASE,
    SLOT_FREE,
    SLOT_MOD,
    SLOT_ONE,
    SLOT_R,
    SLOT_R2,
    SLOT_RESULT,
    Command,
    Op,
)
from modfab.models.rsa.instructions import RsaOp
from modfab.models.rsa.program import RsaShape, program
from modfab.paths import rtl_dir

PACKAGE = (rtl_dir() / "mf_pkg.sv").read_text()


def constant(pattern: str) -> int:
    found = re.search(pattern, PACKAGE)
    assert found, pattern
    return int(found[1])


def test_layout_of_a_command_is_that_of_the_rtl_package() -> None:
    bits = {
        "op_e": constant(r"typedef enum logic \[(\d+):0\] \{\s*OpLoad") + 1,
        "slot_t": constant(r"SlotBits = (\d+);"),
    }
    body = PACKAGE[: PACKAGE.index("} cmd_t;")].rpartition("typedef struct packed {")[2]
    fields = {}
    for kind, width, name in re.findall(r"^ *(\w+)(?: \[(\d+):0\])? +(\w+);", body, re.MULTILINE):
        fields[name] = bits[kind] if kind in bits else int(width) + 1
    assert list(fields.items()) == list(COMMAND_FIELDS.items())
    assert sum(fields.values()) <= 64, "more than the simulator's harness takes"


def test_operations_are_those_of_the_rtl_package() -> None:
    for op in Op:
        assert constant(rf"Op{op.name.title()} += 3'd(\d)") == op


def test_a_command_comes_back_from_its_bits() -> None:
    values = {name: (1 << bits) - 1 - i for i, (name, bits) in enumerate(COMMAND_FIELDS.items())}
    values["op"] = Op.MUL2
    packed = 0
    for name, bits in COMMAND_FIELDS.items():
        packed = packed << bits | values[name]
    command = Command.unpack(packed)
    assert {name: getattr(command, name) for name in COMMAND_FIELDS} == values
    assert command.packed() == packed


def test_slots_are_those_of_the_rtl() -> None:
    slots = {"One": SLOT_ONE, "R": SLOT_R, "R2": SLOT_R2, "Mod": SLOT_MOD, "Free": SLOT_FREE}
    assert {name: constant(rf"slot_t Slot{name} += 7'd(\d);") for name in slots} == slots
    core = (rtl_dir() / "modexp" / "mf_modexp.sv").read_text()
    assert f"loader_cmd.a0   = mf_pkg::SlotFree + 7'd{SLOT_RESULT - SLOT_FREE};" in core
    assert "loader_cmd.dst0 = mf_pkg::SlotFree;" in core
    assert SLOT_BASE == SLOT_FREE


@pytest.mark.parametrize("name", sorted(SEQUENCERS))
def test_every_sequencer_starts_at_the_base_and_ends_at_the_result(name: str) -> None:
    sequencer = SEQUENCERS[name]
    for lanes in (1, 2):
        first, *others = sequencer.commands(0b1011, 4, lanes)
        assert first.a0 == SLOT_BASE
        assert others[-1].dst0 == SLOT_RESULT
        assert all(command.dst0 != SLOT_BASE for command in others)


@pytest.mark.parametrize("message_blinding", [False, True])
def test_programs_put_the_base_and_take_the_result_there(message_blinding: bool) -> None:
    moves = (RsaOp.LOAD, RsaOp.MUL, RsaOp.STORE, RsaOp.EXP)
    image = program(RsaShape(64, message_blinding))
    code = [instruction for instruction in image.code if instruction.op in moves]
    places = [i for i, instruction in enumerate(code) if instruction.op is RsaOp.EXP]
    for place, end in pairwise([*places, len(code)]):
        assert code[place - 1].dst == SLOT_BASE
        products = [i for i in code[place:end] if i.op is RsaOp.MUL]
        stores = [i for i in code[place:end] if i.op is RsaOp.STORE]
        read = {slot for i in products for slot in (i.a, i.b)} | {i.a for i in stores}
        assert SLOT_RESULT in read


def test_a_square_is_short_unless_it_is_of_r_and_must_not_be_seen() -> None:
    engine = ENGINES["sos36"]
    for long_r in (0, 1):
        params = engine.resolve(1024, {LONG_R: long_r})
        assert engine.cycles.square
        mul, square = engine.cycles.mul(params), engine.cycles.square(params)
        found = [engine.product_cycles(params, a, b) for a, b in ((4, 5), (4, 4), (SLOT_R, SLOT_R))]
        assert found == [mul, square, mul if long_r else square]
        assert mul > square


def test_a_digit_is_made_smaller_for_a_target_never_larger() -> None:
    engine = ENGINES["qp_systolic"]
    assert engine.on_target(24, {"NumSlots": 9}) == {"NumSlots": 9}
    assert engine.on_target(17, {"NumSlots": 9}) == {"DigitBits": 17, "NumSlots": 9}
    assert engine.on_target(17, {"DigitBits": 16}) == {"DigitBits": 16}
