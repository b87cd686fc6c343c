# SPDX-License-Identifier: Apache-2.0
"""`python -m modfab` is the `modfab` command."""

from modfab.cli.main import app_entry

app_entry()
