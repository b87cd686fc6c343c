# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider in tests: built once, programs that use it, OpenSSL without it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.serve.provider import (
    build_provider,
    missing_for_provider,
    provider_environment,
    stock_environment,
)
from tests.support.daemon import write_key

LIMIT_S = 300
SANITIZERS = "address,undefined"


def skip_without_openssl() -> None:
    """Skip, with the reason, where the provider cannot be compiled."""
    missing = missing_for_provider()
    if missing:
        pytest.skip(f"the OpenSSL provider needs {missing}")


@dataclass(frozen=True)
class Stage:
    """A folder with configuration, key files and the path of a daemon's socket."""

    folder: Path
    config: Path
    socket: Path

    def run(
        self, *words: str | Path, ours: bool = True, text: str = "", code: int | None = 0
    ) -> str:
        """Output of a program with the provider, or without it.

        Args:
            words: Program and arguments.
            ours: With the provider.
            text: Standard input.
            code: The exit code that it must have; None for any but 0.
        """
        environment = (
            provider_environment(self.config, self.socket) if ours else stock_environment()
        )
        done = subprocess.run(
            list(map(str, words)),
            cwd=self.folder,
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        log = done.stdout + done.stderr
        assert done.returncode == code if code is not None else done.returncode != 0, log
        return log

    def openssl(self, *words: str | Path, ours: bool = True, code: int | None = 0) -> str:
        """Output of an `openssl` command."""
        return self.run("openssl", *words, ours=ours, code=code)


def make_stage(folder: Path, config: Path, key: rsa.RSAPrivateKey) -> Stage:
    """Write `web.pem`, `public.pem` and a file `message` into a folder."""
    write_key(folder / "web.pem", key)
    (folder / "public.pem").write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    (folder / "message").write_text("what is signed\n")
    return Stage(folder, config, folder / "socket")


def build(folder: Path, sanitize: str = "") -> Path:
    """The provider's configuration; skips where it cannot be compiled."""
    skip_without_openssl()
    return build_provider(folder, sanitize)


def compile_client(target: Path, source: Path, sanitize: str, *flags: str) -> Path:
    """A C program that uses OpenSSL."""
    words: Sequence[str | Path] = [
        *("cc", "-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wconversion"),
        *(f"-fsanitize={sanitize}", "-fno-sanitize-recover=all"),
        *flags,
        *(source, "-o", target, "-lcrypto", "-pthread"),
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def start_as_another_group(program: Path) -> None:
    """Let who starts a program not be trusted by it (AT_SECURE).

    A set-group-ID program does not trust its environment, as a set-user-ID one does not. Each skip
    is for a kernel that does not set AT_SECURE here; the program under test is not asked.
    """
    if os.statvfs(program).f_flag & os.ST_NOSUID:
        pytest.skip("the temporary folder is mounted nosuid; set TMPDIR to one that is not")
    if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text():
        pytest.skip("no_new_privs is set: the kernel starts no set-group-ID program")
    groups = [group for group in os.getgroups() if group != os.getgid()]
    if os.geteuid() == 0:
        groups.append(os.getgid() + 1)
    if not groups:
        pytest.skip("the user has one group; run the tests as root or with a second group")
    os.chown(program, -1, groups[0])
    program.chmod(0o2755)
