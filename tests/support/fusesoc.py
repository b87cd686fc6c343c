# SPDX-License-Identifier: Apache-2.0
"""FuseSoC on a core file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.support.answers import answer, content_of, simulators
from tests.support.eda import run

# Over Verilator's makefile: one unit, which reads the headers once, and no optimization.
_FAST = "VM_PARALLEL_BUILDS=0 OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0"


def fusesoc(
    root: Path, core: str, target: str, work: Path, *flags: str, path: str | None = None
) -> str:
    """Both outputs of a target that must succeed.

    Args:
        root: Folder with the core file.
        core: The core's name, without its version.
        target: One of its targets.
        work: Folder of the run.
        flags: Flags of the core file.
        path: Where the tools are, instead of the wheels.
    """
    words = [sys.executable, "-c", "from fusesoc.main import main; main()"]
    words += ["--cores-root", str(root), "run", "--build-root", str(work), "--target", target]
    words += [word for flag in flags for word in ("--flag", flag)]
    variables = {"XDG_CACHE_HOME": str(work), "MAKEFLAGS": _FAST}
    if path is not None:
        words = ["env", "-u", "VERILATOR_ROOT", *words]
        variables["PATH"] = path
    return run([*words, core], work, **variables)


def kept_fusesoc(root: Path, core: str, target: str, work: Path, path: str | None = None) -> str:
    """`fusesoc`, from before where the folder and the tools are as they were then."""
    tools = simulators(path or os.environ["PATH"])
    question = [core, target, path or "", content_of(root)]
    return answer(tools, question, lambda: fusesoc(root, core, target, work, path=path))
