# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of left-to-right binary exponentiation."""

from __future__ import annotations

from modfab.catalog.descriptor import Sequencer
from modfab.filelists import listed_files
from modfab.models.exp_l2r import commands

SEQUENCER = Sequencer(
    name="l2r",
    sequencer_id=2,
    title="left-to-right binary, for public exponents",
    top="mf_exp_l2r",
    files=listed_files("exp/mf_exp_l2r.f"),
    commands=commands,
    num_slots=7,
    constant=False,
)
