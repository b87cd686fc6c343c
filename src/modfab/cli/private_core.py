# SPDX-License-Identifier: Apache-2.0
"""The options that choose a core for private operations, once for every command that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from modfab.build.rsa import BLINDABLE, blinded_sequencer, check_constant, half_of
from modfab.cli.core_run import (
    DEFAULT_DEVICE,
    DEFAULT_SEQUENCER,
    PRIVATE_ENGINE,
    PRIVATE_SEQUENCER,
    SIMULATED,
    Check,
    CoreChoice,
    DeviceOption,
    PrivateCore,
    RsaOptions,
)
from modfab.cli.merged import with_options
from modfab.cli.options import EngineName, ParamTexts, parse_params
from modfab.errors import UsageError
from modfab.host.choice import Build, halves
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_open import open_hardware, open_rsa_device

PANEL = "Core of the private key"
"""Title of these options in a help; a table of their own leaves room for long names."""

CoreOption = Annotated[
    PrivateCore,
    typer.Option(
        help="rsa: CRT, blinded, result checked in the core. modexp: one exponentiation.",
        rich_help_panel=PANEL,
    ),
]
SequencerOption = Annotated[
    str | None,
    typer.Option(
        "--sequencer",
        "--seq",
        help="A constant one: ladder, window, window5 or r2l; window unless the core is modexp.",
        rich_help_panel=PANEL,
    ),
]
EnginesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=2,
        help="2: both halves of CRT at the same time; 2 where they can be a pair.",
        rich_help_panel=PANEL,
    ),
]
PairOption = Annotated[
    bool | None,
    typer.Option(
        help="Both halves on one array of an engine that has two ports; so where it can be.",
        rich_help_panel=PANEL,
    ),
]
BlindingOption = Annotated[
    bool,
    typer.Option(help="Blind message and exponent with fresh randomness.", rich_help_panel=PANEL),
]
CheckOption = Annotated[
    Check,
    typer.Option(
        help="Of --core modexp. e: the result raised to e is the message. again: compute twice.",
        rich_help_panel=PANEL,
    ),
]
BuildOption = Annotated[
    Build,
    typer.Option(
        "--build",
        help="Of --core rsa. hardened: everything. basic: fewer cycles, see SECURITY.md.",
        rich_help_panel=PANEL,
    ),
]
AddressOption = Annotated[
    bool,
    typer.Option(
        "--address-blinding",
        help="Of --build hardened: mask slot numbers with random bits, by ladder_masked.",
        rich_help_panel=PANEL,
    ),
]
DeriveOption = Annotated[
    bool,
    typer.Option("--derive", help="The core makes dP, dQ and qInv itself.", rich_help_panel=PANEL),
]
LoadedOption = Annotated[
    bool,
    typer.Option(
        "--loaded",
        help="Use the key that `keyload` left in the core; --key is a public one.",
        rich_help_panel=PANEL,
    ),
]

ContextOption = Annotated[
    int,
    typer.Option(
        "--context",
        min=0,
        help="Key context of a core that was built to keep several keys.",
        rich_help_panel=PANEL,
    ),
]

_UNASKED = (None, None, True, False, False, "hardened", False, 0)


def choose_core(
    engine: EngineName = PRIVATE_ENGINE,
    device: DeviceOption = DEFAULT_DEVICE,
    core: CoreOption = "rsa",
    sequencer: SequencerOption = None,
    param: ParamTexts = None,
    engines: EnginesOption = None,
    pair: PairOption = None,
    blinding: BlindingOption = True,
    check: CheckOption = "e",
    derive: DeriveOption = False,
    loaded: LoadedOption = False,
    build: BuildOption = "hardened",
    address_blinding: AddressOption = False,
    context: ContextOption = 0,
) -> CoreChoice:
    """The core that these options name.

    Raises:
        UsageError: An option that this core does not have, or a sequencer that is not constant or
            cannot be blinded.
    """
    rsa = (engines, pair, blinding, derive, loaded, build, address_blinding, context)
    if core == "modexp" and rsa != _UNASKED:
        raise UsageError(
            "--engines, --pair, --no-blinding, --derive, --loaded, --context, --build and "
            "--address-blinding belong to --core rsa, but the core is modexp; leave them out, or "
            "choose --core rsa."
        )
    sequencer = _sequencer(core, sequencer, build, address_blinding)
    if core == "rsa" and check != "e":
        raise UsageError(
            "The RSA core checks every result with the public exponent, and --check again was "
            "given; leave it out, or choose --core modexp."
        )
    _check_loaded(device, loaded, context, derive)
    params = parse_params(param)
    if core == "modexp":
        return CoreChoice(device, engine, sequencer, params, check)
    engines, pair = halves(engine, params, engines, pair)
    rest = (blinding, derive, loaded, build, address_blinding)
    options = RsaOptions(engines, pair, *rest, context=context)
    return CoreChoice(device, engine, sequencer, params, check, options)


def open_keyless(
    choice: CoreChoice, bits: int | None, usual_bits: int, keygen: bool = False
) -> RsaDevice:
    """An RSA core that brings no key: a simulated one as chosen, hardware as it was built.

    Args:
        choice: Which core, an RSA core.
        bits: Of n, as asked for.
        usual_bits: Of a simulated core where nothing was asked for.
        keygen: A simulated core makes keys.

    Raises:
        UsageError: Bits for hardware, or an unknown device.
        DeviceError: The hardware does not answer.
    """
    if choice.device in SIMULATED:
        half = half_of(usual_bits if bits is None else bits)
        return open_rsa_device(choice.device, choice.rsa_core(half, keygen))
    if bits is not None:
        raise UsageError(
            f"The device {choice.device} is as wide as it was built, but --bits was given; leave "
            "it out."
        )
    return open_hardware(choice.device)


def _check_loaded(device: str, loaded: bool, context: int, derive: bool) -> None:
    if loaded and device in SIMULATED:
        raise UsageError(
            f"A core on device {device} starts without a key, so --loaded finds none; give the "
            "private key, or a device that keeps one."
        )
    if context and not loaded:
        raise UsageError(
            f"--context {context} says where `keyload` left the key, but --loaded was not given; "
            "give both, or neither."
        )
    if derive and loaded:
        raise UsageError(
            "--derive is about a key that is loaded now, but --loaded uses the one that the core "
            "holds; leave one of them out."
        )


def _sequencer(core: PrivateCore, asked: str | None, build: Build, address_blinding: bool) -> str:
    if address_blinding and build == "basic":
        raise UsageError(
            "--address-blinding belongs to --build hardened, but the build is basic; leave one of "
            "them out."
        )
    if address_blinding:
        return blinded_sequencer(BLINDABLE if asked is None else asked)
    usual = PRIVATE_SEQUENCER if core == "rsa" else DEFAULT_SEQUENCER
    sequencer = usual if asked is None else asked
    check_constant(sequencer)
    return sequencer


def with_private_core(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `choose_core`; it receives their outcome as `choice`."""
    return with_options("choice", choose_core)(command)


def with_own_key(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command that has a key of its own."""
    return with_options("choice", choose_core, ("loaded", "context"))(command)


def with_keyless_core(command: Callable[..., None]) -> Callable[..., None]:
    """The same for a command of an RSA core that has no key when it begins."""
    without = ("core", "check", "derive", "loaded", "context")
    return with_options("choice", choose_core, without)(command)
