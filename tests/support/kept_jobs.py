# SPDX-License-Identifier: Apache-2.0
"""A tool of the flow that ran on the same files before is not run again: what it left is kept."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zipfile
from pathlib import Path

from modfab.flow.tools import Job, Progress, run_job, silent
from modfab.sim.cache import publish
from tests.support.answers import content_of, folder, kept

_SECONDS = "seconds.json"
"""Beside the files in an archive: what the run took."""


def _contents(place: Path) -> dict[Path, str]:
    """Digest of every file in a folder, by its name there."""
    files = [path for path in place.rglob("*") if path.is_file()]
    return {path.relative_to(place): content_of(path) for path in files}


def kept_job(job: Job, progress: Progress = silent) -> float:
    """As `run_job`, for a tool that reads the files in its folder and its own, and no others."""
    job.log_path.unlink(missing_ok=True)  # as `run_job` does: that of an earlier run is none
    tool, before = job.tool, _contents(job.folder)
    files = sorted((str(name), digest) for name, digest in before.items())
    question = [tool.name, tool.version, *job.arguments, job.print_path.name, files]
    key = f"{hashlib.sha256(json.dumps(question).encode()).hexdigest()}.zip"
    known = kept(key)
    if known is not None:
        return _again(job, known, progress)
    seconds = run_job(job, progress)
    changed = [name for name, text in _contents(job.folder).items() if before.get(name) != text]
    with tempfile.TemporaryDirectory() as name:
        made, told = Path(name, key), Path(name, _SECONDS)
        told.write_text(json.dumps(seconds))
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(told, _SECONDS)
            for file in changed:
                archive.write(job.folder / file, f"left/{file}")
        publish(made, folder() / key)
    return seconds


def _again(job: Job, known: Path, progress: Progress) -> float:
    """Put what a run has left into the folder, and tell of it as the run did."""
    progress(f"{job.what} ...")
    with tempfile.TemporaryDirectory() as name:
        with zipfile.ZipFile(known) as archive:
            archive.extractall(name)
        seconds = float(json.loads(Path(name, _SECONDS).read_text()))
        shutil.copytree(Path(name, "left"), job.folder, dirs_exist_ok=True)
    progress(f"{job.what}: {seconds:.0f} s")
    return seconds
