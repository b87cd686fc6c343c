# SPDX-License-Identifier: Apache-2.0
"""The C driver of the RSA core on the simulated core, and on registers that misbehave."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from math import gcd
from pathlib import Path

import pytest

from modfab.build.rsa import public_core, rsa_core
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.core import bus_design
from modfab.sim.verilate import build
from tests.host.test_c_driver import DRIVER, ROOT, RSA_BASE, compile_c
from tests.support.rsa_core import Key, make_key

CONFIG = rsa_core("bit_serial", 64, {"BitsPerClock": 8})
SOURCES = tuple(DRIVER / f"modfab_{part}.c" for part in ("bus", "key", "rsa"))
CYCLES = CONFIG.programs()
LOCKED = 38
BUS_ERROR = 32
KIND = 41
CONTEXT = 42


@dataclass(frozen=True, slots=True)
class Answer:
    """One line of tests/host/c/rsa_sim.c."""

    status: int
    value: int
    cycles: int


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("c") / "rsa_sim"
    library = build(bus_design(CONFIG))
    return compile_c(target, ROOT / "tests/host/c/rsa_sim.c", *SOURCES, library)


def run(program: Path, commands: list[str], core: str = "0 64 32 1 1 3") -> list[Answer]:
    done = subprocess.run(
        [program], input="\n".join(commands), capture_output=True, text=True, check=True
    )
    opened, *lines = done.stdout.splitlines()
    assert opened == core
    answers = []
    for line in lines:
        status, value, cycles = line.split()
        answers.append(Answer(int(status), int(value, 16), int(cycles)))
    assert len(answers) == len(commands)
    return answers


def load(key: Key) -> str:
    parts = key.parts()
    numbers = " ".join(f"{parts[name]:x}" for name in ("P", "Q", "DP", "DQ", "QI"))
    return f"k {numbers} {key.e.bit_length()} {key.e:x}"


def test_values_and_cycles(program: Path, rng: random.Random) -> None:
    key = make_key(rng, 64, 63)
    messages = [0, 1, key.n - 1, rng.randrange(key.n)]
    commands = [load(key), *(f"{c} {m:x}" for m in messages for c in "svi"), "f"]
    loaded, *answers, faults = run(program, commands)
    assert (loaded.status, loaded.cycles) == (0, CYCLES.program(RsaEntry.KEY, key.e))
    for message, three in zip(messages, zip(*[iter(answers)] * 3, strict=True), strict=True):
        assert [answer.status for answer in three] == [0, 0, 0]
        private, public = pow(message, key.d, key.n), pow(message, key.e, key.n)
        assert [answer.value for answer in three] == [private, public, private]
        entries = (RsaEntry.PRIVATE, RsaEntry.PUBLIC, RsaEntry.PRIVATE)
        assert [a.cycles for a in three] == [CYCLES.program(entry, key.e) for entry in entries]
    assert (faults.status, faults.cycles) == (0, 0)


def test_derived_key(program: Path, rng: random.Random) -> None:
    key = make_key(rng, 64, 64)
    derive = f"d {key.p:x} {key.q:x} {key.d:x}"
    derived, first = run(program, [f"{derive} 17 {key.e:x}", "s 5"])
    keys = [CYCLES.program(entry, key.e) for entry in (RsaEntry.DERIVE, RsaEntry.KEY)]
    assert (derived.status, derived.cycles) == (0, sum(keys))
    assert first.value == pow(5, key.d, key.n)


def test_a_key_without_e_is_refused(program: Path, rng: random.Random) -> None:
    parts = make_key(rng, 64, 63).parts()
    numbers = " ".join(f"{parts[name]:x}" for name in ("P", "Q", "DP", "DQ", "QI"))
    loaded, result = run(program, [f"k {numbers} 0 -", "s 5"])
    assert loaded.status == RSA_BASE + RsaStatus.KEY
    assert (result.status, result.value) == (RSA_BASE + RsaStatus.NO_KEY, 0)


def test_selftest(program: Path, rng: random.Random) -> None:
    key = make_key(rng, 64, 64)
    first, loaded, refused, result, wiped, again = run(
        program, ["t", load(key), "t", "s 5", "z", "t"]
    )
    cycles = CYCLES.program(RsaEntry.TEST, 0)
    assert (first.status, first.cycles) == (again.status, again.cycles) == (0, cycles)
    assert (loaded.status, result.status, wiped.status) == (0, 0, 0)
    assert refused.status == BUS_ERROR
    assert result.value == pow(5, key.d, key.n)


def test_errors_of_the_core(program: Path, rng: random.Random) -> None:
    key = make_key(rng, 64, 64)
    # A number beside q that is certainly no prime: the next one may be.
    below = range(key.q - 2, 5, -2)
    composite = next(q for q in below if q % 5 == 0 and gcd(key.e, q - 1) == 1)
    bad, good = load(Key(key.p, composite, key.e)), load(key)
    commands = ["s 5", bad, "s 5", good, f"s {key.n:x}", "l", good, "s 5", "z", "s 5", good, "s 5"]
    answers = run(program, commands)
    expected = [
        *(RsaStatus.NO_KEY, RsaStatus.KEY, RsaStatus.NO_KEY, RsaStatus.OK, RsaStatus.OPERAND),
        *(RsaStatus.OK, None, RsaStatus.OK, RsaStatus.OK, RsaStatus.NO_KEY, RsaStatus.OK),
        RsaStatus.OK,
    ]
    codes = [
        LOCKED if status is None else RSA_BASE + status if status else 0 for status in expected
    ]
    assert [answer.status for answer in answers] == codes
    assert answers[-1].value == answers[7].value == pow(5, key.d, key.n)
    assert all(answer.value == 0 for answer in answers if answer.status)


def test_faulty_registers(tmp_path: Path) -> None:
    target = compile_c(tmp_path / "rsa_errors", ROOT / "tests/host/c/rsa_errors.c", *SOURCES)
    done = subprocess.run([target], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout == "0 failures\n"


def test_several_keys(tmp_path: Path, rng: random.Random) -> None:
    config = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, engines=2, keys=3)
    source, programs = ROOT / "tests/host/c/rsa_sim.c", config.programs()
    program = compile_c(tmp_path / "several", source, *SOURCES, build(bus_design(config)))
    first, second = (make_key(rng, 64, 64) for _ in range(2))
    change = programs.program(RsaEntry.CHANGE, 0)
    steps = {
        f"{load(first)}": (0, programs.program(RsaEntry.KEY, first.e)),
        "l": (0, 0),
        "x 2": (0, programs.program(RsaEntry.LEAVE, 0)),
        f"{load(second)} ": (0, programs.program(RsaEntry.KEY, second.e)),
        "y": (0, 2 + 16 * 5),
        "x 0": (0, change),
        f"{load(second)}  ": (LOCKED, 0),
        "t": (BUS_ERROR, 0),
        "x 3": (CONTEXT, 0),
        "x  0": (0, 0),
        "w": (0, 0),
        "y ": (0, 16 * 4),
        "x  2": (0, change),
    }
    *answers, result, wiped, left = run(program, [*steps, "s 5", "z", "y"])
    assert [(answer.status, answer.cycles) for answer in answers] == list(steps.values())
    assert result.value == pow(5, second.d, second.n)
    assert (wiped.status, left.cycles) == (0, 0)


def test_one_key_is_one_context(program: Path, rng: random.Random) -> None:
    key = make_key(rng, 64, 64)
    answers = run(program, ["x 0", "x 1", load(key), "y", "w", "y"])
    assert [answer.status for answer in answers] == [0, CONTEXT, 0, 0, 0, 0]
    assert [answers[3].cycles, answers[5].cycles] == [16, 0]


def test_public_keys(tmp_path: Path, rng: random.Random) -> None:
    config = public_core("bit_serial", 128, {"BitsPerClock": 8})
    source = ROOT / "tests/host/c/rsa_sim.c"
    verifier = compile_c(tmp_path / "verifier", source, *SOURCES, build(bus_design(config)))
    key, cycles = make_key(rng, 64, 64), config.programs()
    messages = [0, 1, key.n - 1, rng.randrange(key.n)]
    public = f"n {key.n:x} {key.e.bit_length()} {key.e:x}"
    even = f"n {key.n - 1:x} {key.e.bit_length()} {key.e:x}"
    commands = ["t", "v 5", even, public, *(f"v {m:x}" for m in messages), f"v {key.n:x}", "s 5"]
    answers = run(verifier, [*commands, "l", public, "v 5"], "0 128 96 1 0 0")
    assert answers[0].cycles == cycles.program(RsaEntry.TEST, 0)
    assert [a.status for a in answers[1:3]] == [
        *(RSA_BASE + status for status in (RsaStatus.NO_KEY, RsaStatus.KEY))
    ]
    assert answers[3].cycles == cycles.program(RsaEntry.KEY, key.e)
    for message, answer in zip(messages, answers[4:8], strict=True):
        assert (answer.status, answer.value) == (0, pow(message, key.e, key.n))
        assert answer.cycles == cycles.program(RsaEntry.PUBLIC, key.e)
    ends = [RSA_BASE + RsaStatus.OPERAND, KIND, 0, LOCKED, 0]
    assert [answer.status for answer in answers[8:]] == ends
    assert answers[-1].value == pow(5, key.e, key.n)


def test_a_key_for_the_other_kind_of_core(program: Path, rng: random.Random) -> None:
    key = make_key(rng, 64, 64)
    public = f"n {key.n:x} {key.e.bit_length()} {key.e:x}"
    refused, loaded, result = run(program, [public, load(key), "s 5"])
    assert (refused.status, loaded.status, result.status) == (KIND, 0, 0)
    assert result.value == pow(5, key.d, key.n)


def test_a_key_that_the_core_makes(tmp_path: Path, rng: random.Random) -> None:
    config = rsa_core("bit_serial", 64, {"BitsPerClock": 8}, engines=2, keygen=True)
    source, programs = ROOT / "tests/host/c/rsa_sim.c", config.programs()
    program = compile_c(tmp_path / "keygen", source, *SOURCES, build(bus_design(config)))
    key = make_key(rng, 64, 64)
    derive = f"d {key.p:x} {key.q:x} {key.d:x} 17 {key.e:x}"
    made, signed, checked, refused, locked, no_other = run(
        program, ["g", "s 5", "v 5", derive, "l", "g"]
    )
    cycles = sum(programs.program(entry, key.e) for entry in (RsaEntry.DERIVE, RsaEntry.KEY))
    assert (made.status, made.cycles, made.value.bit_length()) == (0, cycles, 128)
    assert (signed.status, pow(signed.value, key.e, made.value)) == (0, 5)
    assert checked.value == pow(5, key.e, made.value)
    assert [answer.status for answer in (refused, locked, no_other)] == [KIND, 0, LOCKED]


def test_a_core_that_makes_no_keys(program: Path) -> None:
    assert [answer.status for answer in run(program, ["g"])] == [RSA_BASE + RsaStatus.KEY]
