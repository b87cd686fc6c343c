# SPDX-License-Identifier: Apache-2.0
"""Many files in one start: their names, where results go, one key load, a farm of cores."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from modfab.build.farm import MAX_CORES
from modfab.cli.core_run import CoreChoice, Cost, core_fields
from modfab.cli.files import STANDARD, check_output, input_name, open_input, write_output
from modfab.errors import DeviceError, MachineError, ModfabError, UsageError
from modfab.host.batch import Job
from modfab.host.core_key import ModExp

Inputs = Annotated[
    list[Path] | None,
    typer.Option("--in", help="Input file; - is standard input, as it is without this option."),
]
MoreFiles = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILE]...", help="More inputs after --in, each with a result in --out-dir."
    ),
]
OutDir = Annotated[
    Path | None,
    typer.Option("--out-dir", help="Folder for the results of many files; made if need be."),
]
FilesFrom = Annotated[
    Path | None,
    typer.Option("--files-from", help="Names of inputs, one a line; - is standard input."),
]
Cores = Annotated[
    int,
    typer.Option(min=1, max=MAX_CORES, help="RSA cores that work on many files: a simulated farm."),
]
_MAX_NAMES_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Many:
    """The inputs, and what was asked of many files; `cores` is for private operations."""

    inputs: list[Path] = field(default_factory=list)
    more: list[Path] = field(default_factory=list)
    out_dir: Path | None = None
    files_from: Path | None = None
    cores: int = 1

    @property
    def input_path(self) -> Path:
        """The only input, where this is not about many files."""
        return self.inputs[0] if self.inputs else STANDARD

    @property
    def asked(self) -> bool:
        """Whether this is about many files at all."""
        named = self.out_dir is not None or self.files_from is not None
        return bool(self.more) or named or len(self.inputs) > 1


def public_many(
    inputs: Inputs = None,
    more: MoreFiles = None,
    out_dir: OutDir = None,
    files_from: FilesFrom = None,
) -> Many:
    """The options of many files."""
    return Many(inputs or [], more or [], out_dir, files_from)


def private_many(
    inputs: Inputs = None,
    more: MoreFiles = None,
    out_dir: OutDir = None,
    files_from: FilesFrom = None,
    cores: Cores = 1,
) -> Many:
    """The options of many files, with a farm.

    Raises:
        UsageError: A farm for a single file.
    """
    many = Many(inputs or [], more or [], out_dir, files_from, cores)
    if cores > 1 and not many.asked:
        raise UsageError(
            f"{cores} cores work on many files at a time, but only one was named; name more after "
            "--in, or leave --cores out."
        )
    return many


@dataclass(frozen=True, slots=True)
class FilePair:
    """An input and the file that its result goes to."""

    source: Path
    target: Path


def pairs_of(many: Many, output_path: Path, suffix: str, others: dict[str, Path]) -> list[FilePair]:
    """The inputs with their outputs, once all of them have been seen to be usable.

    Args:
        many: What was asked.
        output_path: What `--out` names.
        suffix: Of the results' names.
        others: Files beside the inputs that must survive, by the option that names them.

    Raises:
        UsageError: An input cannot be read, two results would be one file, or a result would
            replace an input or another file that was read.
    """
    if many.out_dir is None:
        raise UsageError(
            "Many files need a folder for their results, but none was named; add --out-dir FOLDER."
        )
    if output_path != STANDARD:
        raise UsageError(
            "--out names one file and --out-dir a folder for many; leave one of them out."
        )
    sources = [*many.inputs, *many.more]
    sources += _names(many.files_from) if many.files_from else []
    if not sources or STANDARD in sources:
        raise UsageError(
            "Expected the names of files after --in or in --files-from, but there is none, or one "
            "is -; name the files."
        )
    pairs = [FilePair(path, many.out_dir / f"{path.name}{suffix}") for path in sources]
    _check_distinct(pairs)
    for path in sources:
        _check_readable(path)
    _check_folder(many.out_dir)
    if many.out_dir.exists():
        keep = others | {f"the input {path}": path for path in sources}
        if many.files_from is not None:
            keep["--files-from"] = many.files_from
        for pair in pairs:
            check_output(pair.target, keep)
    return pairs


def _check_readable(path: Path) -> None:
    """Refuse what cannot be read. A pipe gives its bytes once, so it is not tried."""
    if path.is_file() or path.is_dir() or not path.exists():
        with open_input(path) as file:
            file.read(1)


def _names(path: Path) -> list[Path]:
    """Names from a file: one a line, or ended by zero bytes as `find -print0` writes them."""
    with open_input(path) as file:
        data = file.read(_MAX_NAMES_BYTES + 1)
    if len(data) > _MAX_NAMES_BYTES:
        raise UsageError(
            f"Expected at most {_MAX_NAMES_BYTES} bytes of names from {input_name(path)}, but "
            "there are more; split them over several commands."
        )
    end = b"\0" if b"\0" in data else b"\n"
    return [Path(name.decode(errors="surrogateescape")) for name in data.split(end) if name]


def _check_distinct(pairs: Sequence[FilePair]) -> None:
    seen: dict[Path, Path] = {}
    for pair in pairs:
        if pair.target in seen:
            raise UsageError(
                f"{seen[pair.target]} and {pair.source} would both give {pair.target}; name each "
                "file once, and files of the same name in two runs with two folders."
            )
        seen[pair.target] = pair.source


def _check_folder(folder: Path) -> None:
    """Refuse a folder that cannot be made; it is made with the first result."""
    if folder.is_dir():
        return
    parent = folder.absolute().parent
    if folder.exists() or not parent.is_dir() or not os.access(parent, os.W_OK):
        raise UsageError(
            f"The folder {folder} cannot be made: it is a file, or what it would be in does not "
            "exist or is not writable; name another after --out-dir."
        )


@contextmanager
def file_bar(title: str, total: int) -> Iterator[Callable[[int, int | None], None]]:
    """Files done and time left, on standard error when that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """How one file ended: `error` and `code` are those of a file that failed."""

    source: str
    target: str
    error: str | None = None
    code: int = 0


def file_job(
    pair: FilePair, make: Callable[[Path, ModExp], bytes], *, secret: bool
) -> Job[FileOutcome]:
    """Make and write the result of one file; what is wrong with one file leaves the others alone.

    Errors of the core and of the machine are raised: the next file would have the same.
    """

    def job(modexp: ModExp) -> FileOutcome:
        names = input_name(pair.source), str(pair.target)
        try:
            result = make(pair.source, modexp)
            _make_folder(pair.target.parent)
            write_output(pair.target, result, secret=secret)
        except (DeviceError, MachineError):
            raise
        except ModfabError as error:
            return FileOutcome(*names, str(error), error.exit_code)
        return FileOutcome(*names)

    return job


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise MachineError(
            f"The folder {folder} cannot be made ({error.strerror}); name another after --out-dir."
        ) from None


def print_outcomes(
    verb: str,
    outcomes: Sequence[FileOutcome],
    fields: dict[str, object],
    choice: CoreChoice,
    cost: Cost,
    *,
    as_json: bool,
) -> None:
    """Say how every file ended; the exit code is the highest of those that failed.

    Args:
        verb: Such as `Signed`.
        outcomes: Of the files.
        fields: What the JSON object says beside them, the core and the cost.
        choice, cost: The core, and what all files cost.
        as_json: For machines.
    """
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        print(f"modfab: {outcome.source}: {outcome.error}", file=sys.stderr)
    if as_json:
        files = {"files": [asdict(outcome) for outcome in outcomes]}
        print(json.dumps(fields | files | core_fields(choice, cost)))
    else:
        good = len(outcomes) - len(failed)
        print(
            f"{verb} {good} of {len(outcomes)} files ({cost.work_cycles:,} cycles of {cost.core}, "
            f"{cost.seconds / len(outcomes):.2f} s a file on device {choice.device})"
        )
    if failed:
        raise typer.Exit(max(outcome.code for outcome in failed))
