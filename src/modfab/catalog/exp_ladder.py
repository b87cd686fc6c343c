# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of the Montgomery ladder."""

from __future__ import annotations

from modfab.catalog.descriptor import Sequencer
from modfab.filelists import listed_files
from modfab.models.exp_ladder import commands

SEQUENCER = Sequencer(
    name="ladder",
    sequencer_id=1,
    title="Montgomery ladder, the same products for every exponent of a length",
    top="mf_exp_ladder",
    files=listed_files("exp/mf_exp_ladder.f"),
    commands=commands,
    num_slots=7,
    constant=True,
)
