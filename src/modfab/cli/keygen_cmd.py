# SPDX-License-Identifier: Apache-2.0
"""`modfab keygen`: an RSA core makes a key whose private part never leaves it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from modfab.cli.core_run import SIMULATED, CoreChoice
from modfab.cli.files import STANDARD, check_output, named_output, write_output
from modfab.cli.options import AsJson
from modfab.cli.private_core import open_keyless, with_keyless_core
from modfab.cli.progress import cycle_bar
from modfab.host.key_public import to_pem
from modfab.host.keys import RsaPublic

_USUAL_BITS = 128
_TRIAL = 2  # the message of the operation that shows that the key works


@with_keyless_core
def keygen_command(
    choice: CoreChoice,
    out: Annotated[
        Path,
        typer.Option(
            "-o",
            "--out",
            callback=named_output,
            help="Where the public key goes, PEM; - for standard output.",
        ),
    ] = STANDARD,
    bits: Annotated[
        int | None,
        typer.Option("--bits", help=f"Of n, of a simulated core; {_USUAL_BITS} without it."),
    ] = None,
    lock: Annotated[bool, typer.Option(help="Take no other key until erased or reset.")] = True,
    as_json: AsJson = False,
) -> None:
    """Let an RSA core that was built with keygen=1 make a key; only the public one leaves it.

    The key stays in hardware, for `sign` and `decrypt --loaded`, until it is erased or the power
    goes. In a simulation it is gone when the command ends.

    Example: modfab keygen --device uio:/dev/uio0 --out public.pem

    Example: modfab keygen --device model --bits 256
    """
    simulated = choice.device in SIMULATED
    check_output(out, {})
    report: dict[str, Any] = {"command": "keygen", "device": choice.device}
    with open_keyless(choice, bits, _USUAL_BITS, True) as core:
        with cycle_bar("making a key") as bar:
            key, report["cycles"] = core.generate_key(bar)
            core.private(_TRIAL)
        report |= {"num_bits": key.num_bits, "engine": core.engine, "sequencer": core.sequencer}
        if simulated:
            report["rsa"] = asdict(choice.rsa_options) | {"keygen": True}
        report |= {"n": hex(key.n), "e": key.e, "locked": lock}
        _write(key, out, report, as_json)  # a core that kept its key without this would be lost
        if lock:
            core.lock()
        core.keep = not simulated
    if out != STANDARD and not as_json:
        private = "is gone with the simulation" if simulated else f"in {choice.device}"
        print(
            f"The public key of {key.num_bits} bits is in {out}, the private one {private} "
            f"({report['cycles']:,} cycles)."
        )


def _write(key: RsaPublic, out: Path, report: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(report), flush=True)
    if out != STANDARD or not as_json:
        write_output(out, to_pem(key), secret=False)
