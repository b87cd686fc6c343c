# SPDX-License-Identifier: Apache-2.0
"""`modfab simlib`: a simulated core as a shared library, for the C drivers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from modfab.build.named import named_core
from modfab.cli.build_cmd import CoreName, RsaTexts
from modfab.cli.design import sequencer_of
from modfab.cli.files import STANDARD, check_output, write_output
from modfab.cli.options import RSA_EXAMPLE, EngineName, NumBits, ParamTexts, parse_params
from modfab.errors import UsageError
from modfab.sim.core import bus_design
from modfab.sim.verilate import build


def simlib_command(
    engine: EngineName,
    bits: NumBits,
    output_path: Annotated[Path, typer.Option("-o", "--out", help="The library.")],
    param: ParamTexts = None,
    sequencer: Annotated[
        str | None, typer.Option("--sequencer", "--seq", help="Sequencer; ladder.")
    ] = None,
    exp_bits: Annotated[
        int | None, typer.Option("--exp-bits", help="Exponent bits; as many as --bits.")
    ] = None,
    core: CoreName = "rsa",
    rsa: RsaTexts = None,
) -> None:
    """Compile a core's RTL into a shared library, which `sw/c/modfab_linux.h` opens as a device.

    Example: modfab simlib --engine sos --bits 2048 -o libmodfab_sim.so
    """
    options = parse_params(param), parse_params(rsa, RSA_EXAMPLE)
    walked = sequencer_of(sequencer, core, options[1])
    built = named_core(core, engine, bits, options[0], walked, exp_bits, options[1])
    check_output(output_path, {})
    if output_path == STANDARD or (output_path.exists() and not output_path.is_file()):
        raise UsageError(
            f"Expected a file after --out, but {output_path} is none; a library is loaded from its "
            "file, so name one."
        )
    write_output(output_path, build(bus_design(built)).read_bytes(), secret=False)
    print(f"{output_path}: {core} with {engine}; open it as sim:{output_path.resolve()}.")
