# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the fixed window of five bits."""

from __future__ import annotations

from modfab.catalog.descriptor import Sequencer
from modfab.filelists import listed_files
from modfab.models.exp_window5 import TABLE, WINDOW_BITS, commands

SEQUENCER = Sequencer(
    name="window5",
    sequencer_id=6,
    title="fixed window of 5 bits; second operands are among the first 16 slots",
    top="mf_exp_window5",
    files=listed_files("exp/mf_exp_window5.f"),
    commands=commands,
    num_slots=TABLE + (1 << WINDOW_BITS),
    table_from=TABLE,
    constant=True,
    by_r=True,
)
