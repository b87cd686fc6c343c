# SPDX-License-Identifier: Apache-2.0
"""docs/openssl.md and sw/c/README.md: commands work, the table of operations is the protocol."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from modfab.serve.protocol import MAX_FRAME_BYTES, VERSION, Operation, Status
from modfab.serve.provider import stock_environment
from tests.support.openssl import skip_without_openssl

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "openssl.md").read_text()


def commands(text: str, heading: str) -> list[str]:
    section = text.split(f"## {heading}\n")[1]
    (block,) = re.findall(r"^```sh\n(.*?)^```", section.split("\n## ")[0], re.MULTILINE | re.DOTALL)
    return [str(line) for line in block.splitlines()]


def test_the_tables_are_the_protocol() -> None:
    rows = dict(re.findall(r"^\| (\d) ([a-z ]+?) \|", PAGE, re.MULTILINE))
    assert rows == {str(int(op)): op.name.lower().replace("_", " ") for op in Operation}
    assert f"| 1 | version, {VERSION} |" in PAGE
    assert f"2 to {MAX_FRAME_BYTES:,}" in PAGE
    codes = [int(code) for code in re.findall(r"(\d) [a-z ]+[,.]", PAGE.split("\nStatus: ")[1])]
    assert codes[: len(Status)] == [int(status) for status in Status]


def test_five_commands() -> None:
    assert len(commands(PAGE, "A TLS page in five commands")) == 5


def link_checkout(folder: Path) -> None:
    """The checkout's folders, so that what the commands write stays in the test's folder."""
    for name in ("modfab", "sw", "README.md"):
        (folder / name).symlink_to(ROOT / name)


@contextmanager
def background(
    command: str, folder: Path, environment: dict[str, str], ready: str
) -> Iterator[str]:
    """A command of the page that runs on; the line with which it says that it is ready."""
    with subprocess.Popen(
        ["sh", "-c", f"exec env {command}"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            log = ""
            for line in process.stdout:
                log += line
                if line.startswith(ready):
                    break
            assert log.splitlines()[-1].startswith(ready), log
            yield line
        finally:
            process.terminate()


@pytest.mark.full
def test_the_five_commands_serve_a_page(tmp_path: Path) -> None:
    skip_without_openssl()
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed")
    shutil.copytree(ROOT / "sw" / "openssl", tmp_path / "sw" / "openssl")
    (tmp_path / "modfab").symlink_to(ROOT / "modfab")
    make, key, serve, request, server = commands(PAGE, "A TLS page in five commands")
    environment = os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)}
    environment.pop("MODFAB_SOCKET", None)
    for command in (make, key):
        subprocess.run(command, shell=True, cwd=tmp_path, env=environment, check=True)
    with background(serve.removesuffix("&"), tmp_path, environment, "Serving"):
        subprocess.run(request, shell=True, cwd=tmp_path, env=environment, check=True)
        free = server.replace("127.0.0.1:4433", "127.0.0.1:0")
        assert free != server
        with background(free, tmp_path, environment, "ACCEPT") as line:
            port = line.strip().rpartition(":")[2]
            page = subprocess.run(
                [curl, "-sS", "--cacert", "web.crt", f"https://localhost:{port}/"],
                cwd=tmp_path,
                env=stock_environment(),
                capture_output=True,
                text=True,
                check=True,
            )
    assert "s_server" in page.stdout
    assert not (tmp_path / "modfab.sock").exists()


@pytest.mark.full
def test_the_c_driver_without_a_board(tmp_path: Path) -> None:
    skip_without_openssl()
    link_checkout(tmp_path)
    text = (ROOT / "sw" / "c" / "README.md").read_text()
    *prepare, sign = commands(text, "Without a board, and with a PEM key")
    for command in prepare:
        subprocess.run(command, shell=True, cwd=tmp_path, check=True)
    done = subprocess.run(
        sign, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert re.fullmatch("[0-9a-f]{512}", done.stdout.strip())
    assert "cycles" in done.stderr
