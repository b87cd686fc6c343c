# SPDX-License-Identifier: Apache-2.0
"""`modfab mul` and `modfab powmod`: one product, one exponentiation."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from modfab.catalog import get_engine, get_sequencer
from modfab.cli.core_run import DeviceOption
from modfab.cli.options import (
    AsJson,
    EngineName,
    Number,
    NumBits,
    ParamTexts,
    parse_number,
    parse_params,
)
from modfab.cli.progress import cycle_bar
from modfab.errors import OperandError
from modfab.host.device import check_modulus
from modfab.host.open import open_device
from modfab.models.engine import SLOT_FREE, SLOT_MOD, Command, Op
from modfab.models.generated.status import Status
from modfab.numbers import from_words, to_words, words_of
from modfab.sim.engine import RtlEngine

Typed = Annotated[str, typer.Option(metavar="NUMBER", help="Decimal, or hexadecimal with 0x.")]

ExpBits = Annotated[
    int | None,
    typer.Option(
        "--exp-bits",
        help="Exponent bits to process; default: --bits, more for a longer exponent; with l2r, "
        "which shows it anyway, its length.",
    ),
]


def mul_command(
    engine: EngineName,
    bits: NumBits,
    mod: Typed,
    a: Typed,
    b: Typed,
    param: ParamTexts = None,
    as_json: AsJson = False,
) -> None:
    """One Montgomery product a * b * 2^-r_bits mod M on the simulated RTL of an engine.

    Example: modfab mul --engine bit_serial --bits 64 --mod 197 --a 0x12 --b 52
    """
    entry = get_engine(engine)
    params = entry.resolve(bits, parse_params(param))
    read = [parse_number(text, what) for text, what in ((mod, "--mod"), (a, "--a"), (b, "--b"))]
    modulus, *factors = (number.value for number in read)
    check_modulus(modulus, bits)
    if max(factors) >= modulus:
        raise OperandError("Both factors must be below the modulus; reduce them first.")
    rtl = RtlEngine(entry, params)
    try:
        result, cycles = _product(rtl, modulus, factors)
    finally:
        rtl.close()
    r_bits = entry.r_bits(params)
    if as_json:
        print(json.dumps({"result": hex(result), "r_bits": r_bits, "cycles": cycles}))
    else:
        print(f"0x{result:x}  (a * b * 2^-{r_bits} mod M in {cycles:,} cycles of {engine})")
        print(_as_read(read))


def _as_read(read: list[Number]) -> str:
    return "read: " + "; ".join(number.text for number in read)


def _product(rtl: RtlEngine, modulus: int, factors: list[int]) -> tuple[int, int]:
    num_words = words_of(rtl.params["NumBits"])
    slots = (SLOT_FREE, SLOT_FREE + 1)
    load = Command(Op.LOAD, dst0=SLOT_MOD, words=tuple(to_words(modulus, num_words)))
    status = rtl.run_all([load, Command(Op.SETUP)]).status
    if status is not Status.OK:
        raise OperandError(status.sentence)  # the modulus was typed
    loads = [
        Command(Op.LOAD, dst0=slot, words=tuple(to_words(value, num_words)))
        for slot, value in zip(slots, factors, strict=True)
    ]
    product = Command(Op.MUL, dst0=slots[0], a0=slots[0], b=slots[1])
    run = rtl.run_all([*loads, product, Command(Op.STORE, a0=slots[0])])
    return from_words(run.results[-1].words), run.results[-2].cycles


def powmod_command(
    engine: EngineName,
    bits: NumBits,
    mod: Typed,
    base: Typed,
    exp: Typed,
    seq: Annotated[
        str,
        typer.Option("--sequencer", "--seq", help="Sequencer; all but l2r are constant in cycles."),
    ] = "ladder",
    exp_bits: ExpBits = None,
    device: DeviceOption = "sim",
    param: ParamTexts = None,
    as_json: AsJson = False,
) -> None:
    """base^exp mod M on a core: engine, sequencer and AXI4-Lite registers.

    Example: modfab powmod --engine bit_serial --bits 64 --mod 197 --base 12 --exp 65537 --seq l2r
    """
    words = (mod, "--mod"), (base, "--base"), (exp, "--exp")
    read = [parse_number(text, what) for text, what in words]
    modulus, number, exponent = (typed.value for typed in read)
    window = max(bits, exp_bits or exponent.bit_length())
    if exp_bits is None and not get_sequencer(seq).constant:
        exp_bits = exponent.bit_length()
    check_modulus(modulus, bits)
    if number >= modulus:
        raise OperandError(Status.OPERAND.sentence)
    with (
        open_device(device, engine, bits, seq, parse_params(param), window) as core,
        cycle_bar(f"{bits}-bit exponentiation") as progress,
    ):
        result = core.powmod(number, exponent, modulus, exp_bits=exp_bits, progress=progress)
    if as_json:
        record = {"result": hex(result.value), "cycles": result.exp_cycles}
        print(json.dumps({**record, "setup_cycles": result.setup_cycles}))
    else:
        print(
            f"0x{result.value:x}  ({result.exp_cycles:,} cycles of {engine} with {seq}, "
            f"set-up {result.setup_cycles:,})"
        )
        print(_as_read(read))
