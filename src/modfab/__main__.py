# SPDX-License-Identifier: Apache-2.0
"""`python -m modfab` is the `modfab` command."""

import signal
import sys
from typing import NoReturn

from modfab.errors import MACHINE


def main() -> NoReturn:
    """Run the command; where a package that it stands on is missing, say so."""
    try:
        from modfab.cli.main import app_entry
    except KeyboardInterrupt:  # while the modules are read
        sys.exit(128 + signal.SIGINT)
    except ModuleNotFoundError as error:
        print(
            f"modfab: The command needs the Python package {error.name}, which is not installed; "
            "run the ./modfab launcher, or `pip install modfab` with its dependencies.",
            file=sys.stderr,
        )
        sys.exit(MACHINE)
    app_entry()


if __name__ == "__main__":
    main()
