# SPDX-License-Identifier: Apache-2.0
"""Write the configuration and the source list that build.tcl reads.

Usage: python boards/pynq-z2/prepare.py --out build/pynq-z2 [--engine E] [--bits N] [--seq S]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from modfab.build.compose import compose
from modfab.build.core import ModexpCore, modexp_core, write_texts
from modfab.errors import ModfabError
from modfab.paths import rtl_dir

TOP = "mf_core"
"""The module that mf_pynq_z2 instantiates."""


def write_sources(config: ModexpCore, folder: Path) -> list[Path]:
    """Fill a folder with the configuration and `sources.f`.

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
    return files


def main(arguments: list[str]) -> int:
    """Command line; 0, or 2 after a sentence on stderr."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="bit_serial")
    parser.add_argument("--bits", type=int, default=256)
    parser.add_argument("--sequencer", "--seq", dest="seq", default="ladder")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args(arguments)
    try:
        config = modexp_core(chosen.engine, chosen.bits, None, chosen.seq)
    except ModfabError as error:
        print(f"prepare.py: {error}", file=sys.stderr)
        return error.exit_code
    files = write_sources(config, chosen.out)
    print(f"{len(files)} files are listed in {chosen.out / 'sources.f'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
