# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the fixed window."""

from __future__ import annotations

from modfab.catalog.descriptor import Sequencer
from modfab.filelists import listed_files
from modfab.models.exp_window import TABLE, WINDOW_BITS, commands

SEQUENCER = Sequencer(
    name="window",
    sequencer_id=4,
    title="fixed window of 4 bits, the same products for every exponent of a length",
    top="mf_exp_window",
    files=listed_files("exp/mf_exp_window.f"),
    commands=commands,
    num_slots=TABLE + (1 << WINDOW_BITS),
    constant=True,
    by_r=True,
)
