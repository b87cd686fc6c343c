# SPDX-License-Identifier: Apache-2.0
"""Who is at the other end of a Unix socket, as the kernel says."""

from __future__ import annotations

import os
import socket
import struct


def peer_of(link: socket.socket) -> tuple[int, int]:
    """Process and user at the other end; of a listener, those that it had when it listened."""
    size = struct.calcsize("3i")
    pid, uid, _ = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return int(pid), int(uid)


def is_own(uid: int) -> bool:
    """Whether it is this process's user, or root, who can do all that this user can."""
    return uid in (os.geteuid(), 0)
