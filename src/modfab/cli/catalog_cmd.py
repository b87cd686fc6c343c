# SPDX-License-Identifier: Apache-2.0
"""`modfab engines` and `modfab cycles`: what the catalogue says."""

from __future__ import annotations

import json
from typing import Any

from rich.table import Table
from rich.text import Text

from modfab.catalog import ENGINES, SEQUENCERS, Engine, Params, Sequencer, get_engine
from modfab.cli.console import print_table, table_console
from modfab.cli.options import AsJson, EngineName, NumBits, ParamTexts, parse_params

FERMAT_4 = 65537
"""The usual public exponent, 2^16 + 1."""


def engines_command(as_json: AsJson = False) -> None:
    """List the engines: paper, parameters with their ranges, cycles of a product.

    Example: modfab engines
    """
    if as_json:
        print(json.dumps([_engine_record(engine) for engine in ENGINES.values()]))
        return
    console = table_console()
    for engine in ENGINES.values():
        title = f" ({engine.paper}): {engine.title}"
        console.print(Text.assemble((engine.name, "bold"), title))
        console.print(f"  cycles of a product: {engine.cycles.text}")
        table = Table(box=None, padding=(0, 2))
        table.add_column("parameter", no_wrap=True)
        for head in ("default", "legal", "unit", "meaning"):
            table.add_column(head)
        for p in engine.parameters:
            table.add_row(p.name, str(p.default), p.legal_text, p.unit, p.help)
        print_table(console, table)
        console.print()


def _engine_record(engine: Engine) -> dict[str, Any]:
    return {
        "engine": engine.name,
        "paper": engine.paper,
        "title": engine.title,
        "cycles": engine.cycles.text,
        "parameters": [
            {
                "name": p.name,
                "unit": p.unit,
                "legal": p.legal_text,
                "default": p.default,
                "help": p.help,
            }
            for p in engine.parameters
        ],
    }


def cycles_command(
    engine: EngineName, bits: NumBits, param: ParamTexts = None, as_json: AsJson = False
) -> None:
    """Cycles of a product, a set-up and an exponentiation, from the catalogue's formulas.

    Exponentiation: first product accepted to first result word; worst and expected are for
    exponents as long as the modulus.

    Example: modfab cycles --engine bit_serial --bits 256 -P BitsPerClock=8
    """
    entry = get_engine(engine)
    params = entry.resolve(bits, parse_params(param))
    record = cycle_record(entry, params)
    if as_json:
        print(json.dumps(record))
        return
    table = Table("work", "cycles", title=f"{engine}, {bits} bits")
    for name in ("product", "square", "pair", "setup", "load", "store"):
        if record[name] is not None:
            table.add_row(name, f"{record[name]:,}")
    for name, values in record["exponentiation"].items():
        for case, cycles in values.items():
            table.add_row(f"{name}, {case}", f"{cycles:,.0f}")
    print_table(table_console(), table)


def cycle_record(engine: Engine, params: Params) -> dict[str, Any]:
    """Everything `modfab cycles` reports, by name."""
    cycles = engine.cycles
    return {
        "engine": engine.name,
        "parameters": dict(params),
        "r_bits": engine.r_bits(params),
        "product": cycles.mul(params),
        "square": cycles.square(params) if cycles.square else None,
        "pair": engine.pair_cycles(params),
        "setup": cycles.setup(params),
        "load": cycles.load(params),
        "store": cycles.store(params),
        "exponentiation": {
            name: _exponentiation(sequencer, engine, params)
            for name, sequencer in SEQUENCERS.items()
        },
    }


def _exponentiation(sequencer: Sequencer, engine: Engine, params: Params) -> dict[str, float]:
    bits = params["NumBits"]
    worst = sequencer.exp_cycles(engine, params, (1 << bits) - 1, bits)
    # Cycles are linear in the number of ones, so that the mean over exponents with a leading one
    # lies halfway between one and all ones (the leading one apart).
    best = sequencer.exp_cycles(engine, params, 1 << (bits - 1), bits)
    short = FERMAT_4.bit_length()
    return {
        "worst": worst,
        "expected": (worst + best) / 2,
        "65537": sequencer.exp_cycles(engine, params, FERMAT_4, short),
    }
