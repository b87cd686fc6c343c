# SPDX-License-Identifier: Apache-2.0
"""`modfab selftest`: an RSA core computes a known answer and shows that its alarm rises."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from modfab.cli.core_run import SIMULATED, CoreChoice
from modfab.cli.options import AsJson
from modfab.cli.private_core import open_keyless, with_keyless_core
from modfab.errors import SelfTestError
from modfab.host.known_answer import known_answer

_USUAL_BITS = 512


@with_keyless_core
def selftest_command(
    choice: CoreChoice,
    bits: Annotated[
        int | None, typer.Option("--bits", help="Of n, of a simulated core; 512 without it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Let an RSA core without a key test itself: a known answer, its comparisons, its alarm.

    A core in hardware for public operations only also computes an exponentiation with n and e from
    the host.

    The core wipes itself at the end. One that fails shuts itself off, and this command ends with 4.

    Example: modfab selftest --device sim --engine bit_serial --engines 1 --bits 128
    """
    simulated = choice.device in SIMULATED
    report: dict[str, Any] = {"command": "selftest", "device": choice.device, "passed": False}
    with open_keyless(choice, bits, _USUAL_BITS) as core:
        report |= {"num_bits": core.num_bits, "engine": core.engine, "sequencer": core.sequencer}
        if simulated:
            report["rsa"] = asdict(choice.rsa_options)
        try:
            report["cycles"] = core.selftest()
            if core.public_only:
                report["host_cycles"] = known_answer(core)
        except SelfTestError:
            if as_json:
                print(json.dumps(report))
            raise
    print(json.dumps(report | {"passed": True}) if as_json else _text(report))


def _text(report: dict[str, Any]) -> str:
    more = ""
    if "host_cycles" in report:
        more = (
            f" With n and e from the host it gave the known answer, too ({report['host_cycles']:,} "
            "cycles)."
        )
    return (
        f"The RSA core of {report['num_bits']} bits on device {report['device']} gave the known "
        f"answer, and its alarm rises ({report['cycles']:,} cycles).{more}"
    )
