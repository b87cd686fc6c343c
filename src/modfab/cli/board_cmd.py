# SPDX-License-Identifier: Apache-2.0
"""`modfab build --board`: from a core's name to a bitstream and the line that loads it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer

from modfab.build.board_top import check_core
from modfab.build.boards import (
    BOARDS,
    Board,
    Pll,
    check_line,
    get_board,
    pll_for,
)
from modfab.build.core import Core, ModexpCore
from modfab.build.named import named_core
from modfab.build.rsa import RsaCore
from modfab.cli.design import sequencer_of
from modfab.cli.options import MAX_SEEDS, finite
from modfab.cli.progress import tell
from modfab.errors import UsageError
from modfab.flow.bitstream import LIMIT_S, Bitstream, BuildOptions, build_bitstream
from modfab.flow.record import DEFAULT_ROUTER, check_router
from modfab.flow.tools import work_folder
from modfab.folders import check_replaceable, put_in_place

BoardName = Annotated[
    str | None,
    typer.Option(help=f"Make a bitstream for one of {', '.join(BOARDS)}, not a package."),
]
Mhz = Annotated[
    float | None,
    typer.Option(
        min=10,
        max=400,
        callback=finite,
        help="With --board: the core's clock; not met is an error.",
    ),
]
Seeds = Annotated[
    int | None,
    typer.Option(
        min=1, max=MAX_SEEDS, help="With --board: seeds of the placer to try until it is met; 1."
    ),
]
FirstSeed = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=1_000_000,
        help="With --board: the first of them, where another one takes too long; 1.",
    ),
]
REPORT = "build.md"
LIMIT_MINUTES = LIMIT_S / 60
"""Minutes for one run of a tool."""


@dataclass(frozen=True, slots=True)
class BoardRequest:
    """The options of `modfab build --board`; None where nothing was said, the limit in minutes."""

    board: str
    core: str
    bits: int
    engine: str | None
    sequencer: str | None
    params: dict[str, int] = field(default_factory=dict)
    rsa: dict[str, int] = field(default_factory=dict)
    mhz: float | None = None
    seeds: int = 1
    first_seed: int = 1
    router: str = DEFAULT_ROUTER
    limit: float = LIMIT_MINUTES


def core_of(request: BoardRequest, board: Board) -> Core:
    """The core that was asked for, or the board's own.

    Raises:
        UsageError: A name or a value is not legal, or the board has no such core.
    """
    engine, rsa = request.engine, request.core == RsaCore.kind
    if engine is None:
        if not rsa:
            raise UsageError(
                f"The board chooses an engine for --core rsa only, but the core is {request.core}; "
                "name one with --engine."
            )
        engine = board.default_engine(request.bits)
    usual = "window" if rsa else "ladder"
    sequencer = sequencer_of(request.sequencer, request.core, request.rsa, usual)
    core = named_core(
        request.core, engine, request.bits, request.params, sequencer, None, request.rsa
    )
    check_core(core)
    return core


def build_for_board(request: BoardRequest, folder: Path) -> None:
    """Make a bitstream in a new or empty folder and say how to load it.

    Raises:
        UsageError: A name or a value is not legal, or the folder is in use.
        ToolError: As `build_bitstream`.
    """
    check_router(request.router)
    board = get_board(request.board)
    core = core_of(request, board)
    pll = pll_for(board.clock_mhz, request.mhz or board.mhz)
    check_line(board, pll)
    check_replaceable(folder)
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(
            f"The bitstream needs a new or empty folder, but {folder} holds something; choose "
            "another with -o."
        )
    seeds = range(request.first_seed, request.first_seed + request.seeds)
    options = BuildOptions(tuple(seeds), request.limit * 60, request.router)
    print(_write(board, core, pll, folder, options), end="")


def _write(board: Board, core: Core, pll: Pll, folder: Path, options: BuildOptions) -> str:
    """Fill a folder, which gets its name when it is complete; the report in it.

    It is made in a hidden one beside, which stays only when a tool failed, as the log is in it.
    """
    place = folder.resolve()
    with ExitStack() as held:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            part = held.enter_context(work_folder(f".{place.name}.", place.parent))
        except OSError as error:
            raise UsageError(
                f"The folder {folder} cannot be made ({error.strerror}); choose another with -o."
            ) from error
        new = part / "new"
        new.mkdir()
        made = build_bitstream(board, core, pll, new, options, tell)
        text = report_text(board, core, pll, replace(made, path=folder / made.path.name))
        (new / REPORT).write_text(text)
        put_in_place(new, place, part / "old")
    return text


def report_text(board: Board, core: Core, pll: Pll, made: Bitstream) -> str:
    """What was built, as a page."""
    used = ", ".join(f"{count} {name}" for name, count in made.used.items())
    tools = ", ".join(f"{name} {version}" for name, version in made.tools.items())
    return f"""# {board.title}: {core.kind} core, {core.num_bits} bits

| | |
|---|---|
| engine, sequencer | {_parts(core)} |
| clock | {pll.mhz:g} MHz from {board.clock_mhz:g} MHz |
| routed | {made.mhz:.1f} MHz, margin {100 * made.margin:.1f} % (seed {made.seed}) |
| critical path | {made.critical} |
| used | {used} |
| tools | {tools} |

Load it until power-off, and use it:

    openFPGALoader -b {board.loader} {made.path}
    {_use(core)} --device serial:{board.port},{board.baud}
"""


def _is_public(core: Core) -> bool:
    return isinstance(core, RsaCore) and core.shape.public_only


def _use(core: Core) -> str:
    """A command that uses the core, without its device."""
    if _is_public(core):
        return "modfab verify --core rsa --key public.pem --in file --sig file.sig"
    return f"modfab sign --core {core.kind} --key key.pem --in file --out file.sig"


def _parts(core: Core) -> str:
    unit = core.unit
    if not isinstance(unit, ModexpCore) or _is_public(core):
        return f"{unit.engine.name}, -"
    return f"{unit.engine.name}, {unit.sequencer.name}"
