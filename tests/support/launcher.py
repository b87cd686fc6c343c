# SPDX-License-Identifier: Apache-2.0
"""A checkout with the launcher, on a machine whose Python, pip, apt-get and compiler are stubs."""

from __future__ import annotations

import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

REAL_TOOLS = (
    "sh",
    "cat",
    "cmp",
    "cp",
    "dirname",
    "env",
    "flock",
    "mkdir",
    "mv",
    "readlink",
    "rm",
    "sleep",
    "tail",
)

# Answers like Python for what the launcher asks of it; `-m venv` leaves VENV_PYTHON behind.
PYTHON = """\
printf '%s\\n' "python $*" >>"$CALLS"
case "$*" in
  *"print("*) echo python3.11 ;;
  *version_info*) exit "${PYTHON_TOO_OLD:-0}" ;;
  *ensurepip*) [ ! "${NO_ENSUREPIP:-}" ] || [ -e "$BIN/ensurepip" ] ;;
  *INSTSONAME*) [ ! "${NO_LIBPYTHON:-}" ] || [ -e "$BIN/libpython" ] ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$BIN/venv_python" "$3/bin/python" ;;
esac
"""

VENV_PYTHON = """\
case "$*" in
  "-m pip install "*)
    for word; do last=$word; done
    printf 'pip %s\\n' "${last##*/}" >>"$CALLS"
    eval "${PIP:-:}"
    ;;
  "-m modfab umask") umask ;;
  "-m modfab" | "-m modfab "*)
    shift 2
    printf '%s|' "$PWD" "$PYTHONPATH" "$@"
    exit "${EXIT_CODE:-0}"
    ;;
  *) printf '%s|' "${PATH%%:*}" "$PYTHONPATH" "$@" ;;
esac
"""

APT = """\
printf '%s\\n' "apt-get $* [$DEBIAN_FRONTEND]" >>"$CALLS"
[ "$1" = install ] || exit "${UPDATE_EXIT_CODE:-0}"
for package in "$@"; do
  case $package in
    g++) cp "$BIN/true" "$BIN/c++" ;;
    python3-venv) cp "$BIN/true" "$BIN/ensurepip" ;;
    libpython3.11) cp "$BIN/true" "$BIN/libpython" ;;
  esac
done
exit "${INSTALL_EXIT_CODE:-0}"
"""


BASE, ALL = "requirements-base.lock", "requirements.lock"


@dataclass(frozen=True, slots=True)
class Machine:
    """A checkout in a folder with a space, and a PATH that holds stubs only."""

    root: Path
    bin: Path
    calls_file: Path

    def stamp(self, lock: str = BASE) -> Path:
        return self.root / ".venv" / f"{lock}.stamp"

    def stub(self, name: str, body: str = "") -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def environment(self, **variables: str) -> dict[str, str]:
        own = {"PATH": str(self.bin), "CALLS": str(self.calls_file), "BIN": str(self.bin)}
        return own | variables

    def run(
        self, *words: str, start: Path | None = None, cwd: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(start or self.root / "modfab"), *words],
            env=self.environment(**variables),
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def calls(self, word: str) -> list[str]:
        """Calls recorded so far that begin with the word."""
        if not self.calls_file.exists():
            return []
        return [line for line in self.calls_file.read_text().splitlines() if line.startswith(word)]


def make_machine(folder: Path) -> Machine:
    """A checkout whose lock files name one and two packages."""
    root = folder / "a checkout"
    (root / "tools").mkdir(parents=True)
    for name in ("modfab", "tools/set-up"):
        shutil.copy(ROOT / name, root / name)
    (root / BASE).write_text("one==1 --hash=sha256:00\n", encoding="utf-8")
    (root / ALL).write_text("one==1 --hash=sha256:00\ntwo==2 --hash=sha256:00\n", encoding="utf-8")
    made = Machine(root, folder / "bin", folder / "calls")
    made.bin.mkdir()
    for tool in REAL_TOOLS:
        real = shutil.which(tool)
        assert real is not None, f"this test needs the command {tool}"
        (made.bin / tool).symlink_to(real)
    for name in ("true", "c++", "make", "perl", "openssl"):
        made.stub(name)
    made.stub("id", "echo 1000\n")
    made.stub("uname", "echo ${MACHINE:-Linux x86_64}\n")
    made.stub("python3", PYTHON)
    made.stub("venv_python", VENV_PYTHON)
    return made
