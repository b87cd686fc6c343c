# SPDX-License-Identifier: Apache-2.0
"""Entry of the `modfab` command: registers the commands and turns errors into exit codes."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from types import FrameType
from typing import Annotated, NoReturn

import typer

from modfab import __version__
from modfab.cli.assess_cmd import assess_command
from modfab.cli.bench_cmd import bench_command
from modfab.cli.build_cmd import build_command
from modfab.cli.catalog_cmd import cycles_command, engines_command
from modfab.cli.choose_cmd import choose_command
from modfab.cli.compare_cmd import compare_command
from modfab.cli.compiling import compile_notice
from modfab.cli.compute_cmd import mul_command, powmod_command
from modfab.cli.demo_cmd import demo
from modfab.cli.doctor_cmd import doctor_command
from modfab.cli.farm_cmd import farm_command
from modfab.cli.key_cmd import key_command
from modfab.cli.keygen_cmd import keygen_command
from modfab.cli.keyload_cmd import keyload_command
from modfab.cli.rank_cmd import rank_command
from modfab.cli.report_cmd import report_command
from modfab.cli.results_cmd import results_app
from modfab.cli.rsa_cmd import decrypt_command, encrypt_command, sign_command, verify_command
from modfab.cli.selftest_cmd import selftest_command
from modfab.cli.serve_cmd import serve_command
from modfab.cli.simlib_cmd import simlib_command
from modfab.cli.sweep_cmd import sweep_command
from modfab.cli.synth_cmd import run_synth
from modfab.cli.test_cmd import run_tests
from modfab.errors import BUG, MACHINE, ModfabError
from modfab.sim.notice import choose_notice

EXIT_CODES = (
    "Exit codes: 0 done; 1 not valid (verify), decryption failed (decrypt), nothing fits (choose) "
    "or a point failed (sweep); 2 the command line, a key or an input is wrong; 3 this machine "
    "lacks something (compiler, cache, disk, device); 4 a core gave a wrong answer or none; 70 a "
    "bug of modfab; 128 + N ended by signal N. The command test ends as pytest does."
)

app = typer.Typer(
    no_args_is_help=True,
    help="FPGA cores for modular powers.",
    epilog=EXIT_CODES,
    pretty_exceptions_enable=False,  # it would print local variables, and some are secrets
)
app.command("demo")(demo)
app.command("engines")(engines_command)
app.command("cycles")(cycles_command)
app.command("mul")(mul_command)
app.command("powmod")(powmod_command)
app.command("encrypt")(encrypt_command)
app.command("decrypt")(decrypt_command)
app.command("sign")(sign_command)
app.command("verify")(verify_command)
app.command("keygen")(keygen_command)
app.command("keyload")(keyload_command)
app.command("selftest")(selftest_command)
app.command("key")(key_command)
app.command("doctor")(doctor_command)
app.command("serve")(serve_command)
app.command("simlib")(simlib_command)
app.command("bench")(bench_command)
app.command("assess")(assess_command)
app.command("test")(run_tests)
app.command("synth")(run_synth)
app.command("sweep")(sweep_command)
app.command("farm")(farm_command)
app.command("build")(build_command)
app.command("compare")(compare_command)
app.command("rank")(rank_command)
app.command("choose")(choose_command)
app.command("report")(report_command)
app.add_typer(results_app, name="results")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"modfab {__version__}")
        raise typer.Exit


@app.callback(epilog=EXIT_CODES)
def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print it.")
    ] = False,
) -> None:
    """FPGA cores for Montgomery multiplication, modular exponentiation and RSA.

    Example: modfab sign --key key.pem --in README.md --out README.sig
    """
    del version


def _terminated(number: int, _frame: FrameType | None) -> NoReturn:
    """Leave through every `finally`, so that no tool of ours is left running."""
    sys.exit(128 + number)


def app_entry() -> NoReturn:
    """Run the command line; a modfab error becomes one line on stderr and its exit code."""
    signal.signal(signal.SIGTERM, _terminated)
    choose_notice(compile_notice)
    try:
        app(prog_name="modfab")
    except ModfabError as error:
        _fail(str(error), error.exit_code)
    except SystemExit as end:
        # Typer and rich end with code 1, which means "not valid", when the reader of a pipe has
        # left, and Typer does so when somebody types Ctrl-C.
        if _reader_left() or isinstance(end.__context__, BrokenPipeError):
            sys.exit(128 + signal.SIGPIPE)
        if type(end.__context__).__name__ == "Abort":
            sys.exit(128 + signal.SIGINT)
        raise
    except OSError as error:
        place = f" at {error.filename}" if error.filename else ""
        _fail(
            f"The system refused a file or a process{place} ({error.strerror or error}); make room "
            "or give the permission, then run the command again.",
            MACHINE,
        )
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name and "modfab" not in error.name:
            _fail(
                f"This command needs the Python package {error.name}, which is not installed; run "
                "the ./modfab launcher, or `pip install 'modfab[flow]'`.",
                MACHINE,
            )
        traceback.print_exc()
        _fail("This is a bug of modfab; please report the lines above and the command.", BUG)
    sys.exit(0)


def _reader_left() -> bool:
    """Whether nobody reads standard output any more; what is left for it is dropped then."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return True
    return type(sys.stdout).__name__ == "PacifyFlushWrapper"  # Typer's, which drops it


def _fail(text: str, code: int) -> NoReturn:
    print(f"modfab: {text}", file=sys.stderr)
    sys.exit(code)
