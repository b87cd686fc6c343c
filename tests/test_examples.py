# SPDX-License-Identifier: Apache-2.0
"""The examples run as their page says, and print what they promise."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

from modfab.catalog import get_engine
from tests.support.rsa_keys import shared_key

ROOT = Path(__file__).resolve().parent.parent


def p256_cycles() -> int:
    """Products of the ladder, the inverse and the ways in and out, by the catalogue.

    Each product comes with two loads and a store.
    """
    engine = get_engine("sos")
    params, cycles = engine.resolve(256), engine.cycles
    exponent = 2**256 - 2**224 + 2**192 + 2**96 - 3
    inverse = exponent.bit_length() - 1 + exponent.bit_count() - 1
    one = 2 * cycles.load(params) + cycles.mul(params) + cycles.store(params)
    return (3 + 512 * 14 + inverse + 4) * one


PROMISED = {
    "./modfab python examples/sign.py": "OpenSSL: the signature is valid",
    "./modfab python examples/powmod.py": "both sides agree",
    "./modfab python examples/farm.py 2": "7 of 8\n8 of 8\n2 cores made 8 signatures, all valid\n",
    "./modfab python examples/p256.py": f"both points are those of cryptography\n{p256_cycles():,}",
    "./modfab python examples/compile_c.py examples/powmod.c powmod": "",
    "./powmod": f"12^65537 mod 197 = {pow(12, 65537, 197)} in ",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like a checkout, whose launcher is this Python."""
    place = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "examples", place / "examples")
    launcher = place / "modfab"
    launcher.write_text(f'#!/bin/sh\nshift\nexec "{sys.executable}" "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    return place


def test_the_page_has_these_commands() -> None:
    first = re.findall(r"```sh\n(.*?)```", (ROOT / "examples/README.md").read_text(), re.DOTALL)[0]
    assert first.split("\n")[:-1] == list(PROMISED)


@pytest.mark.parametrize("command", PROMISED)
def test_command(folder: Path, command: str) -> None:
    if command == "./powmod" and not (folder / "powmod").exists():
        run(folder, list(PROMISED)[-2])
    assert PROMISED[command] in run(folder, command)


@pytest.mark.parametrize("name", ["sign", "powmod", "p256"])
def test_on_the_model(folder: Path, name: str) -> None:
    command = f"./modfab python examples/{name}.py"
    assert PROMISED[command] in run(folder, f"{command} model")


def run(folder: Path, command: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        command.split(), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_python_of_the_readme(folder: Path) -> None:
    (text,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    key = shared_key()
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, *plain))
    (folder / "readme.py").write_text(f"{text}print(signature.hex())\n")
    signature = bytes.fromhex(run(folder, "./modfab python readme.py"))
    key.public_key().verify(signature, b"data", padding.PKCS1v15(), hashes.SHA256())
