# SPDX-License-Identifier: Apache-2.0
"""A process that holds keys leaves no core file, and no other process of its user reads its memory.

Source: Linux, prctl(2), PR_SET_DUMPABLE, and core(5): a core that is piped to a program knows no
limit of 0, so the limit alone is not enough.
"""

from __future__ import annotations

import ctypes
import os
import resource

from modfab.errors import MachineError

_PR_SET_DUMPABLE = 4


def forbid_core_files() -> None:
    """For the rest of this process; programs that it starts have the limit only.

    Raises:
        MachineError: The kernel refuses.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise MachineError(
            f"The kernel does not keep this process's memory out of core files "
            f"({os.strerror(ctypes.get_errno())}); a daemon with keys does not start without that."
        )
