# SPDX-License-Identifier: Apache-2.0
"""`modfab selftest`: an RSA core computes a known answer and shows that its alarm rises."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from modfab.build.rsa import half_of
from modfab.cli.core_run import SIMULATED, CoreChoice
from modfab.cli.options import AsJson
from modfab.cli.private_core import with_private_core
from modfab.errors import SelfTestError, UsageError
from modfab.host.rsa_open import open_rsa_device

_SMALLEST_BITS = 128  # of a core in hardware: any
_USUAL_BITS = 512


@with_private_core
def selftest_command(
    choice: CoreChoice,
    bits: Annotated[
        int | None, typer.Option("--bits", help="Of n, of a simulated core; 512 without it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let an RSA core without a key test itself: a known answer, its comparisons, its alarm.

    The core wipes itself at the end. One that fails shuts itself off, and this command ends with 4.

    Example: modfab selftest --device sim --engine bit_serial --engines 1 --bits 128
    """
    if choice.rsa is None:
        raise UsageError(
            "Only the RSA core tests itself, but the core is modexp; leave --core out."
        )
    simulated = choice.device in SIMULATED
    if bits is not None and not simulated:
        raise UsageError(
            f"The device {choice.device} is as wide as it was built, but --bits was given; leave "
            "it out."
        )
    config = choice.rsa_core(half_of(bits or (_USUAL_BITS if simulated else _SMALLEST_BITS)))
    report: dict[str, Any] = {"command": "selftest", "device": choice.device, "passed": False}
    with open_rsa_device(choice.device, config) as core:
        report["num_bits"] = 2 * core.prime_bits
        if simulated:
            report |= {"engine": choice.engine, "sequencer": choice.sequencer}
            report["rsa"] = asdict(choice.rsa)
        try:
            report["cycles"] = core.selftest()
        except SelfTestError:
            if as_json:
                print(json.dumps(report))
            raise
    if as_json:
        print(json.dumps(report | {"passed": True}))
    else:
        print(
            f"The RSA core of {report['num_bits']} bits on device {choice.device} gave the known "
            f"answer, and its alarm rises ({report['cycles']:,} cycles)."
        )
