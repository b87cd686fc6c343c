# SPDX-License-Identifier: Apache-2.0
"""`modfab build`: a configured core as a folder to take away."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from modfab.build.core import Core
from modfab.build.farm import FARM_NAMES, FarmCore
from modfab.build.named import named_core
from modfab.build.rsa import RSA_NAMES, RsaCore
from modfab.catalog import Params, get_engine
from modfab.cli.board_cmd import (
    LIMIT_MINUTES,
    BoardName,
    BoardRequest,
    FirstSeed,
    Mhz,
    Seeds,
    build_for_board,
)
from modfab.cli.design import sequencer_of
from modfab.cli.options import (
    RSA_EXAMPLE,
    NumBits,
    ParamTexts,
    finite_or_endless,
    parse_params,
    refuse_elsewhere,
)
from modfab.cli.progress import tell
from modfab.errors import UsageError
from modfab.flow.floorplan import find_floorplan
from modfab.flow.record import DEFAULT_ROUTER, Record
from modfab.flow.store import known_records
from modfab.flow.stored import measured
from modfab.flow.targets import TARGETS, get_target
from modfab.package.ip import IpPackage
from modfab.package.names import check_name
from modfab.package.package import write_package

OptionalEngine = Annotated[
    str | None,
    typer.Option(
        "--engine", help="Engine; `modfab engines` lists them. A board has one of its own."
    ),
]
OptionalSequencer = Annotated[
    str | None,
    typer.Option("--sequencer", "--seq", help="Sequencer; ladder, of RSA on a board window."),
]
ExpBits = Annotated[
    int | None, typer.Option("--exp-bits", help="Exponent bits; as many as --bits.")
]
TargetName = Annotated[
    str | None,
    typer.Option(
        help=f"Primitives, and digits as wide as the multipliers, for one of {', '.join(TARGETS)}; "
        "generic when left out."
    ),
]
CoreName = Annotated[
    Literal["modexp", "rsa", "farm"],
    typer.Option(
        help="modexp: exponentiations. rsa: a private key; --bits are those of n = p q. farm: many "
        "RSA cores behind a queue."
    ),
]
RsaTexts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help=f"Of --core rsa: {', '.join(RSA_NAMES)}; of --core farm also {', '.join(FARM_NAMES)}.",
    ),
]
PublicOnly = Annotated[
    bool,
    typer.Option(
        "--public-only",
        help="As --rsa public_only=1: n and e from the host, no private key, no random words.",
    ),
]


RouterOfBoard = Annotated[
    str | None, typer.Option("--router", help=f"With --board: nextpnr's router; {DEFAULT_ROUTER}.")
]
LimitOfBoard = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        callback=finite_or_endless,
        help=f"With --board: minutes for one tool run; {LIMIT_MINUTES:.0f}, inf for no limit.",
    ),
]


def measurements_of(core: Core) -> list[Record]:
    """What is known about a core: committed results and the user's own store."""
    return measured(known_records(), core)


def build_command(
    bits: NumBits,
    folder: Annotated[Path, typer.Option("-o", "--out", help="A new or empty folder.")],
    engine: OptionalEngine = None,
    param: ParamTexts = None,
    sequencer: OptionalSequencer = None,
    exp_bits: ExpBits = None,
    target: TargetName = None,
    name: Annotated[str | None, typer.Option(help="Name of the core and its top module.")] = None,
    core: CoreName = "modexp",
    rsa: RsaTexts = None,
    public_only: PublicOnly = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an older package.")] = False,
    board: BoardName = None,
    mhz: Mhz = None,
    seeds: Seeds = None,
    first_seed: FirstSeed = None,
    router: RouterOfBoard = None,
    limit: LimitOfBoard = None,
) -> None:
    """Write a packaged core: RTL, constraints, FuseSoC, Vivado, IP-XACT, driver, bench, datasheet.

    With --board write a bitstream instead, the core behind the board's serial line.

    Example: modfab build --engine bit_serial --bits 256 -o my_core

    Example: modfab build --core farm --engine sos --bits 1024 --rsa cores=4 -o my_farm

    Example: modfab build --core rsa --public-only --engine sos --bits 2048 -o my_verifier

    Example: modfab build --board ulx3s-85f --core rsa --bits 2048 -o my_board
    """
    options = parse_params(param), parse_params(rsa, RSA_EXAMPLE)
    if public_only:
        _add_public_only(core, options[1])
    placing = {"--mhz": mhz, "--seeds": seeds, "--first-seed": first_seed, "--router": router}
    placing["--limit"] = limit
    packing = {"--target": target, "--name": name, "--force": force or None, "--exp-bits": exp_bits}
    _check_kind(board, placing, packing)
    if board is not None:
        words = board, core, bits, engine, sequencer, *options
        how = DEFAULT_ROUTER if router is None else router, limit or LIMIT_MINUTES
        request = BoardRequest(*words, mhz, seeds or 1, first_seed or 1, *how)
        build_for_board(request, folder)
        return
    engine, walked = _engine(engine), sequencer_of(sequencer, core, options[1])
    params = _on_target(engine, target, options[0])
    built = named_core(core, engine, bits, params, walked, exp_bits, options[1])
    if name is None:
        name = f"modfab_{'' if core == 'modexp' else f'{core}_'}{engine}_{bits}"
    _package(built, name, target, folder, force=force)


def _check_kind(
    board: str | None, placing: Mapping[str, object], packing: Mapping[str, object]
) -> None:
    """Raise UsageError for options of a bitstream or of a package that is not made."""
    if board is None:
        where = "bitstreams, but without --board this is a package; name a board, or leave it out"
        refuse_elsewhere(placing, where)
    else:
        where = "packages, but --board makes a bitstream; leave one of them out"
        refuse_elsewhere(packing, where)


def _add_public_only(kind: str, choices: dict[str, int]) -> None:
    """Put `--public-only` among the choices of `--rsa`.

    Raises:
        UsageError: The core has no such choices, or they contradict.
    """
    if kind not in (RsaCore.kind, FarmCore.kind):
        raise UsageError(
            f"--public-only belongs to the kind {RsaCore.kind}, but the core is of the kind "
            f"{kind}; leave it out, or give --core {RsaCore.kind}."
        )
    if choices.setdefault("public_only", 1) != 1:
        raise UsageError("--public-only and --rsa public_only=0 contradict; leave one of them out.")


def _engine(name: str | None) -> str:
    if name is None:
        raise UsageError(
            "A package needs an engine, but none was named; choose one with --engine, or a board "
            "with --board."
        )
    return name


def _on_target(engine: str, target: str | None, given: Params) -> Params:
    """The parameters, with the digit that the device's multipliers take, as `synth` does it."""
    if target is None:
        return given
    return get_engine(engine).on_target(get_target(target).mul_bits, given)


def _package(built: Core, name: str, target: str | None, folder: Path, *, force: bool) -> None:
    check_name(name)
    device = None if target is None else get_target(target)
    records = measurements_of(built)
    package = IpPackage(built, name, device, records, find_floorplan(records))
    files = write_package(package, folder, force=force, progress=tell)
    print(f"{len(files)} files in {folder}; start with {folder / 'doc' / 'datasheet.md'}.")
