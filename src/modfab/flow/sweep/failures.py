# SPDX-License-Identifier: Apache-2.0
"""Points of sweeps that failed: reason and log, until they are measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from modfab.errors import UsageError
from modfab.folders import replace_text
from modfab.paths import data_dir


@dataclass(frozen=True, slots=True)
class Failure:
    """A point that failed.

    Attributes:
        title: The point, for people.
        text: Digest of the RTL; with another one the point is tried again.
        reason: One or two sentences.
        log: End of the tool's log; empty when there is none.
        host: Where.
    """

    title: str
    text: str
    reason: str
    log: str = ""
    host: str = ""


class Failures:
    """A file for each failed point; written whole or not at all."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_dir() / "sweep-failures"

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def keep(self, key: str, failure: Failure) -> Path:
        """Keep a failure; returns its file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        replace_text(self._path(key), json.dumps(asdict(failure), indent=1) + "\n")
        return self._path(key)

    def forget(self, key: str) -> None:
        """The point was measured."""
        self._path(key).unlink(missing_ok=True)

    def find(self, key: str, text: str) -> Failure | None:
        """How a point failed with this RTL; None when it did not.

        Raises:
            UsageError: The file cannot be read.
        """
        path = self._path(key)
        if not path.is_file():
            return None
        try:
            data: Mapping[str, str] = json.loads(path.read_text(encoding="utf-8"))
            found = Failure(**data)
        except (ValueError, TypeError) as error:
            raise UsageError(
                f"Expected a failed point of a sweep in {path}, but it cannot be read ({error!r}); "
                "remove it."
            ) from error
        return found if found.text == text else None
