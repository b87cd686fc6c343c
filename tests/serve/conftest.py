# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the daemon's tests: a folder of keys, a path for the socket."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.daemon import key_folder, shared_short_key


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A folder with one key, `web`."""
    return key_folder(tmp_path / "keys", web=shared_short_key(512))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of the socket."""
    return tmp_path / "s"
