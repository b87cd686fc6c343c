# SPDX-License-Identifier: Apache-2.0
"""The C driver in a Linux process: files as registers, simulated cores, a PEM key, error texts."""

from __future__ import annotations

import mmap
import os
import subprocess
from pathlib import Path

import pytest

from modfab.build.rsa import rsa_core
from modfab.host.generated import mf_rsa_regs as regs
from modfab.models.rsa.entry import RsaEntry
from modfab.serve.provider import missing_for_provider
from tests.host.test_c_driver import DRIVER, ROOT, STRICT, compile_c
from tests.support.cli import run_cli
from tests.support.daemon import shared_short_key, write_key

PARTS = tuple(DRIVER / f"modfab_{part}.c" for part in ("bus", "linux"))
BITS = 640  # PKCS#1 v1.5 with SHA-256 needs 62 bytes
ZEROIZE = regs.CTRL_ZEROIZE_MASK


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("c") / "linux_open"
    return compile_c(target, ROOT / "tests/host/c/linux_open.c", *PARTS)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sim") / "core.so"
    words = ("simlib", "--engine", "bit_serial", "-P", "BitsPerClock=8", "--bits", BITS)
    with pytest.MonkeyPatch.context() as patch:
        assert run_cli(patch, *words, "--seq", "window", "-o", path) == 0
    return path


def run(program: Path, *words: str | Path) -> tuple[int, str]:
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip()


def registers(path: Path, start: int, num_bytes: int = 256) -> Path:
    path.write_bytes(bytes(start) + 0x600DC0DE.to_bytes(4, "little") + bytes(num_bytes - 4))
    return path


def sysfs(folder: Path, size: str, offset: str | None = None) -> Path:
    place = folder / "class" / "file" / "maps" / "map0"
    place.mkdir(parents=True)
    (place / "size").write_text(size)
    if offset is not None:
        (place / "offset").write_text(offset)
    return folder / "class"


@pytest.mark.parametrize("start", [0, 0x100, mmap.PAGESIZE + 0x40])
def test_memory(program: Path, tmp_path: Path, start: int) -> None:
    file = registers(tmp_path / "file", start)
    assert run(program, "memory", file, hex(start)) == (0, "600dc0de")
    assert file.read_bytes()[start + 4 : start + 8] == (7).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("size", "offset", "start"), [("0x100\n", None, 0), ("512", "0x80\n", 128)]
)
def test_uio(program: Path, tmp_path: Path, size: str, offset: str | None, start: int) -> None:
    file = registers(tmp_path / "file", start)
    assert run(program, "uio", file, sysfs(tmp_path, size, offset)) == (0, "600dc0de")
    assert file.read_bytes()[start + 4] == 7


@pytest.mark.parametrize(
    ("size", "offset", "text"),
    [
        ("none", None, "does not hold the numbers of a UIO device"),
        ("0x1000", "here", "does not hold the numbers of a UIO device"),
        ("0x1000 bytes", None, "does not hold the numbers of a UIO device"),
        ("0x80", None, "give the core's whole address range"),
        ("0x100", "0x4", "give the core's whole address range"),
        ("0x1000", "0x2", "give the core's whole address range"),
    ],
)
def test_wrong_uio(program: Path, tmp_path: Path, size: str, offset: str | None, text: str) -> None:
    file = registers(tmp_path / "file", 0)
    code, output = run(program, "uio", file, sysfs(tmp_path, size, offset))
    assert (code, text in output) == (1, True), output


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("sim:", "Expected sim:LIBRARY"),
        ("devmem:here", "Expected sim:LIBRARY"),
        ("serial", "but got serial"),
        ("sim:./none.so", "modfab simlib"),
        ("sim:libm.so.6", "no simulated core"),
        ("uio:/dev/uio99", "does not hold the numbers"),
    ],
)
def test_wrong_specs(program: Path, spec: str, text: str) -> None:
    code, output = run(program, "spec", spec)
    assert (code, text in output) == (1, True), output


def test_missing_memory(program: Path, tmp_path: Path) -> None:
    code, output = run(program, "memory", tmp_path / "none", "0")
    assert (code, "cannot be opened: No such file" in output) == (1, True)


def test_simulated_core(program: Path, library: Path) -> None:
    assert run(program, "spec", f"sim:{library}") == (3, "")  # offset 4 is read only
    assert regs.ID == 0


def test_a_library_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], library: Path
) -> None:
    words = ("simlib", "--engine", "bit_serial", "-P", "BitsPerClock=8", "--bits", BITS)
    target = library.parent / "none" / "core.so"
    assert run_cli(monkeypatch, *words, "--seq", "window", "-o", target) == 2
    assert "none/core.so does not exist; make it first" in capsys.readouterr().err


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    missing = missing_for_provider()
    if missing:
        pytest.skip(f"the example needs {missing}")
    target = tmp_path_factory.mktemp("example") / "sign_pem"
    sources = [DRIVER / f"modfab_{part}.c" for part in ("bus", "key", "rsa", "linux")]
    words = ["cc", *STRICT, "-O1", f"-I{DRIVER}", str(DRIVER / "examples" / "sign_pem.c")]
    words += [*map(str, sources), "-o", str(target), "-lcrypto", "-ldl"]
    compiled = subprocess.run(words, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    return target


@pytest.mark.parametrize(
    ("bits", "status", "commands", "text"),
    [
        (BITS, regs.STATUS_LOCKED_MASK | regs.STATUS_KEY_VALID_MASK, [], "The key is locked"),
        (BITS + 64, regs.STATUS_KEY_VALID_MASK, [], "The RSA core refused the key"),
        (BITS, 0, [ZEROIZE, regs.CTRL_KEY_MASK], "core's result"),
    ],
    ids=["locked", "too_long", "taken"],
)
def test_the_example_wipes_the_key_that_it_has_loaded_and_no_other(
    example: Path, tmp_path: Path, bits: int, status: int, commands: list[int], text: str
) -> None:
    library = tmp_path / "fake.so"
    words: list[str | Path] = ["cc", *STRICT, "-shared", "-fPIC", f"-I{DRIVER}", "-o", library]
    subprocess.run([*words, ROOT / "tests/host/c/fake_core.c"], check=True)
    write_key(tmp_path / "key.pem", shared_short_key(bits))
    done = subprocess.run(
        [example, f"sim:{library}", tmp_path / "key.pem"],
        input=b"what is signed",
        capture_output=True,
        env={**os.environ, "FAKE_STATUS": str(status)},
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")  # the core computes nothing
    lines = done.stderr.decode().splitlines()
    told = [int(line.split()[1], 16) for line in lines if line.startswith("CTRL ")]
    assert told[:2] == commands
    assert not told or told[-1] == ZEROIZE
    assert text in lines[-1]


def test_the_example_signs_with_a_pem_key(example: Path, library: Path, tmp_path: Path) -> None:
    write_key(tmp_path / "key.pem", shared_short_key(BITS))
    message = b"what is signed"
    command: list[str | Path] = [example, f"sim:{library}", tmp_path / "key.pem"]
    done = subprocess.run(command, input=message, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    openssl = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", tmp_path / "key.pem"],
        input=message,
        capture_output=True,
        check=True,
    )
    assert bytes.fromhex(done.stdout.decode()) == openssl.stdout
    config = rsa_core("bit_serial", BITS // 2, {"BitsPerClock": 8}, "window")
    cycles = config.programs().program(RsaEntry.PRIVATE, 65537)
    assert f"{cycles} cycles" in done.stderr.decode()
    wrong = subprocess.run([example, "sim", tmp_path / "key.pem"], capture_output=True, check=False)
    assert wrong.returncode == 1
    assert b"Expected sim:LIBRARY" in wrong.stderr
    folder = os.open(tmp_path, os.O_RDONLY)  # a file that cannot be read
    done = subprocess.run(command, stdin=folder, capture_output=True, check=False)
    os.close(folder)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"cannot be read" in done.stderr
