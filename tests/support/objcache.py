# SPDX-License-Identifier: Apache-2.0
"""Called by Verilator's makefile before the compiler: keeps objects of Verilator's own runtime.

`verilated.cpp` and its like are most of what a small bench compiles, and the same in each of them.
Run as a program, the compiler's command line behind it; `eda.shared_objects` says so to `make`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = "MODFAB_TEST_OBJECTS"
"""Variable that names the folder of the objects."""


def _kept(command: list[str], folder: Path) -> Path | None:
    """Where the object of this command is kept: None for what is not Verilator's runtime."""
    source = Path(command[-1])
    version = source.parent / "verilated_config.h"
    if "-c" not in command or "-o" not in command or not version.is_file():
        return None
    compiler = Path(shutil.which(command[0]) or command[0]).resolve()
    place = command.index("-o") + 1
    parts = [*command[:place], *command[place + 1 :], f"{compiler} {compiler.stat().st_mtime_ns}"]
    parts += [path.read_text() for path in (source, version)]
    return folder / f"{source.stem}-{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}.o"


def main(command: list[str]) -> int:
    """Copy the object, or compile it and keep it; the exit code of the compiler."""
    folder = Path(os.environ[FOLDER])
    kept = _kept(command, folder)
    if kept is None:
        return subprocess.run(command, check=False).returncode
    target = Path(command[command.index("-o") + 1])
    if kept.is_file():
        shutil.copyfile(kept, target)
        return 0
    code = subprocess.run(command, check=False).returncode
    if code == 0:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as name:
            copy = shutil.copyfile(target, Path(name, kept.name))
            copy.replace(kept)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
