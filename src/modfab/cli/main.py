# SPDX-License-Identifier: Apache-2.0
"""Entry of the `modfab` command: registers the commands and turns errors into exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
import traceback
from collections.abc import Iterable, Sequence
from importlib import import_module
from types import FrameType
from typing import Annotated, NoReturn, TextIO, cast

import typer

from modfab import __version__
from modfab.cli.compiling import compile_notice
from modfab.cli.signals import handle_ends
from modfab.errors import BUG, MACHINE, USAGE, ModfabError
from modfab.sim.notice import choose_notice

EXIT_CODES = (
    "Exit codes: 0 done; 1 not valid (verify), decryption failed (decrypt), nothing fits (choose) "
    "or a point failed (sweep); 2 the command line, a key or an input is wrong; 3 this machine "
    "lacks something (compiler, cache, disk, device); 4 a core gave a wrong answer or none; 70 a "
    "bug of modfab; 128 + N ended by signal N. The command test ends as pytest does."
)

COMMANDS = {
    "demo": "demo_cmd:demo",
    "engines": "catalog_cmd:engines_command",
    "cycles": "catalog_cmd:cycles_command",
    "mul": "compute_cmd:mul_command",
    "powmod": "compute_cmd:powmod_command",
    "encrypt": "rsa_cmd:encrypt_command",
    "decrypt": "rsa_cmd:decrypt_command",
    "sign": "rsa_cmd:sign_command",
    "verify": "rsa_cmd:verify_command",
    "keygen": "keygen_cmd:keygen_command",
    "keyload": "keyload_cmd:keyload_command",
    "zeroize": "zeroize_cmd:zeroize_command",
    "selftest": "selftest_cmd:selftest_command",
    "key": "key_cmd:key_command",
    "doctor": "doctor_cmd:doctor_command",
    "serve": "serve_cmd:serve_command",
    "simlib": "simlib_cmd:simlib_command",
    "bench": "bench_cmd:bench_command",
    "assess": "assess_cmd:assess_command",
    "test": "test_cmd:run_tests",
    "synth": "synth_cmd:run_synth",
    "sweep": "sweep_cmd:sweep_command",
    "farm": "farm_cmd:farm_command",
    "build": "build_cmd:build_command",
    "compare": "compare_cmd:compare_command",
    "rank": "rank_cmd:rank_command",
    "choose": "choose_cmd:choose_command",
    "report": "report_cmd:report_command",
    "results": "results_cmd:results_app",
}
"""Command -> module of this package, and its function or its app of further commands."""


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"modfab {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print it.")
    ] = False,
) -> None:
    """FPGA cores for Montgomery multiplication, modular exponentiation and RSA.

    Example: modfab sign --key key.pem --in README.md --out README.sig
    """
    del version


def app_of(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """The command line with some of its commands."""
    app = typer.Typer(
        no_args_is_help=True,
        help="FPGA cores for Montgomery multiplication, modular exponentiation and RSA.",
        epilog=EXIT_CODES,
        pretty_exceptions_enable=False,  # it would print local variables, and some are secrets
    )
    app.callback(epilog=EXIT_CODES)(_root)
    for name in names:
        module, _, attribute = COMMANDS[name].partition(":")
        found = getattr(import_module(f"modfab.cli.{module}"), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            app.command(name)(found)
    return app


def needed(words: Sequence[str]) -> list[str]:
    """The commands that a command line needs: the one that it names, else all, for their help.

    >>> needed(["sign", "--key", "key.pem"]), needed(["--version"])
    (['sign'], [])
    >>> needed(["sing"]) == list(COMMANDS)
    True
    """
    if "--version" in words[:1]:
        return []
    given = next((word for word in words if not word.startswith("-")), "")
    completes = "_MODFAB_COMPLETE" in os.environ  # the shell asks for names
    return [given] if given in COMMANDS and not completes else list(COMMANDS)


def _terminated(number: int, _frame: FrameType | None) -> NoReturn:
    """Leave through every `finally`, so that no tool of ours is left running."""
    sys.exit(128 + number)


def _prepare_output() -> None:
    if sys.stdout is None:  # closed; an answer must not be lost without a word
        sys.stdout = cast(TextIO, io.TextIOBase())  # which refuses to write
    if sys.stderr is None:  # closed: messages are dropped
        sys.stderr = io.StringIO()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a file's name may be no text: print its bytes
        sys.stdout.reconfigure(errors="surrogateescape")


def app_entry() -> NoReturn:
    """Run the command line; a modfab error becomes one line on stderr and its exit code."""
    handle_ends(_terminated)
    _prepare_output()
    choose_notice(compile_notice)
    try:
        app_of(needed(sys.argv[1:]))(prog_name="modfab")
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
    except io.UnsupportedOperation:
        _fail(
            "Standard output is closed, and the answer goes there; give it a file or a pipe.", USAGE
        )
    except KeyboardInterrupt:  # before a command of Typer's has begun, which makes Abort of it
        sys.exit(128 + signal.SIGINT)
    except OSError as error:
        place = f" at {error.filename}" if error.filename else ""
        _fail(
            f"The system refused a file or a process{place} ({error.strerror or error}); make room "
            "or give the permission, then run the command again.",
            MACHINE,
        )
    except BaseException as error:  # a panic of a library in Rust is no Exception
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
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return True
    return type(sys.stdout).__name__ == "PacifyFlushWrapper"  # Typer's, which drops it


def _fail(text: str, code: int) -> NoReturn:
    print(f"modfab: {text}", file=sys.stderr)
    sys.exit(code)
