# SPDX-License-Identifier: Apache-2.0
"""`modfab zeroize`: an RSA core without a key."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from modfab.cli.core_run import SIMULATED
from modfab.cli.keyload_cmd import HardwareOption
from modfab.cli.options import AsJson
from modfab.errors import UsageError
from modfab.host.rsa_open import open_hardware


def zeroize_command(
    device: HardwareOption,
    context: Annotated[
        int | None,
        typer.Option("--context", min=0, help="Only this one of a core that keeps several keys."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Wipe the keys of an RSA core, locked or not, and message and result.

    Example: modfab zeroize --device uio:/dev/uio0
    """
    if device in SIMULATED:
        raise UsageError(
            f"A simulated core has no key before its command, but --device is {device}; name "
            "hardware."
        )
    with open_hardware(device) as core:
        if context is None:
            core.zeroize()
        else:
            core.choose(context)
            core.erase()
    if as_json:
        print(json.dumps({"command": "zeroize", "device": device, "context": context}))
    else:
        what = "core" if context is None else f"key context {context}"
        print(f"The {what} in {device} is empty.")
