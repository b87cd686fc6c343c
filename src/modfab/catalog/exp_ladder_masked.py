# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the Montgomery ladder with masked slot numbers."""

from __future__ import annotations

from modfab.catalog.descriptor import Sequencer
from modfab.filelists import listed_files
from modfab.models.exp_ladder_masked import PLACES, RESULT, START_CYCLES, commands

SEQUENCER = Sequencer(
    name="ladder_masked",
    sequencer_id=5,
    title="Montgomery ladder with masked slot numbers, for RSA cores with address_blinding",
    top="mf_exp_ladder_masked",
    files=listed_files("exp/mf_exp_ladder_masked.f"),
    commands=commands,
    num_slots=RESULT + PLACES,
    constant=True,
    masked=True,
    start_cycles=START_CYCLES,
)
