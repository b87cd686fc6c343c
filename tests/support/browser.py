# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium of the distribution, spoken to over a pipe in its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NO_CHROMIUM = "no Chromium here (Debian's package chromium): pages are not tried in a browser"
_LIMIT_S = 60.0
_KEYS = {"Tab": 9, "Enter": 13, "ArrowDown": 40}


class RefusedError(Exception):
    """Chromium refused a command: for example the page was left while it was asked."""


class Browser:
    """One page of a browser.

    Attributes:
        problems: Errors and warnings of the console, exceptions, failed requests.
        requested: Addresses that were asked for.
    """

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write, self._last, self._session = read, write, 0, ""
        self._buffer = b""
        self.problems: list[str] = []
        self.requested: list[str] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise TimeoutError("Chromium did not answer in time")
            part = os.read(self._read, 1 << 16)
            if not part:
                raise ConnectionError("Chromium has ended")
            self._buffer += part
        text, self._buffer = self._buffer.split(b"\0", 1)
        found: dict[str, Any] = json.loads(text)
        self._note(found.get("method", ""), found.get("params", {}))
        return found

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requested.append(params["request"]["url"])
        elif method == "Network.loadingFailed" and not params.get("canceled"):
            self.problems.append(f"a request failed: {params['errorText']}")
        elif method == "Runtime.exceptionThrown":
            self.problems.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.problems.append(str(params["args"]))

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self._last += 1
        words: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if self._session:
            words["sessionId"] = self._session
        os.write(self._write, json.dumps(words).encode() + b"\0")
        until = time.monotonic() + _LIMIT_S
        while True:
            found = self._message(until)
            if found.get("id") == self._last:
                if "error" in found:
                    raise RefusedError(str(found["error"]))
                result: dict[str, Any] = found["result"]
                return result

    def wait_for(self, script: str, meanwhile: Callable[[], object] = lambda: None) -> None:
        """Until an expression of the page is true."""
        until = time.monotonic() + _LIMIT_S
        while not self._is_true(script):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.05)
            meanwhile()

    def _is_true(self, script: str) -> bool:
        """Whether an expression is true; not while one page gives way to the next."""
        try:
            return bool(self.run(script))
        except RefusedError:
            return False

    def open(self, path: Path, fragment: str = "") -> None:
        """Load a page of the disk, and wait for its scripts."""
        self._call("Page.navigate", url=path.resolve().as_uri() + fragment)
        self.wait_for("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """Value of an expression in the page."""
        found = self._call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str) -> None:
        """One key on the keyboard."""
        code = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        more = {"text": "\r"} if key == "Enter" else {}
        self._call("Input.dispatchKeyEvent", type="keyDown", **code, **more)
        self._call("Input.dispatchKeyEvent", type="keyUp", **code)

    def click(self, x: float, y: float) -> None:
        """The pointer moves there and clicks."""
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def hover(self, x: float, y: float, until: str) -> None:
        """The pointer moves there, until an expression is true: a busy page may miss one move."""

        def move() -> None:
            for place in (y + 30, y):
                self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=place)

        move()
        self.wait_for(until, move)

    def look(self, width: int, height: int, dark: bool = False) -> None:
        """Size of the window, in the page's pixels, and the colours that the user wants."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        wish = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[wish])

    def shoot(self, path: Path) -> None:
        """Screenshot of the whole page."""
        path.parent.mkdir(parents=True, exist_ok=True)
        shot = self._call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser without a network, ended with the block."""
    assert CHROMIUM, NO_CHROMIUM
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        words = [CHROMIUM, "--headless=new", "--remote-debugging-pipe", "--disable-gpu"]
        words += ["--no-first-run", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={home}"]
        words += ["--proxy-server=127.0.0.1:9", "--disable-dev-shm-usage", "about:blank"]
        pipes = f'exec "$@" 3</dev/fd/{to_read} 4>/dev/fd/{from_write}'
        process = subprocess.Popen(
            ["sh", "-c", pipes, "sh", *words],
            pass_fds=(to_read, from_write),
            env=os.environ | {"HOME": home},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        try:
            yield Browser(from_read, to_write)
        finally:
            os.close(to_write)  # the end of its pipe ends it
            os.close(from_read)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
