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


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{", b"[]", b"{}", b"1", b"\xff", b"\x00" * 40),
        b'{"first": 0, "count": 2, "models": {"skip": {"runs": "two"}}, "found": []}',
        b'{"first": 0, "count": 2, "models": {"skip": [2]}, "found": []}',
        b'{"first": Infinity, "count": 2, "models": {}, "found": []}',
        b'{"first": 0, "count": 2, "models": {}, "found": [{"run": 0}]}',
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, damage: bytes) -> None:
    journal = Journal(tmp_path, IDENTITY)
    for block in (FIRST, SECOND):
        journal.add(block)
    head, _, second = journal.path.read_bytes().splitlines()
    journal.path.write_bytes(b"\n".join([head, damage, second, b""]))
    with pytest.raises(UsageError, match=r"in line 2 of .*faults\.jsonl, but it is damaged"):
        Journal(tmp_path, IDENTITY)
    journal.path.write_bytes(b"\n".join([head, second, b""]))
    assert Journal(tmp_path, IDENTITY).blocks == [SECOND], "as the text advises"
