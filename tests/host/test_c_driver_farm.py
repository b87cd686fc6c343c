# SPDX-License-Identifier: Apache-2.0
"""The C driver of the farm on the simulated farm, and on registers that misbehave."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from modfab.models.generated.status import JobStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.sim.core import bus_design
from modfab.sim.verilate import build
from tests.host.test_c_driver import DRIVER, ROOT, RSA_BASE, compile_c
from tests.host.test_c_driver_rsa import LOCKED, load
from tests.support.farm_core import HALF, PACKET, config
from tests.support.rsa_core import make_key

CORES = 2
ALL = (1 << CORES) - 1
CONFIG = config(CORES, id_bits=16)
CYCLES = CONFIG.rsa.programs()
SOURCES = tuple(DRIVER / f"modfab_{part}.c" for part in ("bus", "key", "farm"))
TIMEOUT, PACKET_ERROR = 36, 39

Line = list[int]
"""One line of tests/host/c/farm_sim.c."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("c") / "farm_sim"
    library = build(bus_design(CONFIG))
    return compile_c(target, ROOT / "tests/host/c/farm_sim.c", *SOURCES, library)


def run(program: Path, commands: list[str]) -> list[Line]:
    done = subprocess.run(
        [program], input="\n".join(commands), capture_output=True, text=True, check=True
    )
    opened, *lines = done.stdout.splitlines()
    assert opened == f"0 {HALF} {HALF // 2} 1 1 {CORES} 16"
    answers = []
    for command, line in zip(commands, lines, strict=True):
        words = line.split()
        result = [int(words.pop(), 16)] if command == "a" else []
        answers.append([*map(int, words), *result])
    return answers


def code(status: JobStatus) -> int:
    return RSA_BASE + status if status else 0


def answered(lines: list[Line]) -> dict[int, tuple[int, int]]:
    """Id -> ending and result of whole answers."""
    assert [line[0] for line in lines] == [0] * len(lines)
    assert all(line[2] < CORES for line in lines)
    return {line[1]: (line[3], line[4]) for line in lines}


def test_jobs_come_back_out_of_order_and_their_ids_tell(program: Path, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    bases = {job_id: rng.randrange(key.n) for job_id in (7, 0xFFFF, 0, 3, 100, 4095)}
    public = (0xFFFF, 4095)
    jobs = [f"{'v' if job in public else 's'} {job} {base:x}" for job, base in bases.items()]
    commands = [load(key), *jobs, *"a" * len(jobs), "o", *(f"c {i}" for i in range(CORES))]
    loaded, *lines = run(program, commands)
    assert loaded == [0, CYCLES.program(RsaEntry.KEY, 65537)]
    sent, answers, (state, *cores) = lines[:6], lines[6:12], lines[12:]
    assert sent == [[0]] * len(jobs)
    for job, (ending, power) in answered(answers).items():
        exponent = key.e if job in public else key.d
        assert (ending, power) == (0, pow(bases.pop(job), exponent, key.n))
    assert not bases
    assert answers[0][1] == 0xFFFF, "a public job overtakes"
    assert state == [0, 0, 0, 0, 1, ALL, 0]
    assert sum(core[1] for core in cores) == len(jobs)
    for status, _, faults, ending, cycles in cores:
        assert (status, faults, ending) == (0, 0, 0)
        assert cycles in [CYCLES.program(e, 65537) for e in (RsaEntry.PRIVATE, RsaEntry.PUBLIC)]


def test_derived_key(program: Path, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    derive = f"d {key.p:x} {key.q:x} {key.d:x} 17 {key.e:x}"
    derived, _, first = run(program, [derive, "s 1 5", "a"])
    keys = [CYCLES.program(entry, key.e) for entry in (RsaEntry.DERIVE, RsaEntry.KEY)]
    assert derived == [0, sum(keys)]
    assert answered([first]) == {1: (0, pow(5, key.d, key.n))}


def test_bad_jobs_are_answered(program: Path, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    jobs = {
        "t 1 1": JobStatus.FORMAT,
        f"t 2 {PACKET - 1}": JobStatus.FORMAT,
        f"t 3 {PACKET + 1}": JobStatus.FORMAT,
        f"t {1 << 20 | 4} {PACKET}": JobStatus.FORMAT,
        f"t 5 {PACKET}": JobStatus.OPERAND,
        f"s 6 {key.n:x}": JobStatus.OPERAND,
        f"s 7 {key.n - 1:x}": JobStatus.OK,
    }
    long_id, *lines = run(program, ["s 65536 5", load(key), *jobs, *"a" * len(jobs)])
    assert long_id == [PACKET_ERROR]
    endings = {job: ending for job, (ending, _) in answered(lines[1 + len(jobs) :]).items()}
    assert endings == dict(enumerate(map(code, jobs.values()), 1))


def test_wrong_key_lock_and_zeroize(program: Path, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    good = load(key)
    bad = good.replace(f" {key.p:x} {key.q:x} ", f" {key.q:x} {key.p:x} ")  # dP, dQ do not fit
    commands = [
        *("g", "s 1 5", "a", bad, "o", good, "l", "o", bad, "s 2 5", "a"),
        *("s 3 5", "s 4 5", "s 5 5", "s 6 5", "c 0", "z", "a", "a", "a", "a", "o"),
        *("g", "s 7 5", "a", good, "s 8 5", "a"),
    ]
    lines = run(program, commands)
    answers = answered([line for line, text in zip(lines, commands, strict=True) if text == "a"])
    power = (0, pow(5, key.d, key.n))
    no_key, zeroized = code(JobStatus.NO_KEY), code(JobStatus.ZEROIZED)
    assert [answers[job] for job in (1, 2, 7, 8)] == [(no_key, 0), power, (no_key, 0), power]
    assert all(answers[job] == (zeroized, 0) for job in (3, 4, 5, 6))
    refused, state, loaded, locked, state_locked, again = lines[3:9]
    assert refused == [code(JobStatus.KEY), 0]
    assert state == [0, 0, 0, 0, 0, 0, 0]
    assert (loaded[0], locked) == (0, [0])
    assert state_locked == [0, 0, 1, 0, 1, ALL, 0]
    assert again == [LOCKED, 0]
    assert lines[commands.index("z")] == [0]
    assert lines[commands.index("z") + 5] == [0, 0, 0, 0, 0, 0, 0]


def test_waits_end_when_answers_are_not_received(program: Path, rng: random.Random) -> None:
    key = make_key(rng, HALF, HALF)
    good, start = load(key), ["m 50", "r 256", "s 1 5", "c 0"]
    stuck = run(program, [good, *start, good, "o", "r 0", "a", "m 1000", good, "s 2 5", "a"])
    assert stuck[5] == [TIMEOUT, 0]
    assert stuck[6][:2] == [0, 1]
    assert stuck[6][4] == 0, "no more jobs are taken"
    power = (0, pow(5, key.d, key.n))
    assert answered([stuck[8], stuck[12]]) == {1: power, 2: power}
    assert stuck[10] == [0, CYCLES.program(RsaEntry.KEY, 65537)]
    commands = [good, *start, "z", "r 0", "m 0", "l", "a", "o"]
    *_, zeroized, _, _, locked, answer, state = run(program, commands)
    assert (zeroized, locked) == ([TIMEOUT], [0])
    assert answered([answer]) == {1: (code(JobStatus.ZEROIZED), 0)}
    assert state == [0, 0, 1, 0, 0, 0, 0]


def test_faults_are_counted_and_take_cores_out_of_service(
    program: Path, rng: random.Random
) -> None:
    """Once the entropy port has failed every job ends; a key makes the farm whole again."""
    key = make_key(rng, HALF, HALF)
    causes = ["f 1", "i 3", "q", load(key), "q", "i 2"]
    count = 70  # with 5 words a job: more than 4 equal words of the port, one for each 64
    jobs = ["e 2", *(f"s {job} 5" for job in range(count)), *"a" * count, "q", "o", "c 0", "c 1"]
    lines = run(program, [*causes, *jobs, "e 0", load(key), "s 99 5", "a", "o"])
    nothing, done = lines[2], lines[4]
    assert (nothing, done) == ([0, 0, 0, 0], [0, 1, 1, 0])
    first = 7 + count
    endings = Counter(ending for ending, _ in answered(lines[first : first + count]).values())
    entropy, service = code(JobStatus.ENTROPY), code(JobStatus.SERVICE)
    assert endings[entropy] == CORES
    assert set(endings) == {0, entropy, service}
    fault, state, *cores = lines[first + count : first + count + 4]
    assert fault == [0, 2, 1, 0]
    assert state == [0, 0, 0, 0, 1, 0, ALL]
    assert [core[2:4] for core in cores] == [[1, entropy]] * CORES
    assert answered([lines[-2]]) == {99: (0, pow(5, key.d, key.n))}
    assert lines[-1] == [0, 0, 0, 0, 1, ALL, 0]


def test_a_late_fault_limit_acts_at_the_next_fault(program: Path, rng: random.Random) -> None:
    """Each core has had more faults by then, and has one more."""
    count = 70
    ends = [*(f"s {job} 5" for job in range(count)), *"a" * count]
    lines = run(program, ["f 0", load(make_key(rng, HALF, HALF)), "e 2", *ends, "f 1", *ends, "o"])
    assert lines[-1] == [0, 0, 0, 0, 1, 0, ALL]
    endings = Counter(ending for ending, _ in answered(lines[-1 - count : -1]).values())
    assert endings == {code(JobStatus.ENTROPY): CORES, code(JobStatus.SERVICE): count - CORES}


def test_faulty_registers(tmp_path: Path) -> None:
    target = compile_c(tmp_path / "farm_errors", ROOT / "tests/host/c/farm_errors.c", *SOURCES)
    done = subprocess.run([target], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout == "0 failures\n"
