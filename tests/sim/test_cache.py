# SPDX-License-Identifier: Apache-2.0
"""The cache of simulators: whose files are loaded, one build at a time, nothing half written."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from modfab.errors import CacheError, ToolError
from modfab.sim import verilate
from modfab.sim.cache import load_library, private_dir
from modfab.sim.cxx import check_cxx
from modfab.sim.notice import Tell, choose_notice, log_notice
from modfab.sim.verilate import Design, build
from tests.support.cli import run_cli

POWMOD = "powmod --engine bit_serial --bits 16 --mod c5 --base 12 --exp 3".split()
TINY = "module tiny (input logic clk_i, output logic q_o);\n  assign q_o = !clk_i;\nendmodule\n"
HARNESS = '#include "Vtop.h"\nextern "C" int mf_answer() { return 42; }\n'


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Verilator's runtime as an object file, which takes longest; tests copy it."""
    folder = tmp_path_factory.mktemp("warm")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MODFAB_CACHE", str(folder / "cache"))
        build(design(folder))
    (runtime,) = (folder / "cache").glob("*/runtime.o")
    return runtime


@pytest.fixture
def folder(warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own cache without simulators."""
    path = tmp_path / "cache"
    monkeypatch.setenv("MODFAB_CACHE", str(path))
    runtime = private_dir(warm.parent.name) / warm.name
    runtime.write_bytes(warm.read_bytes())
    runtime.chmod(0o700)
    return path


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    lines: list[str] = []

    @contextmanager
    def note(sentence: str) -> Iterator[Tell]:
        lines.append(sentence)
        yield lines.append
        lines.append("done")

    choose_notice(note)
    yield lines
    choose_notice(log_notice)


def design(folder: Path, text: str = TINY) -> Design:
    harness = folder / "tiny.cpp"
    harness.write_text(HARNESS)
    return Design("tiny", (), {"tiny.sv": text}, str(harness), title="a tiny module")


def libraries(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".o" and path.is_file())


def test_only_the_owner_can_use_what_is_made(folder: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        library = build(design(tmp_path))
    finally:
        os.umask(before)
    assert library.parent == folder
    for path in [folder, *folder.rglob("*")]:
        if path.parent.name != "locks":
            assert path.stat().st_mode & 0o777 == 0o700, path
    assert load_library(library).mf_answer() == 42


def test_an_own_folder_that_others_can_read_is_closed(folder: Path) -> None:
    folder.chmod(0o755)
    assert private_dir().stat().st_mode & 0o777 == 0o700


def test_a_folder_that_was_there_keeps_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is made in it is still the owner's alone."""
    there = tmp_path / "there"
    there.mkdir()
    there.chmod(0o755)
    monkeypatch.setenv("MODFAB_CACHE", str(there))
    assert run_cli(monkeypatch, "doctor") == 0
    private_dir("flow")
    private_dir("flow").chmod(0o750)
    assert private_dir("flow").parent == private_dir()
    assert private_dir().parent == there
    assert there.stat().st_mode & 0o777 == 0o755
    assert {path.stat().st_mode & 0o777 for path in there.rglob("*")} == {0o700}


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_can_write_is_refused(folder: Path, tmp_path: Path, mode: int) -> None:
    folder.chmod(mode)
    with pytest.raises(CacheError, match=rf"Others can write to {folder} \(mode {mode:o}\), so"):
        build(design(tmp_path))


@pytest.mark.parametrize("suffix", [".so", ".o"])
@pytest.mark.parametrize("mode", [0o720, 0o702])
def test_code_that_others_can_write_is_refused(
    folder: Path, tmp_path: Path, suffix: str, mode: int
) -> None:
    build(design(tmp_path))
    (code,) = folder.rglob(f"*{suffix}")
    code.chmod(mode)
    with pytest.raises(CacheError, match=rf"Others can write to {code} \(mode {mode:o}\), so that"):
        build(design(tmp_path, TINY if suffix == ".so" else TINY + "\n"))
    assert code.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_somebody_else_is_refused(folder: Path, tmp_path: Path) -> None:
    library = build(design(tmp_path))
    os.chown(library, 65534, 65534)
    with pytest.raises(CacheError, match=r"belongs to user 65534, but this is user 0: code in it"):
        build(design(tmp_path))
    with pytest.raises(CacheError, match="belongs to user 65534"):
        load_library(library)
    os.chown(library, 0, 0)
    os.chown(folder, 65534, 65534)
    with pytest.raises(CacheError, match=rf"{folder} belongs to user 65534"):
        build(design(tmp_path))


def test_a_folder_of_another_user(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(CacheError, match=r"belongs to user \d+, but this is user 12345"):
        build(design(tmp_path))


def test_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    library = build(design(tmp_path))
    elsewhere = tmp_path / "elsewhere.so"
    library.rename(elsewhere)
    library.symlink_to(elsewhere)
    with pytest.raises(CacheError, match="is no plain file, so that code in it is not loaded"):
        build(design(tmp_path))


def test_a_damaged_library(folder: Path, tmp_path: Path) -> None:
    library = build(design(tmp_path))
    library.write_bytes(b"\x7fELF")
    with pytest.raises(CacheError, match=r"cannot be loaded .*; remove it, and it is compiled aga"):
        load_library(library)


UNUSABLE = [
    ("/proc/nope", "The cache folder /proc/nope cannot be used (No such file or directory); let "),
    (
        "file",
        "The cache folder {here}/file cannot be used (it is a file); let MODFAB_CACHE name a folde",
    ),
    (
        "file/in",
        "The cache folder {here}/file/in cannot be used (Not a directory); let MODFAB_CACHE na",
    ),
    (
        "wide",
        "Others can write to {here}/wide (mode 777), so that code in it is not loaded; remove it,",
    ),
]


@pytest.mark.parametrize(("place", "text"), UNUSABLE, ids=[row[0] for row in UNUSABLE])
def test_a_cache_that_cannot_be_used(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
    text: str,
) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "wide").mkdir()
    (tmp_path / "wide").chmod(0o777)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODFAB_CACHE", place)
    assert run_cli(monkeypatch, *POWMOD) == 3
    captured = capsys.readouterr()
    assert captured.err.startswith(f"modfab: {text.format(here=tmp_path)}")
    assert captured.err.count("\n") == 1
    assert captured.out == ""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_no_room_leaves_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def half(made: Path, target: Path) -> None:
        target.write_bytes(made.read_bytes()[:100])
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr("shutil.copyfile", half)
        with pytest.raises(CacheError, match=f"compiled or kept: .*{os.strerror(number)}"):
            build(design(tmp_path))
    assert libraries(folder) == []
    assert build(design(tmp_path)).is_file()


def test_a_tool_that_fails_or_is_killed(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"Verilator failed; the whole log is .*failed\.log"):
        build(design(tmp_path, "module tiny;"))
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(ToolError, match=r"The tool was ended by signal 9 \(SIGKILL\); this machin"):
        verilate.run_tool([sys.executable, "-c", killed], tmp_path, "The tool")
    assert libraries(folder) == ["failed.log"]


def test_a_log_that_cannot_be_kept(folder: Path, tmp_path: Path) -> None:
    (folder / "failed.log").mkdir()
    with pytest.raises(ToolError, match=r"Verilator failed; its log could not be kept \(Is a dir"):
        build(design(tmp_path, "module tiny;"))


def test_an_interrupted_tool_ends_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = "import os, tempfile, time; tempfile.mkstemp('.left'); "
    child += "open('pid', 'w').write(str(os.getpid())); time.sleep(600)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 3)
    try:
        with pytest.raises(KeyboardInterrupt):
            verilate.run_tool([sys.executable, "-c", parent], tmp_path, "The tool")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    state = Path(f"/proc/{(tmp_path / 'pid').read_text()}/stat")
    end = time.monotonic() + 20
    while state.exists() and state.read_text().split()[2] != "Z" and time.monotonic() < end:
        time.sleep(0.05)
    assert not state.exists() or state.read_text().split()[2] == "Z"
    assert list(tmp_path.glob("*.left")), "it is taken away with the folder"


CXX = "Expected a compiler in CXX, but '{}' is "


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ("nonexist", "no program on this machine; let CXX name a C++ compiler by its name or its"),
        ("c++ -g", "more words than a program's name; let CXX name"),
        ("./cxx", "a relative path, and it is run in another folder; let CXX name"),
    ],
)
def test_a_chosen_compiler_is_not_passed_over(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    chosen: str,
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cxx").symlink_to("/bin/true")
    monkeypatch.setenv("CXX", chosen)
    with pytest.raises(ToolError, match=re.escape(CXX.format(chosen) + reason)):
        build(design(tmp_path))
    assert libraries(folder) == []
    assert run_cli(monkeypatch, "doctor", "--json") == 3
    assert CXX.format(chosen) + reason in capsys.readouterr().out
    for good in ("", "c++", str(tmp_path / "cxx")):
        monkeypatch.setenv("CXX", good)
        check_cxx()


def test_what_is_told(folder: Path, tmp_path: Path, told: list[str]) -> None:
    build(design(tmp_path))
    assert told[0].startswith(f"compiling the simulator of a tiny module: {folder} has none for")
    assert told[1] == "Verilator translates the RTL"
    assert told[-1] == "done"
    told.clear()
    build(design(tmp_path))
    assert told == []


def test_programs_are_told_by_logging(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    choose_notice(log_notice)
    build(design(tmp_path))
    (record,) = [found for found in caplog.records if found.levelname == "WARNING"]
    assert record.name == "modfab.sim"
    assert record.getMessage().startswith("compiling the simulator of a tiny module")


def test_one_build_for_two_simultaneous_starts(
    folder: Path, tmp_path: Path, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    first, compile_it = threading.Event(), verilate._compile

    def slow(what: Design, place: Path) -> Path:
        made.append(what.top)
        first.set()
        time.sleep(1)
        return compile_it(what, place)

    monkeypatch.setattr(verilate, "_compile", slow)
    found: list[Path] = []
    threads = [threading.Thread(target=lambda: found.append(build(design(tmp_path)))) for _ in "12"]
    threads[0].start()
    assert first.wait(60)
    threads[1].start()
    for thread in threads:
        thread.join()
    assert made == ["tiny"]
    assert found[0] == found[1]
    assert "another start is compiling the same, waiting for it" in told


def test_a_killed_start_does_not_block_the_next(folder: Path, tmp_path: Path) -> None:
    here = design(tmp_path)
    program = (
        "import os, signal, sys; from pathlib import Path\n"
        "from modfab.sim import verilate; from modfab.sim.verilate import Design\n"
        "def die(design, folder): os.kill(os.getpid(), signal.SIGKILL)\n"
        "verilate._compile = die\n"
        f"verilate.build(Design('tiny', (), {{'tiny.sv': {TINY!r}}}, {here.harness!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=300, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert libraries(folder) == []
    assert load_library(build(here)).mf_answer() == 42
