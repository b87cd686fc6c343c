# SPDX-License-Identifier: Apache-2.0
"""The blocks of a campaign that was killed while it wrote one."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.assess.campaign import Block, Found, Journal
from modfab.errors import UsageError

IDENTITY = {"core": {"engine": "sos"}, "seed": 1}
FIRST = Block(0, 2, {"skip": {"runs": 2, "detected": 2}}, [])
SECOND = Block(2, 1, {"skip": {"runs": 1, "wrong": 1}}, [Found(2, "skip", "wrong", "pc_q")])


def test_it_goes_on_wherever_it_was_cut(tmp_path: Path) -> None:
    journal = Journal(tmp_path, IDENTITY)
    journal.add(FIRST)
    whole = journal.path.read_text()
    journal.add(SECOND)
    text = journal.path.read_text()
    for length in range(len(whole), len(text)):
        journal.path.write_text(text[:length])
        again = Journal(tmp_path, IDENTITY)
        assert again.blocks == [FIRST], text[:length]
        again.add(SECOND)
        assert Journal(tmp_path, IDENTITY).blocks == [FIRST, SECOND], text[:length]


def test_a_head_that_was_cut_is_none(tmp_path: Path) -> None:
    path = Journal(tmp_path, IDENTITY).path
    path.write_text(path.read_text()[:9])
    Journal(tmp_path, IDENTITY).add(FIRST)
    assert Journal(tmp_path, IDENTITY).blocks == [FIRST]
    with pytest.raises(UsageError, match="another build, seed, RTL or set of models"):
        Journal(tmp_path, IDENTITY | {"seed": 2})
