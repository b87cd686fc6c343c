# SPDX-License-Identifier: Apache-2.0
"""The daemon's memory gets into no core file, and its user's other processes cannot read it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.support.daemon import key_folder, shared_short_key, start_process

REPORT = """
import ctypes, os, resource, signal, sys
from pathlib import Path
from modfab.serve.core_files import forbid_core_files
from modfab.serve.keyring import Keyring
hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
forbid_core_files()
print(resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
print(Keyring(Path(sys.argv[1])).names(), flush=True)
os.kill(os.getpid(), signal.SIGABRT)
"""
"""What the process says of itself (3 is PR_GET_DUMPABLE); it still reads keys through /proc."""


def test_a_running_daemon(tmp_path: Path) -> None:
    keys = key_folder(tmp_path / "keys", web=shared_short_key(128))
    process = start_process(tmp_path / "s", keys, "--engine", "bit_serial")
    try:
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        [line] = [line for line in limits.splitlines() if line.startswith("Max core file size")]
    finally:
        process.terminate()
        process.communicate()
    assert line.split()[4:6] == ["0", "0"]


def test_neither_limit_nor_pipe_gets_the_memory(tmp_path: Path) -> None:
    keys = key_folder(tmp_path / "keys", web=shared_short_key(128))
    words = [sys.executable, "-c", REPORT, str(keys)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "(0, 0) 0\n['web']\n", done.stderr
    assert done.returncode == -signal.SIGABRT
    assert [path.name for path in tmp_path.iterdir()] == ["keys"]
