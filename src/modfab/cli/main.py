# SPDX-License-Identifier: Apache-2.0
"""Entry of the `modfab` command: registers the commands and turns errors into exit codes."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

import typer

from modfab.cli.bench_cmd import bench_command
from modfab.cli.build_cmd import build_command
from modfab.cli.catalog_cmd import cycles_command, engines_command
from modfab.cli.compare_cmd import compare_command
from modfab.cli.compute_cmd import mul_command, powmod_command
from modfab.cli.demo_cmd import demo
from modfab.cli.farm_cmd import farm_command
from modfab.cli.keyload_cmd import keyload_command
from modfab.cli.rank_cmd import rank_command
from modfab.cli.results_cmd import results_app
from modfab.cli.rsa_cmd import decrypt_command, encrypt_command, sign_command, verify_command
from modfab.cli.serve_cmd import serve_command
from modfab.cli.simlib_cmd import simlib_command
from modfab.cli.synth_cmd import run_synth
from modfab.cli.test_cmd import run_tests
from modfab.errors import ModfabError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="FPGA cores for modular powers.")
app.command("demo")(demo)
app.command("engines")(engines_command)
app.command("cycles")(cycles_command)
app.command("mul")(mul_command)
app.command("powmod")(powmod_command)
app.command("encrypt")(encrypt_command)
app.command("decrypt")(decrypt_command)
app.command("sign")(sign_command)
app.command("verify")(verify_command)
app.command("keyload")(keyload_command)
app.command("serve")(serve_command)
app.command("simlib")(simlib_command)
app.command("bench")(bench_command)
app.command("test")(run_tests)
app.command("synth")(run_synth)
app.command("farm")(farm_command)
app.command("build")(build_command)
app.command("compare")(compare_command)
app.command("rank")(rank_command)
app.add_typer(results_app, name="results")


@app.callback()
def _root() -> None:
    """FPGA cores for Montgomery multiplication, modular exponentiation and RSA."""


def _terminated(number: int, _frame: FrameType | None) -> NoReturn:
    """Leave through every `finally`, so that no tool of ours is left running."""
    sys.exit(128 + number)


def app_entry() -> NoReturn:
    """Run the command line; a modfab error becomes one line on stderr and its exit code."""
    signal.signal(signal.SIGTERM, _terminated)
    try:
        app(prog_name="modfab")
    except ModfabError as error:
        print(f"modfab: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    sys.exit(0)
