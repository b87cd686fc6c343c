# SPDX-License-Identifier: Apache-2.0
"""`modfab demo`: a message encrypted by OpenSSL, decrypted cycle by cycle on a core."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Annotated, Literal

import typer
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from modfab.cli.core_run import CoreChoice, Cost, core_fields, core_text, key_for, run_private
from modfab.cli.demo_tls import tls_demo
from modfab.cli.options import AsJson, refuse_elsewhere
from modfab.cli.private_core import with_own_key
from modfab.errors import DeviceError
from modfab.host.digests import Hash
from modfab.host.encryption import EncryptionOptions, check_message, decrypt
from modfab.host.keys import private_from

MESSAGE = "A secret that only the owner of this key can read."
MIN_BITS, MAX_BITS = 1024, 4096  # OpenSSL makes no shorter keys; the cores take no longer ones

_OPTIONS = EncryptionOptions(hash_name=Hash.SHA256)
_OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What OpenSSL and the core made of the same ciphertext."""

    plaintext: bytes
    openssl_plaintext: bytes

    @property
    def equal(self) -> bool:
        """Whether they agree."""
        return self.plaintext == self.openssl_plaintext


WhatArgument = Annotated[
    Literal["rsa", "tls"],
    typer.Argument(help="rsa: decrypt a message. tls: a server that signs on a core."),
]
BitsOption = Annotated[
    int, typer.Option("--bits", min=MIN_BITS, max=MAX_BITS, help="Length of the key.")
]
MessageOption = Annotated[
    str | None, typer.Option("--message", help="What to encrypt.", show_default=MESSAGE)
]
HandshakesOption = Annotated[
    int | None,
    typer.Option(
        "--handshakes", min=1, help="Of tls: so many, one after the other.", show_default="1"
    ),
]


@with_own_key
def demo(
    choice: CoreChoice,
    what: WhatArgument = "rsa",
    bits: BitsOption = 2048,
    message: MessageOption = None,
    handshakes: HandshakesOption = None,
    as_json: AsJson = False,
) -> None:
    """Make an RSA key, encrypt with OpenSSL, decrypt on a core of ours, and compare.

    With `tls`: certificate, daemon and server, and a TLS 1.3 handshake with a stock client.

    Example: modfab demo --engine sos --engines 2
    """
    if what == "tls":
        refuse_elsewhere({"--message": message}, "demo rsa, but tls was given; leave it out")
        tls_demo(choice, bits, handshakes or 1, as_json=as_json)
        return
    refuse_elsewhere({"--handshakes": handshakes}, "demo tls; name that, or leave it out")
    openssl_key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    key = key_for(choice, private_from(openssl_key, "OpenSSL"))
    data = os.fsencode(MESSAGE if message is None else message)
    check_message(data, key, _OPTIONS)
    ciphertext = openssl_key.public_key().encrypt(data, _OAEP)
    print(
        f"OpenSSL made an RSA-{bits} key and encrypted {len(data)} bytes with OAEP (SHA-256).\n"
        f"Decrypting on {core_text(choice)}.",
        file=sys.stderr,
    )
    plaintext, cost = run_private(
        choice,
        key,
        "decrypting",
        lambda unit: decrypt(ciphertext, key, unit.private_operation(key), _OPTIONS),
    )
    outcome = Outcome(plaintext, openssl_key.decrypt(ciphertext, _OAEP))
    _print_outcome(outcome, choice, cost, bits, as_json=as_json)
    if not outcome.equal:
        raise DeviceError(
            "The core and OpenSSL decrypted the same ciphertext to different messages; this is a "
            "bug, please report it with the command that you ran."
        )


def _print_outcome(
    outcome: Outcome, choice: CoreChoice, cost: Cost, bits: int, *, as_json: bool
) -> None:
    plaintext = outcome.plaintext.decode(errors="replace")
    if as_json:
        fields = {"num_bits": bits, "plaintext": plaintext, "equals_openssl": outcome.equal}
        print(json.dumps(fields | core_fields(choice, cost)))
        return
    speed = cost.total_cycles / cost.seconds
    print(f"plaintext          {plaintext}")
    print(f"same as OpenSSL    {'yes' if outcome.equal else 'NO'}")
    print(f"cycles             {cost.total_cycles:,} ({cost.setup_cycles:,} of them set-up)")
    print(f"wall time          {cost.seconds:.2f} s ({speed:,.0f} cycles/s)")
