# SPDX-License-Identifier: Apache-2.0
"""`modfab test`: the project's own test suite, run from a checkout."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from modfab.errors import ToolError, UsageError
from modfab.paths import checkout_dir
from modfab.sim.cache import private_dir


def pytest_command(
    root: Path, *, full: bool = False, expression: str = "", exit_first: bool = False, jobs: int = 2
) -> list[str]:
    """Command line that runs the suite of one checkout.

    Args:
        root: Root of the checkout.
        full: Run the long cases too.
        expression: Only tests whose name matches, as pytest's `-k`; empty for all.
        exit_first: Stop at the first failure.
        jobs: Number of processes; 0 runs everything in one.

    Returns:
        Words of the command, to be run with `root` as the working directory.

    >>> pytest_command(Path("here"), expression="seed")[1:]
    ['-m', 'pytest', '--rootdir', 'here', '-n', '2', '--dist', 'worksteal', '-k', 'seed']
    """
    command = [sys.executable, "-m", "pytest", "--rootdir", str(root)]
    command += ["-n", str(jobs), "--dist", "worksteal"]
    if full:
        command.append("--full")
    if expression:
        command += ["-k", expression]
    if exit_first:
        command.append("-x")
    return command


def environment() -> dict[str, str]:
    """This process' environment, with a place for bytecode where none is wanted in the checkout.

    Without it hundreds of processes compile the same modules, and pytest all tests in each run.
    """
    found = dict(os.environ)
    if found.pop("PYTHONDONTWRITEBYTECODE", ""):
        found.setdefault("PYTHONPYCACHEPREFIX", str(private_dir("bytecode")))
    return found


def run_tests(
    full: Annotated[bool, typer.Option("--full", help="Run the long cases too.")] = False,
    expression: Annotated[
        str, typer.Option("-k", metavar="EXPR", help="Only tests whose name matches.")
    ] = "",
    exit_first: Annotated[
        bool, typer.Option("-x", "--exitfirst", help="Stop at the first failure.")
    ] = False,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=0, help="Number of processes.")] = 2,
) -> None:
    """Run the test suite of this checkout.

    Example: modfab test -k session -x
    """
    root = checkout_dir()
    if root is None:
        raise UsageError(
            "The tests are part of the checkout, and this modfab was installed as a package; "
            "clone the repository and run ./modfab test in it."
        )
    if importlib.util.find_spec("pytest") is None:
        raise ToolError(
            "The tests need pytest, which this Python does not have; start them with ./modfab "
            "test, which sets up .venv from requirements.lock."
        )
    command = pytest_command(
        root, full=full, expression=expression, exit_first=exit_first, jobs=jobs
    )
    done = subprocess.run(command, cwd=root, env=environment(), check=False)
    raise typer.Exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)
