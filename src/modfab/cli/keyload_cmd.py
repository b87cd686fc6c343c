# SPDX-License-Identifier: Apache-2.0
"""`modfab keyload`: a private key into an RSA core, where it stays for many operations."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from modfab.build.rsa import rsa_core
from modfab.cli.core_run import DEFAULT_ENGINE, SIMULATED
from modfab.cli.options import AsJson
from modfab.cli.passphrase import passphrase_source
from modfab.cli.private_core import ContextOption, DeriveOption
from modfab.cli.progress import cycle_bar
from modfab.cli.rsa_cmd import PassinOption, PrivateKeyOption
from modfab.errors import UsageError
from modfab.host.choice import check_primes
from modfab.host.keys import load_private
from modfab.host.rsa_open import open_rsa_device, prime_bits_of

HardwareOption = Annotated[
    str,
    typer.Option(
        "--device",
        metavar="DEVICE",
        help="Hardware: uio:/dev/uioN, devmem:0xADDRESS or serial:PATH, BAUD after a comma.",
    ),
]


def keyload_command(
    key_path: PrivateKeyOption,
    device: HardwareOption,
    passin: PassinOption = None,
    lock: Annotated[bool, typer.Option(help="Take no other key until erased or reset.")] = True,
    derive: DeriveOption = False,
    context: ContextOption = 0,
    as_json: AsJson = False,
) -> None:
    """Load a private key into an RSA core and leave it there, for `sign` and `decrypt --loaded`.

    Example: modfab keyload --key key.pem --device uio:/dev/uio0

    Example: modfab keyload --key second.pem --context 1 --device uio:/dev/uio0
    """
    if device in SIMULATED:
        raise UsageError(
            f"A key on device {device} would be gone when this command ends; name hardware after "
            "--device."
        )
    key = load_private(key_path, passphrase_source(passin, key_path))
    check_primes(key)
    config = rsa_core(DEFAULT_ENGINE, prime_bits_of(key))
    with open_rsa_device(device, config) as core, cycle_bar("loading") as progress:
        core.choose(context)
        cycles = core.load_key(key, progress, derive)
        if lock:
            core.lock()
        core.keep = True
    if as_json:
        report = {"command": "keyload", "num_bits": key.num_bits, "setup_cycles": cycles}
        print(json.dumps({**report, "locked": lock, "device": device, "context": context}))
    else:
        state = "locked" if lock else "loaded"
        print(f"The {key.num_bits}-bit key is {state} in {device} ({cycles:,} cycles).")
