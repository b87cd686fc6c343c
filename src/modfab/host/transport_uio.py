# SPDX-License-Identifier: Apache-2.0
"""Cores in real hardware: Linux UIO devices, and physical addresses through /dev/mem."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import select
import stat
import time
from pathlib import Path

from modfab.errors import ClosedError, NoDeviceError, UsageError
from modfab.host.generated import mf_modexp_regs as regs
from modfab.host.generated import mf_rsa_regs as rsa_regs

MAP_BYTES = regs.RESULT_WINDOW + 4 * regs.WINDOW_WORDS
"""Bytes of the register map of `mf_modexp_axil` with all its windows."""

RSA_MAP_BYTES = rsa_regs.RESULT_WINDOW + 4 * rsa_regs.WINDOW_WORDS
"""The same of `mf_rsa_axil`."""

_POLL_S = 0.001
_SYSFS = Path("/sys/class/uio")


class MmapTransport:
    """Registers in a memory-mapped file, one aligned 32-bit access each.

    A bus error of the core reaches a program as the signal SIGBUS (or the system ignores it),
    never as `BusError`; the driver makes no access that the core refuses.

    Args:
        path: A UIO device, /dev/mem, or any file that can be mapped.
        offset: Where the mapping begins in the file, a multiple of the page size.
        start: Where the registers begin in the mapping, in bytes.
        size: Bytes of the mapping.
        map_bytes: Bytes of the core's register map.

    Attributes:
        interrupt: File descriptor that gives 4 bytes for each interrupt and is written to unmask
            it, as UIO devices do; None polls.

    Raises:
        NoDeviceError: The file cannot be opened or mapped.
        UsageError: The registers do not fit into the mapping.
    """

    def __init__(
        self,
        path: Path,
        offset: int = 0,
        start: int = 0,
        size: int = MAP_BYTES,
        map_bytes: int = MAP_BYTES,
    ) -> None:
        if start % 4 or start + map_bytes > size:
            raise UsageError(
                f"The core's registers take {map_bytes:#x} bytes at a multiple of 4, but the "
                f"mapping of {path} has {size:#x} bytes and they begin at {start:#x}; give the "
                "core's whole address range."
            )
        try:
            self._file = os.open(path, os.O_RDWR | os.O_SYNC | os.O_CLOEXEC)
        except OSError as error:
            raise NoDeviceError(
                f"{path} cannot be opened ({error.strerror}); check that it exists and that you "
                "may read and write it."
            ) from error
        try:
            self._map = mmap.mmap(self._file, size, offset=offset)
        except (OSError, ValueError) as error:
            os.close(self._file)
            raise NoDeviceError(
                f"{path} cannot be mapped at {offset:#x} for {size:#x} bytes ({error}); check "
                "address and size of the core."
            ) from error
        self._words = (ctypes.c_uint32 * (map_bytes // 4)).from_buffer(self._map, start)
        self.interrupt: int | None = None
        self._open = True

    @property
    def file(self) -> int:
        """The open file's descriptor."""
        return self._file

    def read32(self, address: int) -> int:
        """As `Transport.read32`."""
        self._check_open()
        return int(self._words[address // 4])

    def write32(self, address: int, value: int) -> None:
        """As `Transport.write32`."""
        self._check_open()
        self._words[address // 4] = value

    def wait(self, timeout_s: float) -> None:
        """As `Transport.wait`; without an interrupt it returns after a millisecond."""
        self._check_open()
        if self.interrupt is None or not self._unmask(self.interrupt):
            time.sleep(min(timeout_s, _POLL_S))
            return
        poller = select.poll()
        poller.register(self.interrupt, select.POLLIN)
        if poller.poll(1000 * timeout_s):
            os.read(self.interrupt, 4)

    def _check_open(self) -> None:
        if not self._open:
            raise ClosedError

    def _unmask(self, interrupt: int) -> bool:
        """Let the next interrupt through; False when this device turns out to have none."""
        try:
            os.write(interrupt, (1).to_bytes(4, "little"))
        except OSError as error:
            if error.errno != errno.ENOSYS:  # a driver that needs no unmasking says ENOSYS
                self.interrupt = None
                return False
        return True

    def close(self) -> None:
        """As `Transport.close`."""
        if self._open:
            self._open = False
            del self._words  # the mapping cannot be closed while something points into it
            self._map.close()
            os.close(self._file)


def _sysfs_number(path: Path, default: int | None = None) -> int:
    try:
        return int(path.read_text(), 0)
    except (OSError, ValueError) as error:
        if default is not None and not path.exists():
            return default
        what = "does not hold the number" if path.exists() else "is missing, a number"
        raise NoDeviceError(
            f"{path} {what} that Linux UIO puts there; check the device's name, and that it is "
            "bound to a UIO driver."
        ) from error


def open_uio(
    path: Path, size: int | None = None, sysfs: Path = _SYSFS, map_bytes: int = MAP_BYTES
) -> MmapTransport:
    """The core behind a Linux UIO device, with its interrupt when the device has one.

    Args:
        path: /dev/uioN.
        size: Bytes of the device's first memory region; asked from sysfs when None.
        sysfs: Folder of the system's UIO devices.
        map_bytes: Bytes of the core's register map.

    Raises:
        NoDeviceError: It is not there, or it cannot be opened or mapped.
        UsageError: The region is smaller than the register map.
    """
    region = sysfs / path.name / "maps" / "map0"
    if size is None:
        size = _sysfs_number(region / "size")
    start = _sysfs_number(region / "offset", default=0)
    transport = MmapTransport(path, start=start, size=size, map_bytes=map_bytes)
    if stat.S_ISCHR(os.fstat(transport.file).st_mode):
        transport.interrupt = transport.file
    return transport


def open_devmem(
    address: int, path: Path = Path("/dev/mem"), map_bytes: int = MAP_BYTES
) -> MmapTransport:
    """The core at a physical address, polled; `map_bytes` is the size of its register map.

    Raises:
        NoDeviceError: /dev/mem cannot be opened or mapped; it needs root and a willing kernel.
        UsageError: The address is not a multiple of 4.
    """
    start = address % mmap.PAGESIZE
    return MmapTransport(
        path, offset=address - start, start=start, size=start + map_bytes, map_bytes=map_bytes
    )
