# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider of sw/openssl: compiling it, and running programs with it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from modfab.errors import ToolError
from modfab.paths import sw_dir
from modfab.serve.client import SOCKET_VARIABLE

CONFIG = "modfab.cnf"
_PROGRAMS = ("make", "cc", "openssl")


def build_provider(folder: Path, sanitize: str = "") -> Path:
    """Compile the provider.

    Args:
        folder: Takes `modfab-openssl.so` and `modfab.cnf`.
        sanitize: Sanitizers of the compiler, as after -fsanitize=.

    Returns:
        The configuration that uses it.

    Raises:
        ToolError: A program or OpenSSL's header files are missing, or the compiler failed.
    """
    missing = missing_for_provider()
    if missing:
        raise ToolError(
            f"The OpenSSL provider needs {missing}; install what is missing with `apt-get install "
            "make gcc openssl libssl-dev`."
        )
    words = ["make", "-s", "-C", str(sw_dir() / "openssl"), f"OUT={folder}"]
    done = subprocess.run(
        [*words, *([f"SANITIZE={sanitize}"] if sanitize else [])],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ToolError(f"The OpenSSL provider cannot be compiled:\n{done.stderr[-2000:]}")
    return folder / CONFIG


def missing_for_provider() -> str:
    """What the provider needs and this machine does not have; empty when all is there."""
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        return "the program " + ", ".join(missing)
    probe = "#include <openssl/core_dispatch.h>\nint main(void) { return 0; }\n"
    words = ["cc", "-x", "c", "-", "-fsyntax-only"]
    done = subprocess.run(words, input=probe, text=True, capture_output=True, check=False)
    return "" if done.returncode == 0 else "the header files of OpenSSL 3 (libssl-dev)"


def provider_environment(config: Path, socket_path: Path) -> dict[str, str]:
    """Environment of a program whose OpenSSL uses the provider."""
    return os.environ | {"OPENSSL_CONF": str(config), SOCKET_VARIABLE: str(socket_path)}


def stock_environment() -> dict[str, str]:
    """Environment of a program whose OpenSSL knows nothing of the provider."""
    kept = {name: value for name, value in os.environ.items() if name != SOCKET_VARIABLE}
    return kept | {"OPENSSL_CONF": os.devnull}
