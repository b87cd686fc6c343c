# SPDX-License-Identifier: Apache-2.0
"""The C client of provider and PKCS#11 module alone: frames, patience, who it trusts."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.paths import sw_dir
from modfab.serve.protocol import Frame, Operation, Status
from tests.support.false_daemon import NOBODY, answers, skip_without_other_users
from tests.support.openssl import SANITIZERS, compile_client, skip_without_openssl

SOURCE = Path(__file__).parent / "c" / "client_frames.c"
AWAY, PROTOCOL, FOREIGN, BROKEN, LATE = range(100, 105)
REQUEST_BYTES = 8192  # of the longest request, with its head
ROOM = 8192  # for the longest answer
OK = Frame(Status.OK, (b"web",)).encode()
DONE = f"{Status.OK.value} 3\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    skip_without_openssl()
    folder = sw_dir() / "openssl"
    target = tmp_path_factory.mktemp("frames") / "program"
    flags = (
        f"-I{folder}",
        str(folder / "modfab_client.c"),
        "-Wl,--wrap=getsockopt",
        "-Wl,--wrap=clock_gettime",
    )
    return compile_client(target, SOURCE, SANITIZERS, *flags)


def ask(
    program: Path,
    path: Path,
    *sizes: int,
    timeout_s: int = 60,
    patience_s: int = 0,
    how: str = "",
) -> str:
    operation = Operation.KEYS if not sizes else Operation.PRIVATE
    words = [*[how] * bool(how), path, timeout_s, patience_s, operation.value, *sizes]
    command = [str(program), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("answer", "seen"),
    [
        (OK, DONE),
        (Frame(Status.OK, (b"", b"a" * 300)).encode(), "0 0 300\n"),
        (Frame(Status.OK).encode(), "0\n"),
        (Frame(Status.REFUSED, (b"No.",)).encode(), "3 3\n"),
        (Frame(7).encode(), f"{Status.DEVICE.value}\n"),
        (Frame(255).encode(), f"{Status.DEVICE.value}\n"),
        (b"\1" + OK[1:], f"{PROTOCOL}\n"),
        (b"\0\0\0\0", f"{PROTOCOL}\n"),
        (b"\0\0\0\1\1", f"{PROTOCOL}\n"),
        (b"\0\0\0\2\2\0", f"{PROTOCOL}\n"),
        (b"\0\0\0\3\1\0\0", f"{PROTOCOL}\n"),
        (b"\0\0\0\4\1\0\0\1", f"{PROTOCOL}\n"),
        (b"\0\0\0\5\1\0\0\2a", f"{PROTOCOL}\n"),
        (b"\0\1\0\1\1\0", f"{PROTOCOL}\n"),
        (OK[:3], f"{BROKEN}\n"),
        (OK[:-1], f"{BROKEN}\n"),
    ],
)
def test_answers(program: Path, path: Path, answer: bytes, seen: str) -> None:
    with answers(path, [answer]):
        assert ask(program, path) == seen


@pytest.mark.parametrize("extra", [0, 1])
def test_the_longest_answer(program: Path, path: Path, extra: int) -> None:
    """Of one that may not be longer."""
    field = bytes(ROOM - 4 + extra)
    with answers(path, [Frame(Status.OK, (field,)).encode()]):
        assert ask(program, path, 1) == (f"{PROTOCOL}\n" if extra else f"0 {len(field)}\n")


@pytest.mark.parametrize("sizes", [(8184,), (0, 8182), (4000, 4182)])
def test_the_longest_request(program: Path, path: Path, sizes: tuple[int, ...]) -> None:
    with answers(path, [OK]) as requests:
        assert ask(program, path, *sizes) == DONE
    assert [len(field) for field in requests[0].fields] == list(sizes)
    assert len(requests[0].encode()) == REQUEST_BYTES


@pytest.mark.parametrize("sizes", [(8185,), (8190,), (65535,), (65536,), (4000, 4183), (5000,) * 5])
def test_a_longer_one_is_not_sent(program: Path, path: Path, sizes: tuple[int, ...]) -> None:
    assert ask(program, path, *sizes) == f"{Status.REFUSED.value}\n"


@pytest.mark.parametrize(
    "first", [None, OK[:5], Frame(Status.BUSY).encode(), Frame(Status.STOPPING).encode()]
)
def test_patience(program: Path, path: Path, first: bytes | None) -> None:
    """A daemon that is away or has no time is asked again; one that refuses is not."""
    with answers(path, [first, first, OK]):
        assert ask(program, path, patience_s=60) == DONE


@pytest.mark.parametrize("status", [Status.REFUSED, Status.DEVICE, Status.NO_KEY])
def test_an_error_is_no_reason_to_ask_again(program: Path, path: Path, status: Status) -> None:
    with answers(path, [Frame(status).encode()]):
        assert ask(program, path, patience_s=60) == f"{status.value}\n"


def test_no_time_limit(program: Path, path: Path) -> None:
    with answers(path, [OK]):
        assert ask(program, path, timeout_s=0) == DONE


def test_a_daemon_that_closes_is_no_signal(program: Path, path: Path) -> None:
    """SIGPIPE would end the program."""
    with answers(path, [None]):
        assert ask(program, path, how="late") == f"{BROKEN}\n"


def test_patience_begins_with_the_first_failure(program: Path, path: Path) -> None:
    """A daemon that ends while it computes for longer than that."""
    with answers(path, [Frame(Status.STOPPING).encode(), OK]):
        assert ask(program, path, timeout_s=0, patience_s=60, how="slow") == DONE


def test_what_is_late_is_not_asked_for_again(program: Path, path: Path) -> None:
    with answers(path, [None]):
        assert ask(program, path, patience_s=7200, how="slow") == f"{LATE}\n"


def test_nobody_listens(program: Path, path: Path) -> None:
    assert ask(program, path) == f"{AWAY}\n"
    path.write_text("no socket")
    assert ask(program, path) == f"{AWAY}\n"
    assert ask(program, path / "below") == f"{BROKEN}\n"


@pytest.fixture
def public_folder(program: Path) -> Iterator[Path]:
    """A folder that every user may enter, with the program in it."""
    skip_without_other_users()
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copy(program, folder / "program")
        (folder / "program").chmod(0o755)
        yield folder


def ask_as_nobody(folder: Path, patience_s: int) -> str:
    """What the program of the folder says of the socket `s` in it, to another user."""
    words = [folder / "program", folder / "s", 60, patience_s, Operation.KEYS.value]
    command = [str(word) for word in words]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, user=NOBODY, extra_groups=[]
    ).stdout


def test_a_socket_that_may_not_be_used(public_folder: Path) -> None:
    """That of another user's daemon has mode 600."""
    path = public_folder / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        path.chmod(0o600)
        assert ask_as_nobody(public_folder, 60) == f"{FOREIGN}\n"


def test_a_daemon_of_root_is_trusted(public_folder: Path) -> None:
    path = public_folder / "s"
    with answers(path, [OK]):
        path.chmod(0o777)
        assert ask_as_nobody(public_folder, 0) == DONE
