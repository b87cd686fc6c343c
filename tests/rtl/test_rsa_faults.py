# SPDX-License-Identifier: Apache-2.0
"""Faults in the simulated RSA core: no wrong result leaves it; a wipe leaves nothing."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from modfab.build.rsa import RsaCore, rsa_core
from modfab.errors import DeviceError
from modfab.models.exp_ladder import commands as ladder_commands
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.registers import Register
from modfab.sim.rsa import RtlRsa
from tests.support.rsa_core import Key, align, load, make_key, ok, operate

HALF = 64
CONFIG = rsa_core("bit_serial", HALF, {"BitsPerClock": 8})
TWO = rsa_core("bit_serial", HALF, {"BitsPerClock": 8}, engines=2)
PAIR = rsa_core("qp_systolic", HALF, engines=2, pair=True, sequencer="window")
CONFIGS = {"1": CONFIG, "2": TWO, "pair": PAIR}


@pytest.fixture
def rtl(rng: random.Random) -> RtlRsa:
    core = RtlRsa(CONFIG, public=True, seed=rng.getrandbits(32))
    core.entropy([rng.getrandbits(32) for _ in range(1 << 16)])
    return core


def bits_of(register: Register) -> int:
    return register.elements * register.element_bits


def named(registers: list[Register], end: str) -> Register:
    (found,) = (register for register in registers if register.name.endswith(end))
    return found


def prepared(rtl: RtlRsa, rng: random.Random) -> tuple[Key, int, int]:
    """A loaded key, and the cycles of a private operation."""
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    return key, 2, ok(operate(rtl, key, 2))


def cut(rtl: RtlRsa, message: int, cycles: int) -> None:
    """Leave a private operation after so many cycles."""
    ample = rtl.limit
    rtl.put("C", message)
    rtl.limit = cycles
    assert not rtl.try_run(RsaEntry.PRIVATE, 17), "the operation was over before the cut"
    rtl.limit = ample


def test_registers_are_found(rtl: RtlRsa) -> None:
    registers = rtl.registers()
    for end in ("u_ram_a.mem_q", "u_ram_b.mem_q", "u_fetch.pc_q", "u_alu.mult_q", "u_engine.n_q"):
        assert named(registers, end).element_bits > 0
    rtl.close()


SECRETS = (
    "P",
    "Q",
    "DP",
    "DQ",
    "QI",
    "E",
    "AP",
    "BP",
    "VP",
    "AQ",
    "BQ",
    "P1",
    "Q1",
    "N",
    "C",
    "C2",
)


def test_a_changed_key_word_never_gives_a_result(rtl: RtlRsa, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    copies = [named(rtl.registers(), f"u_ram_{copy}.mem_q") for copy in "ab"]
    for name in SECRETS:
        for copy in copies:
            bit = rng.randrange(16)
            rtl.fault(0, copy, rtl.image.variables[name][0], bit)
        status = operate(rtl, key, 2).status
        assert status in (RsaStatus.FAULT, RsaStatus.KEY, RsaStatus.OPERAND), name
        assert not rtl.result_valid
        assert rtl.peek("M") == 0
        rtl.wipe()
        ok(load(rtl, key))
        ok(operate(rtl, key, 2))
    rtl.close()


def released_result(rtl: RtlRsa) -> int | None:
    """What a host can read now."""
    try:
        return rtl.get("M") if rtl.result_valid else None
    except DeviceError:
        return None


def test_a_result_that_changes_after_its_check_is_refused(rtl: RtlRsa, rng: random.Random) -> None:
    _, message, cycles = prepared(rtl, rng)
    for copy in "ab":
        memory = named(rtl.registers(), f"u_ram_{copy}.mem_q")
        word = rtl.image.variables["M"][0] + rng.randrange(4)
        rtl.put("C", message)
        rtl.fault(cycles - 2, memory, word, rng.randrange(32))
        ok(rtl.run(RsaEntry.PRIVATE, 17))
        with pytest.raises(DeviceError, match=f"Word {word} of the RSA core's memory has changed"):
            rtl.get("M")
    rtl.close()


def outcome_of(
    rtl: RtlRsa,
    key: Key,
    rng: random.Random,
    faults: list[tuple[int, Register, int, int]],
) -> str:
    """Run one operation with bit flips (cycle, register, element, bit); return its outcome."""
    message = rng.randrange(key.n)
    rtl.put("C", message)
    for fault in faults:
        rtl.fault(*fault)
    rtl.entropy([rng.getrandbits(32) for _ in range(64)])
    ended = rtl.try_run(RsaEntry.PRIVATE, key.e.bit_length())
    result = released_result(rtl)
    done = [(clock, register.name, *place) for clock, register, *place in faults]
    assert ended, f"the core did not end: {done}"
    if result is not None:
        assert result == pow(message, key.d, key.n), f"a wrong result was released: {done}"
    outcome = (
        "harmless" if result is not None else "watchdog" if rtl.status_code == 5 else "detected"
    )
    rtl.wipe(zeroize=False)
    rtl.entropy([rng.getrandbits(32) for _ in range(64)])  # a fault may have used it up
    ok(load(rtl, key))
    return outcome


def shot(rtl: RtlRsa, key: Key, rng: random.Random, cycles: int, number: int) -> str:
    """Run one operation with random bit flips in one cycle; return its outcome.

    Even numbers flip one to three bits of the core, all bits equally likely; nearly all bits hold
    data. Odd numbers flip one bit of one register, all registers equally likely, to reach states
    and counters.
    """
    registers, num_bits = rtl.registers(), 1 if number % 2 else 1 + number // 2 % 3
    weights = [1 if number % 2 else bits_of(register) for register in registers]
    clock, faults = rng.randrange(cycles), []
    for register in rng.choices(registers, weights, k=num_bits):
        element, bit = rng.randrange(register.elements), rng.randrange(register.element_bits)
        faults.append((clock, register, element, bit))
    return outcome_of(rtl, key, rng, faults)


@pytest.mark.parametrize("entry", [RsaEntry.PRIVATE, RsaEntry.PUBLIC])
def test_a_changed_sign_is_detected(entry: RsaEntry, rng: random.Random) -> None:
    """-1 in place of the engine's constant 1: an odd power and the way out both change the sign."""
    rtl = RtlRsa(PAIR, public=True, seed=rng.getrandbits(32))
    rtl.entropy([rng.getrandbits(32) for _ in range(1 << 12)])
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    slots = named(rtl.registers(), "gen_element[2].u_slots.mem_q")
    for context in (0, slots.elements // 2):
        rtl.put("C", rng.randrange(key.n))
        rtl.fault(0, slots, context, 1)  # 2^36, the constant's private form, becomes 2^36 -+ 2^37
        rtl.try_run(entry, key.e.bit_length())
        assert rtl.status == RsaStatus.FAULT
        assert released_result(rtl) is None
        rtl.wipe(zeroize=False)
        ok(load(rtl, key))
    rtl.close()


@pytest.mark.parametrize("port", [0, 1])
def test_a_set_up_that_starts_by_itself_is_detected(port: int, rng: random.Random) -> None:
    """It leaves constants with which the engine gives the same number for everything."""
    rtl = RtlRsa(PAIR, public=True, seed=rng.getrandbits(32))
    rtl.entropy([rng.getrandbits(32) for _ in range(64)])
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    cycles = ok(operate(rtl, key, 2))
    state = named(rtl.registers(), f"gen_port[{port}].u_ctrl.u_setup.pc_q")
    outcomes: Counter[str] = Counter()
    for bit in range(state.element_bits):
        for _ in range(6):
            fault = (rng.randrange(cycles // 2), state, 0, bit)
            outcomes[outcome_of(rtl, key, rng, [fault])] += 1
    print(dict(outcomes))
    assert outcomes["detected"] > 0
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize(
    "count", [200, pytest.param(2000, marks=pytest.mark.full)], ids=["few", "many"]
)
def test_no_fault_releases_a_wrong_result(count: int, name: str, rng: random.Random) -> None:
    rtl = RtlRsa(CONFIGS[name], public=True, seed=rng.getrandbits(32))
    rtl.entropy([rng.getrandbits(32) for _ in range(64)])
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    cycles = ok(operate(rtl, key, 2))
    outcomes: Counter[str] = Counter()
    for number in range(count):
        outcomes[shot(rtl, key, rng, cycles, number)] += 1
    print(dict(outcomes))
    assert outcomes["detected"] > 0
    rtl.close()


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("register", ["hot_q", "hot_inv_q"])
def test_a_flip_of_the_state_is_detected(register: str, name: str, rng: random.Random) -> None:
    """Each bit of the state and of its complement."""
    rtl = RtlRsa(CONFIGS[name], public=True, seed=rng.getrandbits(32))
    rtl.entropy([rng.getrandbits(32) for _ in range(64)])
    key = make_key(rng, HALF, HALF)
    ok(load(rtl, key))
    cycles = ok(operate(rtl, key, 2))
    state = named(rtl.registers(), f"u_control.{register}")
    for bit in range(state.element_bits):
        fault = (rng.randrange(1, cycles - 1), state, 0, bit)
        assert outcome_of(rtl, key, rng, [fault]) == "detected"
    rtl.close()


# Registers that say nothing of key or message: counters, states, addresses of programs.
PUBLIC = {
    *("state_q", "status_q", "count_q", "pc_q", "pc_inv_q", "dst_q", "end_q", "left_q"),
    *(
        "loop_pc_q",
        "loop_left_q",
        "drain_q",
        "index_q",
        "first_q",
        *("entry_q", "entry_inv_q"),
        *("host_addr_q", "in_key_q", "in_message_q"),  # what the host asks for
        "ending_q",
        "e_bits_q",
        "watchdog_q",
    ),
    *("wr_addr_q", "wr_en_q", "a_q", "b_q", "gap_q", "hot_q", "hot_inv_q"),
    *(
        "eng_waits_q",
        "eng_refuses_q",
        "next_pc_q",
        "next_pc_inv_q",
        "more_q",
        *("drop_q", "unlike_q"),
        *("rests_q", "alone_q"),  # the core is idle, and in no other state
        "drops_q",
        *("idle_q", "load_q", "moved_q", "early_q"),  # since when the program counter stands
        *("left_less_q", "next_less_q", "wanted_q"),  # no bits less one; the first engine
        "restarts_q",  # watchdog and cycle counter stand
        *("if_refused_q", "if_halted_q", "if_alarmed_q"),  # how an operation would end
        *("read_q", "second_q"),  # of the wipe itself, until a cycle after its end
    ),
    # Flags that are kept twice, complements of what is zero, and what says that nothing is allowed.
    *("active_q", "released_q", "key_q", "result_q", "locked_q", "alarm_q", "keeps_q", "erases_q"),
    *("loop_pc_inv_q", "loop_left_inv_q", "asked_off_q", "allowed_off_q", "tested_q", "e_ok_q"),
    *("open_q", "start_q", "start_ok_q", "released_off_q", "unmet_off_q", "other_q", "clear_q"),
    *("fail_inv_q", "first_inv_q", "denied_q"),
    # Of an idle sequencer; last_q says that index_q is zero.
    *("none_q", "mask_q", "there_q", "there_late_q", "at_zero_q", "last_q"),
}


IDLE_COMMAND = "u_sequencer.cmd_q"
"""The ladder's register of its next command; see `first_command`."""


def first_command() -> int:
    """The command that every exponentiation starts with, as `mf_pkg::cmd_t` packs it."""
    return next(ladder_commands(0, 1, 1)).packed()


@pytest.mark.parametrize("zeroize", [True, False], ids=["zeroize", "reset"])
@pytest.mark.parametrize("part", [0.2, 0.5, 0.95, 1.0])
def test_a_wipe_leaves_nothing(zeroize: bool, part: float, rtl: RtlRsa, rng: random.Random) -> None:
    key, _, cycles = prepared(rtl, rng)
    operate(rtl, key, rng.randrange(key.n))
    if part < 1.0:
        cut(rtl, rng.randrange(key.n), int(cycles * part))
    rtl.wipe(zeroize)
    assert rtl.status is (RsaStatus.ZEROIZED if zeroize else RsaStatus.NO_KEY)
    assert not rtl.key_valid
    assert not rtl.result_valid
    left = [register for register in rtl.registers() if not rtl.is_zero(register)]
    commands = [register for register in left if register.name.endswith(IDLE_COMMAND)]
    assert {rtl.value(register) for register in commands} <= {first_command()}
    program = [register for register in left if ".u_rom." in register.name]  # in every package
    data = {register.name for register in left if register not in (*commands, *program)}
    assert {name.rsplit(".", 1)[1] for name in data} <= PUBLIC, data
    assert operate(rtl, key, 1).status is RsaStatus.NO_KEY
    rtl.close()


@pytest.mark.parametrize("zeroize", [True, False], ids=["zeroize", "reset"])
@pytest.mark.parametrize("name", CONFIGS)
def test_a_wipe_takes_as_long_whenever_it_comes(
    name: str, zeroize: bool, rng: random.Random
) -> None:
    """A word of the memory a cycle, also from the middle of an operation or of another wipe.

    Among those of another wipe are the cycles in which it goes on from writing to reading.
    When the words are 0 and the engine has wiped, the engine wipes once more.
    A reset is followed by the test of the core, and this by another wipe.
    """
    config = CONFIGS[name]
    rtl = RtlRsa(config, public=True, seed=rng.getrandbits(32))
    rtl.entropy([rng.getrandbits(32) for _ in range(1 << 12)])
    engine, ample = config.unit.engine.cycles.wipe(config.unit.params), rtl.limit
    first = max(2 * rtl.image.num_words + VERIFY_CYCLES, engine + ENGINE_WIPE_CYCLES)
    cycles = wipe = first + engine + AGAIN_CYCLES + zeroize  # which waits in a register
    if not zeroize:
        cycles += TEST_CYCLES + config.programs().program(RsaEntry.TEST, 0) + wipe
    key, message, operation = prepared(rtl, rng)
    written = rtl.image.num_words  # about the cycle in which every word has been written
    for part in (*range(written - 3, written + 2), *rng.sample(range(1, wipe), 2)):
        assert rtl.wipe(zeroize) == cycles, "while idle"
        ok(load(rtl, key))
        cut(rtl, message, rng.randrange(1, operation))
        rtl.limit = part
        assert rtl.wipe(zeroize) == part, "the wipe was over before the next one"
        rtl.limit = ample
        assert rtl.wipe(zeroize) == cycles, "in another wipe"
        ok(load(rtl, key))
        cut(rtl, message, rng.randrange(1, operation))
        assert rtl.wipe(zeroize) == cycles, "in an operation"
    rtl.close()


VERIFY_CYCLES = 5
"""Of a wipe, beside a cycle to write and one to read each word."""

ENGINE_WIPE_CYCLES = 4
"""Of a wipe, beside the engine's own, which begins twice and whose end is seen in a register."""

AGAIN_CYCLES = 3
"""Beside the engine's own: to ask for it once more, until that is seen."""

TEST_CYCLES = 2
"""Of the test after reset, beside its program and the wipe behind it."""


def everything(rtl: RtlRsa) -> dict[str, list[int]]:
    """What every register and memory holds."""
    return {
        register.name: [rtl.value(register, element) for element in range(register.elements)]
        for register in rtl.registers()
    }


WIPED = {
    "ladder": CONFIG,
    "pair": PAIR,
    "folded": rsa_core(
        "qp_systolic", HALF, {"NumElements": 2, "Contexts": 1}, engines=2, sequencer="window"
    ),
}


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(config, id=name, marks=pytest.mark.full if name == "folded" else ())
        for name, config in WIPED.items()
    ],
)
def test_what_a_wipe_leaves_says_nothing_of_the_key(config: RsaCore, rng: random.Random) -> None:
    """Two keys, messages and blindings, the same cycle: the same state, not only of memories."""
    rtl = RtlRsa(config, public=True, seed=rng.getrandbits(32))
    cycles = config.programs().program(RsaEntry.PRIVATE, 65537)
    for _ in range(12):
        zeroize, stop, left = bool(rng.getrandbits(1)), rng.randrange(cycles), []
        for _ in range(2):
            rtl.entropy([rng.getrandbits(32) for _ in range(64)])
            align(rtl)
            key = make_key(rng, HALF, HALF)
            ok(load(rtl, key))
            cut(rtl, rng.getrandbits(3 * 32), stop)  # the last word, 0, stays on the bus
            rtl.wipe(zeroize)
            assert rtl.peek("M") == 0
            left.append(everything(rtl))
        different = [name for name, values in left[0].items() if values != left[1][name]]
        assert not different, (stop, zeroize)
    rtl.close()
