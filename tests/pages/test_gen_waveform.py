# SPDX-License-Identifier: Apache-2.0
"""The waveform in the contract's page is what the RTL does today."""

from __future__ import annotations

from modfab.pages.waveform import draw, record
from modfab.paths import rtl_dir


def test_waveform_is_current() -> None:
    drawn = draw(*record())
    assert (rtl_dir() / "mul" / "waveform.svg").read_text() == drawn, (
        "run `./modfab python -m modfab.pages.waveform`"
    )
