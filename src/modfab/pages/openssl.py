# SPDX-License-Identifier: Apache-2.0
"""OpenSSL's RSA on the machine at hand, for the table of devices.

`python -m modfab.pages.openssl` runs `openssl speed` and writes results/openssl.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from modfab.pages.run import run
from modfab.report.others import measure_openssl, openssl_file


def write() -> Sequence[Path]:
    """Measure, and keep it."""
    text = measure_openssl()
    openssl_file().write_text(text, encoding="utf-8")
    return (openssl_file(),)


if __name__ == "__main__":
    run(
        "modfab.pages.openssl",
        "Run `openssl speed` for RSA on one core of this machine and keep it in results/.",
        write,
    )
