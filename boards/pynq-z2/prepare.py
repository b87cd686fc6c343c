# SPDX-License-Identifier: Apache-2.0
"""Write the configuration and the source list that build.tcl reads.

Usage: python boards/pynq-z2/prepare.py --out DIR [--core rsa] [--engine E] [--bits N] [--seq S]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from modfab.build.compose import compose
from modfab.build.core import ModexpCore, modexp_core, write_texts
from modfab.build.rsa import RsaCore, half_of, rsa_core
from modfab.catalog import get_engine
from modfab.errors import ModfabError
from modfab.flow.targets import get_target
from modfab.paths import rtl_dir

TOP = "mf_core"
"""The module that mf_pynq_z2 or mf_pynq_z2_rsa instantiates."""


def write_sources(config: ModexpCore | RsaCore, folder: Path) -> list[Path]:
    """Fill a folder with the configuration, `sources.f` and the kind of the core in `core`.

    Args:
        config: Engine, sequencer and widths.
        folder: Made when it does not exist.

    Returns:
        The RTL files, packages first, as `sources.f` lists them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = write_texts(compose(config, True, TOP), folder)
    names = config.files(bus=True)
    files = [*((rtl_dir() / name).resolve() for name in names), *(path.resolve() for path in made)]
    (folder / "sources.f").write_text("".join(f"{path}\n" for path in files))
    (folder / "core").write_text(f"{config.kind}\n")
    return files


def core_of(kind: str, engine: str, num_bits: int, sequencer: str | None) -> ModexpCore | RsaCore:
    """The core; of kind rsa the final design of [LIAO24]: two engines, each for one half (CRT).

    Raises:
        ModfabError: A name or a value is not legal.
    """
    params = get_engine(engine).on_target(get_target("xc7").mul_bits, {})
    if kind == RsaCore.kind:
        return rsa_core(engine, half_of(num_bits), params, sequencer or "window", engines=2)
    return modexp_core(engine, num_bits, params, sequencer or "ladder")


def main(arguments: list[str]) -> int:
    """Command line; 0, or 2 after a sentence on stderr."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--core", choices=(ModexpCore.kind, RsaCore.kind), default=ModexpCore.kind)
    parser.add_argument("--engine", default="bit_serial")
    parser.add_argument("--bits", type=int, default=256, help="of a modulus")
    parser.add_argument("--sequencer", "--seq", dest="seq")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args(arguments)
    try:
        config = core_of(chosen.core, chosen.engine, chosen.bits, chosen.seq)
    except ModfabError as error:
        print(f"prepare.py: {error}", file=sys.stderr)
        return error.exit_code
    files = write_sources(config, chosen.out)
    print(f"{len(files)} files are listed in {chosen.out / 'sources.f'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
