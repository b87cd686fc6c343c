# SPDX-License-Identifier: Apache-2.0
"""`python -m modfab.site DIR` writes the documentation as a static site."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from modfab.errors import ModfabError
from modfab.site.build import build_site


def main() -> None:
    """Write the site to the folder that is named."""
    parser = argparse.ArgumentParser(
        prog="python -m modfab.site", description="Write the documentation as a static site."
    )
    parser.add_argument("folder", type=Path, help="for example build/site")
    folder = parser.parse_args().folder
    try:
        number = build_site(folder)
    except ModfabError as error:
        print(f"modfab: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    print(f"{number} pages in {folder}; open {folder / 'index.html'}.")


if __name__ == "__main__":
    main()
