# SPDX-License-Identifier: Apache-2.0
"""The C driver: compiled as strict C99, run on the simulated core and on faulty registers."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from modfab.build.core import ModexpCore, modexp_core
from modfab.models.generated.status import JobStatus, RsaStatus, Status
from modfab.sim.core import bus_design
from modfab.sim.verilate import build

ROOT = Path(__file__).resolve().parent.parent.parent
DRIVER = ROOT / "sw" / "c"
SOURCES = (DRIVER / "modfab_bus.c", DRIVER / "modfab.c")
KEY_DRIVERS = ("modfab_key", "modfab_rsa", "modfab_farm")
CONFIG = modexp_core("bit_serial", 40, exp_bits=36)
RSA_BASE = 16
"""Of the codes of the RSA core and of the farm in C."""

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wshadow"]


def compile_c(target: Path, *sources: Path) -> Path:
    compiler = os.environ.get("CC") or shutil.which("cc") or "gcc"
    files = [str(source) for source in sources]
    folders = [f"-I{DRIVER}", f"-I{ROOT / 'tests' / 'host' / 'c'}"]
    words = [compiler, *STRICT, "-O1", *folders, *files, "-o", str(target)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@dataclass(frozen=True, slots=True)
class Answer:
    """One line of tests/host/c/driver_sim.c."""

    status: Status
    value: int
    setup_cycles: int
    exp_cycles: int
    total_cycles: int


def build_program(config: ModexpCore, folder: Path) -> Path:
    library = build(bus_design(config))
    return compile_c(folder / "driver_sim", ROOT / "tests/host/c/driver_sim.c", *SOURCES, library)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_program(CONFIG, tmp_path_factory.mktemp("c"))


def run(program: Path, commands: list[str], identity: str = "40 36 1 1 1 0") -> list[Answer]:
    done = subprocess.run(
        [program], input="\n".join(commands), capture_output=True, text=True, check=True
    )
    opened, *lines = done.stdout.splitlines()
    assert opened == f"0 {identity}"
    answers = []
    for line in lines:
        status, value, *cycles = line.split()
        answers.append(Answer(Status(int(status)), int(value, 16), *map(int, cycles)))
    assert len(answers) == len(commands)
    return answers


def power(base: int, exponent: int, modulus: int, exp_bits: int = 36, command: str = "p") -> str:
    return f"{command} {exp_bits} {base:x} {exponent:x} {modulus:x}"


def test_values_and_cycles(program: Path, rng: random.Random) -> None:
    commands, expected = [], []
    for exp_bits in (36, 36, 11, 0):
        modulus = rng.getrandbits(40) | 1 << 39 | 1
        base, exponent = rng.randrange(modulus), rng.getrandbits(exp_bits) if exp_bits else 0
        for command in "ps":
            commands.append(power(base, exponent, modulus, exp_bits, command))
            cycles = CONFIG.sequencer.exp_cycles(CONFIG.engine, CONFIG.params, exponent, exp_bits)
            expected.append((pow(base, exponent, modulus), cycles))
    answers = run(program, commands)
    assert [(a.value, a.exp_cycles) for a in answers] == expected
    for answer in answers:
        assert answer.status is Status.OK
        assert answer.setup_cycles == CONFIG.engine.cycles.setup(CONFIG.params)
        assert answer.total_cycles > answer.exp_cycles + answer.setup_cycles


def test_a_modulus_can_stay(program: Path) -> None:
    first, second = run(program, [power(2, 3, 101), "p 36 3 4 -"])
    assert (first.value, second.value) == (8, 81)
    assert second.total_cycles < first.total_cycles - first.setup_cycles


def test_errors_of_the_core(program: Path) -> None:
    commands = {
        power(2, 3, 100): Status.MOD_EVEN,
        power(2, 3, 0): Status.MOD_ZERO,
        power(2, 3, 1): Status.MOD_ONE,
        power(2, 3, 1 << 40 | 1): Status.MOD_WIDE,
        power(101, 3, 101): Status.OPERAND,
        power(2, 3, 101, 37): Status.EXP_BITS,
    }
    answers = run(program, [*commands, power(2, 3, 101)])
    assert [answer.status for answer in answers] == [*commands.values(), Status.OK]
    assert all(answer.value == 0 for answer in answers[:-1])
    assert answers[-1].value == 8


def test_zeroize_forgets_the_modulus(program: Path) -> None:
    answers = run(program, [power(2, 3, 101), "z", "p 36 0 3 -", power(2, 3, 101)])
    assert [a.status for a in answers] == [Status.OK, Status.OK, Status.MOD_ZERO, Status.OK]


def test_width_is_chosen_at_run_time(tmp_path: Path, rng: random.Random) -> None:
    config = modexp_core("sos", 96, exp_bits=20)
    engine, commands = config.engine, []
    expected: list[tuple[Status, int, int, int]] = []
    for num_words in (2, 4, 1, 3, 0):
        commands.append(f"w {num_words}")
        expected.append((Status.OK if num_words <= 3 else Status.NUM_WORDS, 0, 0, 0))
        if num_words == 4:
            continue
        active = engine.at_words(config.params, num_words or 3)
        modulus = rng.getrandbits(active["NumBits"]) | 1 | 2
        base, exponent = rng.randrange(modulus), rng.getrandbits(20)
        commands.append(power(base, exponent, modulus, 20))
        cycles = config.sequencer.exp_cycles(engine, active, exponent, 20)
        value = pow(base, exponent, modulus)
        expected.append((Status.OK, value, engine.cycles.setup(active), cycles))
    identity = f"96 20 {engine.engine_id} {config.sequencer.sequencer_id} 1 1"
    answers = run(build_program(config, tmp_path), commands, identity)
    assert [(a.status, a.value, a.setup_cycles, a.exp_cycles) for a in answers] == expected


def test_width_stays_as_built_without_run_time_width(program: Path) -> None:
    refused, kept = run(program, ["w 1", power(2, 3, 101)])
    assert (refused.status, kept.value) == (Status.NUM_WORDS, 8)


def test_faulty_registers(tmp_path: Path) -> None:
    target = compile_c(tmp_path / "driver_errors", ROOT / "tests/host/c/driver_errors.c", *SOURCES)
    done = subprocess.run([target], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout == "0 failures\n"


def test_who_waits_has_the_interrupt(tmp_path: Path) -> None:
    """Each start clears its cause and enables it, where the bus waits for more than a poll."""
    sources = (DRIVER / f"{name}.c" for name in ("modfab_bus", "modfab", *KEY_DRIVERS))
    target = compile_c(tmp_path / "interrupts", ROOT / "tests/host/c/interrupts.c", *sources)
    done = subprocess.run([target], capture_output=True, text=True, check=False)
    assert done.stdout == "0 failures\n"


def test_the_header_is_valid_cpp(tmp_path: Path) -> None:
    source = tmp_path / "includes.cpp"
    source.write_text(
        "".join(f'#include "{name}.h"\n' for name in ("modfab", "modfab_rsa", "modfab_farm"))
        + "int main() { return MODFAB_OK; }\n"
    )
    words = [os.environ.get("CXX") or "c++", "-Wall", "-Werror", f"-I{DRIVER}", str(source)]
    subprocess.run([*words, "-fsyntax-only"], check=True)


@pytest.mark.parametrize("name", ["modfab_bus", "modfab", *KEY_DRIVERS])
def test_drivers_of_packages_compile_as_cpp(name: str) -> None:
    """A project in C++ takes the files as they are."""
    words = [os.environ.get("CXX") or "c++", "-x", "c++", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*words, "-pedantic", "-fsyntax-only", str(DRIVER / f"{name}.c")], check=True)


def page_example(number: int) -> str:
    return (DRIVER / "README.md").read_text().split("```c\n")[1 + number].split("```")[0]


@pytest.mark.parametrize(
    ("number", "call", "driver"),
    [
        (0, "powmod(0, 0, 0, 0, 0)", "modfab"),
        (1, "sign(0, 0, 0, 0)", "modfab_rsa"),
        (2, "sign_all(0, 0, 0, 0, 0, 0)", "modfab_farm"),
    ],
)
def test_the_examples_of_the_page_compile(
    number: int, call: str, driver: str, tmp_path: Path
) -> None:
    source = tmp_path / "example.c"
    source.write_text(page_example(number) + f"int main(void) {{ return {call}; }}\n")
    sources = (DRIVER / f"{name}.c" for name in ("modfab_bus", "modfab_key", driver))
    compile_c(tmp_path / "example", source, *sources)


def test_the_example_of_the_farm_leaves_no_answer_behind(tmp_path: Path) -> None:
    """A job that ends badly, an unknown id, a packet that is cut: the next call gets its own."""
    source = tmp_path / "farm_queue.c"
    source.write_text(page_example(2) + '#include "farm_queue.h"\n')
    sources = (DRIVER / f"modfab_{name}.c" for name in ("bus", "key", "farm"))
    program = compile_c(tmp_path / "farm_queue", source, *sources)
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.stdout == "0 failures\n"


def c_names() -> dict[str, tuple[int, str]]:
    """Names of the status codes in C -> value and sentence; the farm's are the RSA core's."""
    names = {f"MODFAB_{code.name}": (code.value, code.sentence) for code in Status}
    for code in RsaStatus:
        if code is not RsaStatus.OK:
            names[f"MODFAB_RSA_{code.name}"] = (RSA_BASE + code, code.sentence)
    for job in (JobStatus.FORMAT, JobStatus.SERVICE):
        names[f"MODFAB_FARM_{job.name}"] = (RSA_BASE + job, job.sentence)
    return names


def test_codes_and_sentences_are_those_of_the_cores(tmp_path: Path) -> None:
    lines = [f'  printf("%d %s\\n", {name}, modfab_message({name}));' for name in c_names()]
    source = tmp_path / "codes.c"
    text = ["#include <stdio.h>", '#include "modfab_bus.h"', "int main(void) {", *lines]
    source.write_text("\n".join([*text, "  return MODFAB_RSA_BASE;", "}", ""]))
    program = compile_c(tmp_path / "codes", source, DRIVER / "modfab_bus.c")
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == RSA_BASE
    expected = [f"{value} {sentence}" for value, sentence in c_names().values()]
    assert done.stdout.splitlines() == expected
