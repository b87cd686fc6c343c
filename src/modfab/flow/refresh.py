# SPDX-License-Identifier: Apache-2.0
"""Whether stored figures still belong to the RTL of today: the same circuit, whatever its text."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path

from modfab.build.named import KEYED, kind_of
from modfab.errors import ToolError, UsageError
from modfab.flow.design import digest_of
from modfab.flow.elaborate import elaborate
from modfab.flow.record import Record, Request
from modfab.flow.resolve import command_of, design_of_request
from modfab.flow.store import Store, read_folder, write_folder
from modfab.flow.stored import however_mapped, valid
from modfab.flow.targets import get_target
from modfab.flow.tools import Progress, find_tool, silent

_CHANGED = "the circuit is another one than at revision"


@dataclass(frozen=True)
class Today:
    """One stored design as the RTL builds it today.

    Attributes:
        top: Its module.
        texts: File name -> SystemVerilog.
    """

    top: str
    texts: dict[str, str]

    @cached_property
    def text(self) -> str:
        """Digest of the texts."""
        return digest_of(self.texts)


@dataclass(slots=True)
class Designs:
    """The designs of stored requests, each built once."""

    built: dict[str, Today] = field(default_factory=dict)

    def of(self, request: Request) -> Today:
        """Today's RTL of a request.

        Raises:
            UsageError: There is no such design any more.
        """
        names = ("engine", "sequencer", "level", "params", "exp_bits", "rsa")
        vendor = get_target(request.target).vendor
        words = [vendor, *(value for name, value in asdict(request).items() if name in names)]
        key = json.dumps(words, sort_keys=True)
        if key not in self.built:
            design = design_of_request(request)
            self.built[key] = Today(design.top, design.rtl(vendor))
        return self.built[key]

    def text(self, request: Request) -> str:
        """Digest of today's RTL of a request; empty when there is no such design any more."""
        try:
            return self.of(request).text
        except UsageError:
            return ""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a stored figure is of, and today's verdict on that: as the fields of a `Record`."""

    circuit: str
    text: str
    stale: str


def _unknown(stamp: Stamp, stale: str) -> Stamp:
    """A stamp without a circuit of today; a text of another circuit is not the stored one's."""
    return replace(stamp, text="" if stamp.stale.startswith(_CHANGED) else stamp.text, stale=stale)


def compared(
    stamp: Stamp,
    build: Callable[[], Today],
    revision: str,
    *,
    restamp: bool = False,
    progress: Progress = silent,
) -> Stamp:
    """A stamp with today's verdict.

    Args:
        stamp: A stored one.
        build: Gives today's RTL of the design; raises UsageError when there is none any more.
        revision: At which the figure was measured.
        restamp: Also compute the circuit anew where the text is the same: after a change of Yosys
            or of the fingerprint.
        progress: Told of runs of Yosys and of designs that cannot be elaborated.

    Raises:
        ToolError: Yosys is missing.
    """
    try:
        today = build()
    except UsageError as error:
        return _unknown(stamp, f"its design does not exist any more: {error}")
    same = today.text == stamp.text
    if same and stamp.stale.startswith(_CHANGED):
        return stamp
    if same and not restamp:
        return replace(stamp, stale="")  # its design was gone, and is back
    find_tool("yosys")  # without it nothing is known of the design
    try:
        circuit = elaborate(today.top, today.texts, progress=progress).circuit
    except ToolError as error:
        progress(str(error))
        return _unknown(stamp, "its design cannot be elaborated any more")
    if same or circuit == stamp.circuit:
        return Stamp(circuit, today.text, stale="")
    return replace(stamp, text=today.text, stale=f"{_CHANGED} {revision or 'unknown'}")


def refreshed(
    record: Record, designs: Designs, *, restamp: bool = False, progress: Progress = silent
) -> Record:
    """A record with today's verdict; one whose circuit is not known stays as it is.

    Args:
        record: A stored one.
        designs: Today's.
        restamp, progress: As for `compared`.

    Raises:
        ToolError: Yosys is missing.
    """
    if not record.circuit:
        return record
    stamp = compared(
        Stamp(record.circuit, record.text, record.stale),
        lambda: designs.of(record.request),
        record.revision,
        restamp=restamp,
        progress=progress,
    )
    return replace(record, circuit=stamp.circuit, text=stamp.text, stale=stamp.stale)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a refresh found: how many records it looked at, changed, and found stale."""

    records: int
    changed: int
    stale: int


def _refresh(
    records: Sequence[Record],
    keep: Callable[[int, Record], None],
    restamp: bool,
    progress: Progress,
) -> Outcome:
    designs, changed, stale = Designs(), 0, 0
    for number, record in enumerate(records):
        new = refreshed(record, designs, restamp=restamp, progress=progress)
        stale += bool(new.stale)
        if new != record:
            keep(number, new)
            changed += 1
            request = new.request
            verdict = f"stale, {new.stale}" if new.stale else "the same circuit"
            what = f"{request.engine} {request.level} {request.num_bits} {request.target}"
            progress(f"{number + 1} of {len(records)}: {what}: {verdict}")
    return Outcome(len(records), changed, stale)


def refresh_folder(folder: Path, restamp: bool = False, progress: Progress = silent) -> Outcome:
    """Give every record of the folder's `*.jsonl` today's verdict; each is written at once."""
    records = read_folder(folder)

    def keep(number: int, new: Record) -> None:
        engine = new.request.engine  # its file anew: an export may have come between
        there = [record for record in read_folder(folder) if record.request.engine == engine]
        write_folder([new if record == records[number] else record for record in there], folder)

    return _refresh(records, keep, restamp, progress)


def refresh_store(store: Store, restamp: bool = False, progress: Progress = silent) -> Outcome:
    """Give every record of a user's store today's verdict; each is written at once."""
    records = store.records()

    def keep(number: int, new: Record) -> None:
        store.replace(records[number], new)

    return _refresh(records, keep, restamp, progress)


def outlived(records: Sequence[Record]) -> list[Record]:
    """Stale records that nobody measures again.

    Their design does not exist any more, or a valid record of the same design and target has taken
    their place, a routed one where they were routed; of an RSA core also one with its bus.
    """
    held = valid(records)
    built = {name for record in held for name in _replaces(record.request)}
    routed = {name for r in held if r.request.seed is not None for name in _replaces(r.request)}
    designs = Designs()

    def replaced(request: Request) -> bool:
        return however_mapped(request) in (built if request.seed is None else routed)

    return [
        record
        for record in records
        if record.stale and (replaced(record.request) or not designs.text(record.request))
    ]


def _replaces(request: Request) -> set[str]:
    """Keys, as of `however_mapped`, of what a measurement takes the place of."""
    kind = kind_of(request.level)
    levels = {request.level, kind} if kind in KEYED else {request.level}
    return {however_mapped(replace(request, level=level)) for level in levels}


def prune_folder(folder: Path) -> int:
    """Take the records that are outlived out of the folder's `*.jsonl`; how many these were."""
    records = read_folder(folder)
    gone = outlived(records)
    left = [record for record in records if record not in gone]
    for engine in {record.request.engine for record in gone}:
        kept = [record for record in left if record.request.engine == engine]
        if kept:
            write_folder(kept, folder)
        else:
            (folder / f"{engine}.jsonl").unlink()
    return len(gone)


@dataclass(frozen=True, slots=True)
class Stale:
    """A stale design: one synthesis and its routings.

    Attributes:
        request: Of the synthesis, or of a routing that stands for it.
        reason: Why its figures do not count.
        command: Measures it again; empty when the design does not exist any more.
    """

    request: Request
    reason: str
    command: str


def stale_designs(records: Sequence[Record]) -> list[Stale]:
    """Every stale design of some records, unless a valid record answers the same request."""
    held = {record.request.key for record in valid(records)}
    found = [record for record in records if record.stale and record.request.key not in held]
    routed = {r.request.design_key for r in found if r.request.seed is not None}
    groups: dict[str, list[Record]] = {}
    for record in found:
        request = record.request
        if request.seed is not None or request.design_key not in routed:
            # Of one command: all seeds.
            groups.setdefault(replace(request, seed=None).key, []).append(record)
    return [_stale(group) for group in groups.values()]


def _stale(group: Sequence[Record]) -> Stale:
    first = group[0]
    seeds = [record.request.seed for record in group if record.request.seed is not None]
    try:
        command = command_of(first.request, max(seeds, default=0))
    except UsageError:
        command = ""
    return Stale(first.request, first.stale, command)
