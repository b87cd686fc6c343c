# SPDX-License-Identifier: Apache-2.0
"""`python -m modfab` is the `modfab` command."""

import signal
import sys

try:
    from modfab.cli.main import app_entry
except KeyboardInterrupt:  # while the modules are read
    sys.exit(128 + signal.SIGINT)

app_entry()
