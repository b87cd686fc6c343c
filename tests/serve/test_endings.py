# SPDX-License-Identifier: Apache-2.0
"""What the daemon says of its devices at its end: zeroized, or which one may still hold a key."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import count
from pathlib import Path

import pytest

from modfab.cli.serve_cmd import serve
from modfab.errors import DeviceError, UsageError
from modfab.serve.client import Client
from modfab.serve.listener import Listener
from modfab.serve.workers import Limits
from tests.support.daemon import (
    QUICK,
    PythonUnit,
    daemon,
    may_hold_a_key,
    start_process,
    wait_for,
)

SHORT = Limits(tries=1, job_s=0.3, pause_s=0.001)


class Device(PythonUnit):
    """Its first closings fail; some calls are wrong, or fail. Call 0 warms it."""

    def __init__(
        self, failing_closings: int, wrong: tuple[int, ...] = (), failing: tuple[int, ...] = ()
    ) -> None:
        super().__init__(self.change)
        self._failing_closings, self._wrong, self._failing = failing_closings, wrong, failing
        self._calls = count()

    def change(self, base: int) -> int:
        call = next(self._calls)
        if call in self._failing:
            raise DeviceError("The core is gone.")
        return base ^ (call in self._wrong)

    def close(self) -> None:
        super().close()
        if self.closed <= self._failing_closings:
            raise DeviceError("The core is busy.")


class Hanging(PythonUnit):
    """Each device hangs in the first call after the warming, until it is released."""

    def __init__(self, release: threading.Event) -> None:
        super().__init__(self.wait)
        self._release, self._calls = release, count()

    def wait(self, base: int) -> int:
        if next(self._calls) == 1:
            self._release.wait()
        return base


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Set at the end of a test, so that no thread is left behind."""
    event = threading.Event()
    yield event
    event.set()


def test_the_device_is_named(path: Path, keys: Path) -> None:
    openers = (PythonUnit, lambda: Device(1), PythonUnit)
    with may_hold_a_key(2), daemon(path, keys, *openers) as client:
        assert client.keys() == ["web"]


def test_the_path_is_free_only_after_the_wipe(path: Path, keys: Path) -> None:
    """Another daemon, which would open the same devices, does not start before."""
    refused: list[str] = []

    class Watched(PythonUnit):
        def close(self) -> None:
            super().close()
            with pytest.raises(UsageError) as error:
                Listener(path)
            refused.append(str(error.value))

    with daemon(path, keys, Watched):
        pass
    assert len(refused) == 1
    assert "is starting or stopping there" in refused[0]
    with daemon(path, keys) as client:
        assert client.keys() == ["web"]


def test_a_later_wipe_counts(path: Path, keys: Path) -> None:
    device = Device(1, wrong=(1,))
    with daemon(path, keys, lambda: device) as client:
        assert client.private("web", 5).value
    assert device.closed == 2


def test_closing_what_never_opened_again_is_no_wipe(path: Path, keys: Path) -> None:
    device = Device(1, wrong=(1,), failing=(2, 3, 4))
    with may_hold_a_key(1), daemon(path, keys, lambda: device) as client:
        with pytest.raises(DeviceError, match="after 4 tries"):
            client.private("web", 5)
        wait_for(lambda: device.closed == QUICK.tries)


def test_a_device_that_hangs_for_good(path: Path, keys: Path, release: threading.Event) -> None:
    """Its worker was replaced, and the replacement had nothing to wipe."""
    unit = Hanging(release)
    with may_hold_a_key(1), daemon(path, keys, lambda: unit, limits=SHORT) as client:
        with pytest.raises(DeviceError, match="did not answer in time"):
            client.private("web", 5)
        assert client.keys() == ["web"]
    assert unit.closed == 0


@pytest.mark.parametrize("used", [True, False], ids=["used_again", "not_used_again"])
def test_a_device_that_hung_and_could_not_be_closed(
    path: Path, keys: Path, release: threading.Event, used: bool
) -> None:
    """A wipe by the worker after the one that hung counts."""

    class Stuck(Hanging):
        def close(self) -> None:
            super().close()
            raise DeviceError("The core is busy.")

    first, openings = Stuck(release), count()

    def opener() -> PythonUnit:
        return first if next(openings) == 0 else PythonUnit()

    end = nullcontext() if used else may_hold_a_key(1)
    with end, daemon(path, keys, opener, limits=SHORT) as client:
        with pytest.raises(DeviceError, match="did not answer in time"):
            client.private("web", 5)
        release.set()
        wait_for(lambda: first.closed == 1)
        if used:
            assert client.private("web", 5).value


def test_a_daemon_that_does_not_start(path: Path, keys: Path) -> None:
    """The first device has a key when the second one turns out to be broken."""
    text = r"wrong result for the first key; .* Not zeroized, .* hold a key: device 1, "
    with (
        pytest.raises(DeviceError, match=text),
        daemon(path, keys, lambda: Device(1), lambda: Device(0, wrong=(0,))),
    ):
        pytest.fail("it started")


@pytest.mark.parametrize("failing_closings", [0, 1])
def test_the_command_tells_the_truth(
    path: Path, keys: Path, capsys: pytest.CaptureFixture[str], failing_closings: int
) -> None:
    def stop_it() -> None:
        Client(path, patience_s=60).private("web", 5)
        os.kill(os.getpid(), signal.SIGTERM)

    ends = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in ends}
    client = threading.Thread(target=stop_it)
    client.start()
    told = False
    try:
        serve(path, keys, [lambda: Device(failing_closings)], QUICK)
    except DeviceError:
        told = True
    finally:
        client.join()
        for number, handler in before.items():
            signal.signal(number, handler)
    assert told == (failing_closings > 0)
    assert ("no device holds a key" in capsys.readouterr().err) != told


def test_a_closed_terminal_ends_it_as_well(path: Path, keys: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the suite may run behind nohup
    try:
        process = start_process(path, keys)
    finally:
        signal.signal(signal.SIGHUP, before)
    try:
        process.send_signal(signal.SIGHUP)
        _, text = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0, text
    assert b"no device holds a key" in text
    assert not path.exists()
