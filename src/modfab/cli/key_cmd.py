# SPDX-License-Identifier: Apache-2.0
"""`modfab key`: what a key is, which cores take it, and in how many cycles."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from modfab.build.core import modexp_core
from modfab.cli.console import print_table, table_console
from modfab.cli.options import AsJson
from modfab.cli.passphrase import passphrase_source
from modfab.cli.rsa_cmd import PassinOption
from modfab.errors import OperandError
from modfab.host.choice import (
    CoreChoice,
    RsaOptions,
    check_fits,
    halves,
    prime_bits_of,
    public_choice,
)
from modfab.host.defaults import (
    DEFAULT_ENGINE,
    DEFAULT_SEQUENCER,
    PRIVATE_ENGINE,
    PRIVATE_SEQUENCER,
)
from modfab.host.key_check import check_public
from modfab.host.keys import RsaPrivate, RsaPublic, load_key
from modfab.models.rsa.entry import RsaEntry
from modfab.numbers import whole_words

_LONG_E = 64  # bits from which an exponent is told in hexadecimal


@dataclass(frozen=True, slots=True)
class Use:
    """One way to compute with a key.

    Attributes:
        what: The operation, and the core that does it by default.
        setup_cycles, cycles: Of the key's set-up and of an operation; None where it cannot.
        refusal: Why it cannot.
    """

    what: str
    setup_cycles: int | None = None
    cycles: int | None = None
    refusal: str = ""


def key_command(
    key_path: Annotated[Path, typer.Option("--key", help="Key or certificate, PEM or DER.")],
    passin: PassinOption = None,
    as_json: AsJson = False,
) -> None:
    """Say what a key is, which cores take it and in how many cycles; no secret is shown.

    Example: modfab key --key key.pem
    """
    key = load_key(key_path, passphrase_source(passin, key_path))
    facts, uses = facts_of(key), uses_of(key)
    if as_json:
        print(json.dumps({**facts, "uses": [asdict(use) for use in uses]}))
        return
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts.items():
        table.add_row(name.replace("_", " "), str(value))
    for use in uses:
        text = use.refusal or f"{use.cycles:,} cycles, set-up of the key {use.setup_cycles:,}"
        table.add_row(use.what, text)
    print_table(table_console(), table)


def facts_of(key: RsaPublic) -> dict[str, object]:
    """What may be shown of a key."""
    private = isinstance(key, RsaPrivate)
    facts: dict[str, object] = {
        "kind": f"RSA, {'private' if private else 'public'}",
        "bits": key.num_bits,
        "public_exponent": key.e if key.e.bit_length() <= _LONG_E else hex(key.e),
    }
    if isinstance(key, RsaPrivate):
        lengths = f"{key.p.bit_length()} and {key.q.bit_length()}"
        facts["bits_of_the_primes"] = lengths if key.p else "more than two primes"
    facts["use"] = "any padding"
    if key.pss is not None:
        hash_name = key.pss.hash_name.value if key.pss.hash_name else "any hash"
        facts["use"] = f"PSS only, {hash_name}, salt of {key.pss.min_salt} bytes or more"
    return facts


def uses_of(key: RsaPublic) -> list[Use]:
    """How the cores that the commands choose by themselves compute with a key."""
    uses = []
    if isinstance(key, RsaPrivate):
        uses += [_on_rsa_core(key), _on_exponentiator(key)]
    what = "verify, encrypt"
    try:
        check_public(key)
        choice = public_choice("model", DEFAULT_ENGINE, key)
    except OperandError as error:
        return [*uses, Use(what, refusal=str(error))]
    return [*uses, _use(f"{what}: {choice.engine}", choice, key, key.e, key.e.bit_length())]


def _on_rsa_core(key: RsaPrivate) -> Use:
    engines, pair = halves(PRIVATE_ENGINE, {}, None, None)
    choice = CoreChoice("model", PRIVATE_ENGINE, PRIVATE_SEQUENCER, rsa=RsaOptions(engines, pair))
    what = f"sign, decrypt: RSA core, {PRIVATE_ENGINE}"
    try:
        check_fits(choice, key)
    except OperandError as error:
        return Use(what, refusal=str(error))
    programs = choice.rsa_core(prime_bits_of(key)).programs()
    setup, private = (programs.program(entry, key.e) for entry in (RsaEntry.KEY, RsaEntry.PRIVATE))
    return Use(what, setup, private)


def _on_exponentiator(key: RsaPrivate) -> Use:
    choice = CoreChoice("model", PRIVATE_ENGINE, DEFAULT_SEQUENCER)
    what = f"the same with --core modexp: {PRIVATE_ENGINE}, neither blinded nor checked"
    try:
        check_fits(choice, key)
    except OperandError as error:
        return Use(what, refusal=str(error))
    return _use(what, choice, key, 0, key.num_bits)


def _use(what: str, choice: CoreChoice, key: RsaPublic, exponent: int, exp_bits: int) -> Use:
    bits = whole_words(key.num_bits)
    core = modexp_core(choice.engine, bits, choice.params, choice.sequencer)
    cycles = core.sequencer.exp_cycles(core.engine, core.params, exponent, exp_bits)
    return Use(what, core.engine.cycles.setup(core.params), cycles)
