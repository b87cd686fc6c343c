# SPDX-License-Identifier: Apache-2.0
"""Catalogue entry of right-to-left exponentiation."""

from __future__ import annotations

from modfab.catalog.descriptor import Sequencer
from modfab.filelists import listed_files
from modfab.models.exp_r2l import commands

SEQUENCER = Sequencer(
    name="r2l",
    sequencer_id=3,
    title="right-to-left, multiply and square for every bit, side by side on two lanes",
    top="mf_exp_r2l",
    files=listed_files("exp/mf_exp_r2l.f"),
    commands=commands,
    num_slots=8,
    constant=True,
)
