# SPDX-License-Identifier: Apache-2.0
"""The store of measurements: an SQLite database of the user, and its export in `results/`."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from modfab.errors import ToolError, UsageError
from modfab.flow.record import NO_RECORD, Record, record_from_json
from modfab.folders import replace_text
from modfab.paths import data_dir, results_dir

_SCHEMA = """
create table if not exists measurements (
  key      text not null,          -- Request.key
  circuit  text not null,          -- Record.circuit
  tools    text not null,          -- tool versions
  engine   text not null,
  target   text not null,
  num_bits integer not null,
  seed     integer,                -- null for a synthesis
  mhz      real,                   -- null for a synthesis
  date     text not null,
  record   text not null,          -- Record.to_json
  primary key (key, circuit, tools)
)
"""
_FIND = "select record from measurements where key = ? and circuit = ? and tools = ?"
_INSERT = f"insert or replace into measurements values ({','.join('?' * 10)})"


def _tools_text(tools: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(tools.items()))


def _row(record: Record) -> tuple[object, ...]:
    request = record.request
    return (
        *(request.key, record.circuit, _tools_text(record.tools)),
        *(request.engine, request.target, request.num_bits, request.seed, record.mhz),
        *(record.date, record.to_json()),
    )


class Store:
    """Measurements by request. Every change is one transaction: a killed run leaves no half."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or data_dir() / "results.sqlite"

    @contextmanager
    def _connect(self) -> Iterator[sqlite3.Connection]:
        """Open the store to change it; it is made where there is none."""
        with self._opened("rwc") as connection:
            connection.execute(_SCHEMA)
            yield connection

    def _rows(self, query: str, *values: str) -> list[tuple[str, ...]]:
        """What the store has; nothing where there is none. One that may only be read will do."""
        if not self.path.exists() or (self.path.is_file() and not self.path.stat().st_size):
            return []
        # Behind a run that was killed the first reader takes back what it had begun to write.
        with self._opened("rw" if os.access(self.path, os.W_OK) else "ro") as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def _opened(self, mode: str) -> Iterator[sqlite3.Connection]:
        uri = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            if mode == "rwc":
                self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(uri, timeout=60, uri=True)) as connection, connection:
                yield connection
        except (OSError, sqlite3.DatabaseError) as error:
            raise ToolError(
                f"The store of results {self.path} cannot be used ({error}); make it writable, "
                "move it away, or choose another folder with MODFAB_DATA."
            ) from error

    def check_writable(self) -> None:
        """Refuse a store that cannot be written, before a measurement that it is to keep.

        Raises:
            ToolError: It cannot be written; the text says what to do.
        """
        with self._connect() as connection:
            connection.execute("begin immediate")
            connection.execute("create table probe (x)")  # opens the journal beside it
            connection.rollback()

    def add(self, record: Record) -> None:
        """Keep a record; an older one of the same request, circuit and tools is replaced."""
        with self._connect() as connection:
            connection.execute(_INSERT, _row(record))

    def replace(self, old: Record, new: Record) -> None:
        """Keep a record instead of another one, if that is still there.

        Another process may have measured again meanwhile: what it has stored, for the old circuit
        or for the new one, stays.
        """
        places = [
            (record.request.key, record.circuit, _tools_text(record.tools)) for record in (old, new)
        ]
        with self._connect() as connection:
            connection.execute("begin immediate")
            there = [
                [self._read(place[0], *row) for row in connection.execute(_FIND, place)]
                for place in dict.fromkeys(places)
            ]
            if there[0] != [old]:
                return
            connection.execute(
                "delete from measurements where key = ? and circuit = ? and tools = ?", places[0]
            )
            if all(found.date <= new.date for found in there[-1]):
                connection.execute(_INSERT, _row(new))

    def _read(self, key: str, text: str) -> Record:
        try:
            return record_from_json(text)
        except NO_RECORD as error:
            raise ToolError(
                f"The store of results {self.path} has something under the key {key} that is no "
                f"measurement ({error!r}); delete that row of the table measurements with an "
                "SQLite tool, or move the file away."
            ) from error

    def find(self, key: str, circuit: str, tools: dict[str, str]) -> Record | None:
        """The record of that request, circuit and tools, when it is not stale."""
        rows = self._rows(_FIND, key, circuit, _tools_text(tools))
        found = self._read(key, *rows[0]) if rows else None
        return None if found is None or found.stale else found

    def records(self) -> list[Record]:
        """Every record, the newest of each request last."""
        rows = self._rows("select key, record from measurements order by date, key")
        return [self._read(*row) for row in rows]


def newest(records: Iterable[Record]) -> list[Record]:
    """The newest record of each request, in the order of the export; a stale one only alone."""
    latest: dict[str, Record] = {}
    for record in records:
        known = latest.get(record.request.key)
        if known is None or _rank(known) <= _rank(record):
            latest[record.request.key] = record
    return sorted(latest.values(), key=_order)


def known_records() -> list[Record]:
    """The committed measurements and the user's own, the newest of each request."""
    return newest([*read_folder(results_dir()), *Store().records()])


def _rank(record: Record) -> tuple[bool, str]:
    return not record.stale, record.date


def _order(record: Record) -> tuple[object, ...]:
    request = record.request
    params = tuple(sorted(request.params.items()))
    seed = -1 if request.seed is None else request.seed
    return (request.level, request.num_bits, params, request.target, seed, request.key)


def read_folder(folder: Path) -> list[Record]:
    """Every record of the `*.jsonl` files of a folder.

    Raises:
        UsageError: A line is not a record; the text names file and line.
    """
    records = []
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            try:
                records.append(record_from_json(line))
            except NO_RECORD as error:
                raise UsageError(
                    f"Line {number} of {path} is not a stored measurement ({error!r}); export the "
                    "store again with `modfab results export`."
                ) from error
    return records


def export(records: Iterable[Record], folder: Path) -> list[Path]:
    """Write one sorted file per engine; what a file already holds stays unless it is older.

    Args:
        records: What to export; files of other engines are left alone.
        folder: Created when missing.

    Returns:
        The files that changed.
    """
    added = list(records)
    engines = {record.request.engine for record in added}
    merged = newest([*read_folder(folder), *added])
    return write_folder([one for one in merged if one.request.engine in engines], folder)


def write_folder(merged: Sequence[Record], folder: Path) -> list[Path]:
    """Write one file per engine that has a record; its records keep their order.

    Returns:
        The files that changed; the others are not touched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for engine in sorted({record.request.engine for record in merged}):
        lines = [record.to_json() for record in merged if record.request.engine == engine]
        path, text = folder / f"{engine}.jsonl", "\n".join(lines) + "\n"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            replace_text(path, text)
            paths.append(path)
    return paths
