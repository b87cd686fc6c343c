# SPDX-License-Identifier: Apache-2.0
"""A daemon in a thread: what goes wrong beside it does not hide that a device keeps its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from modfab.errors import DeviceError, NotWipedError, ToolError
from modfab.serve.background import background_daemon
from tests.support.daemon import QUICK, PythonUnit, key_folder, shared_short_key


class Stuck(PythonUnit):
    def close(self) -> None:
        raise DeviceError("It is gone.")


def test_an_error_does_not_hide_that_a_device_keeps_its_key(tmp_path: Path) -> None:
    keys = key_folder(tmp_path / "keys", web=shared_short_key())
    with (
        pytest.raises(NotWipedError, match=r"^openssl failed\. Not zeroized, and may still hold"),
        background_daemon(tmp_path / "socket", keys, [Stuck], QUICK),
    ):
        raise ToolError("openssl failed.")
