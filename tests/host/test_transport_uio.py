# SPDX-License-Identifier: Apache-2.0
"""UIO and /dev/mem transports on regular files: mapping, interrupt, errors."""

from __future__ import annotations

import errno
import mmap
import os
import socket
import time
from pathlib import Path

import pytest

from modfab.errors import DeviceError, UsageError
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.transport_uio import MAP_BYTES, MmapTransport, open_devmem, open_uio


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "uio7"
    path.write_bytes(bytes(8 * mmap.PAGESIZE))
    return path


def interrupt_of(transport: MmapTransport) -> int | None:
    return transport.interrupt


def sysfs(folder: Path, size: str | None, offset: str | None = None) -> Path:
    region = folder / "sys" / "uio7" / "maps" / "map0"
    region.mkdir(parents=True)
    for name, text in (("size", size), ("offset", offset)):
        if text is not None:
            (region / name).write_text(text + "\n")
    return folder / "sys"


def test_words_are_where_they_belong(file: Path) -> None:
    transport = MmapTransport(file)
    transport.write32(regs.EXP_BITS, 0x01020304)
    assert transport.read32(regs.EXP_BITS) == 0x01020304
    transport.close()
    transport.close()
    assert file.read_bytes()[regs.EXP_BITS : regs.EXP_BITS + 4] == bytes([4, 3, 2, 1])


def test_uio_size_and_offset_come_from_sysfs(file: Path, tmp_path: Path) -> None:
    transport = open_uio(file, sysfs=sysfs(tmp_path, hex(8 * mmap.PAGESIZE), "0x100"))
    transport.write32(regs.EXP_BITS, 7)
    transport.close()
    assert file.read_bytes()[0x100 + regs.EXP_BITS] == 7


def test_uio_size_can_be_given(file: Path, tmp_path: Path) -> None:
    transport = open_uio(file, size=8 * mmap.PAGESIZE, sysfs=tmp_path)
    assert transport.interrupt is None, "a regular file has no interrupt"
    transport.close()


def test_devmem_at_an_address_inside_a_page(file: Path) -> None:
    transport = open_devmem(mmap.PAGESIZE + 0x40, file)
    transport.write32(regs.CTRL, 9)
    transport.close()
    assert file.read_bytes()[mmap.PAGESIZE + 0x40 + regs.CTRL] == 9


def test_waiting_without_an_interrupt_is_short(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    transport = MmapTransport(file)
    transport.wait(60)
    transport.wait(0.0001)
    transport.close()
    assert slept == [0.001, 0.0001]


def test_an_interrupt_ends_the_wait(file: Path) -> None:
    ours, device = socket.socketpair()
    transport = MmapTransport(file)
    transport.interrupt = ours.fileno()
    transport.wait(0.01)
    device.send(bytes(4))
    transport.wait(60)
    transport.wait(0.01)
    assert device.recv(100) == (1).to_bytes(4, "little") * 3, "each wait unmasks the interrupt"
    transport.close()
    ours.close()
    device.close()


def test_a_device_without_an_interrupt_is_polled(file: Path) -> None:
    read_only = os.open(file, os.O_RDONLY)
    transport = MmapTransport(file)
    transport.interrupt = read_only
    for _ in range(2):
        transport.wait(60)
    assert interrupt_of(transport) is None
    transport.close()
    os.close(read_only)


def test_a_driver_that_needs_no_unmasking_keeps_its_interrupt(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, device = socket.socketpair()
    transport = MmapTransport(file)
    transport.interrupt = ours.fileno()

    def write(file: int, data: bytes) -> int:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(os, "write", write)
    device.send(bytes(4))
    transport.wait(60)
    monkeypatch.undo()
    assert transport.interrupt == ours.fileno()
    ours.setblocking(False)
    with pytest.raises(BlockingIOError):  # the wait has taken it
        ours.recv(4)
    transport.close()
    ours.close()
    device.close()


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"uio9 cannot be opened \(No such file"):
        MmapTransport(tmp_path / "uio9")


def test_a_file_that_cannot_be_mapped(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(bytes(16))
    with pytest.raises(DeviceError, match=f"cannot be mapped at 0x0 for {MAP_BYTES:#x} bytes"):
        MmapTransport(tmp_path / "short")


@pytest.mark.parametrize("size", ["0x4000", "0x0"])
def test_a_region_that_is_too_small(file: Path, tmp_path: Path, size: str) -> None:
    with pytest.raises(UsageError, match="give the core's whole address range"):
        open_uio(file, sysfs=sysfs(tmp_path, size))


def test_an_address_between_words(file: Path) -> None:
    with pytest.raises(UsageError, match="at a multiple of 4"):
        open_devmem(mmap.PAGESIZE + 2, file)


@pytest.mark.parametrize(
    ("size", "problem"),
    [(None, "size is missing, a number"), ("many", "does not hold the number")],
)
def test_sysfs_without_a_size(file: Path, tmp_path: Path, size: str | None, problem: str) -> None:
    with pytest.raises(DeviceError, match=problem):
        open_uio(file, sysfs=sysfs(tmp_path, size))


def test_sysfs_with_a_wrong_offset(file: Path, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="does not hold the number"):
        open_uio(file, sysfs=sysfs(tmp_path, "0x8000", "here"))
