# SPDX-License-Identifier: Apache-2.0
"""Diffie-Hellman and DSA powers: RFC 3526 and RFC 7919 groups, short exponents, beside OpenSSL."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from base64 import b64decode
from pathlib import Path

import pytest
from Crypto.Util.asn1 import DerBitString, DerInteger, DerSequence
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature

from modfab.host.open import open_device
from tests.support.cli import run_cli
from tests.support.dh_groups import GROUPS, Group

QUICK = ("modp_1536", "ffdhe2048")
WIDEST_BIT_SERIAL = 4096
SHARED_BITS = 2048
"""Width of the core that serves all moduli up to that."""


def openssl(folder: Path, *words: str) -> None:
    program = shutil.which("openssl")
    assert program is not None, "the launcher installs openssl where it is missing"
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("name", GROUPS)
def test_primes_are_openssls(name: str, tmp_path: Path) -> None:
    words = ["genpkey", "-genparam", "-algorithm", "DH", "-pkeyopt", f"group:{name}"]
    openssl(tmp_path, *words, "-out", "group.pem")
    lines = (tmp_path / "group.pem").read_text().splitlines()
    numbers = DerSequence().decode(b64decode("".join(lines[1:-1])))
    assert (numbers[0], numbers[1]) == (GROUPS[name].prime, 2)


def powers(group: Group, bases: list[int], exponent: int) -> list[int]:
    """Each base to the power, by one core: the RTL where an engine is as wide as that and quick."""
    device, engine, params = "sim", "bit_serial", {"BitsPerClock": 8}
    if group.num_bits > WIDEST_BIT_SERIAL:
        device, engine, params = "model", "qp_systolic", {}
    num_bits = max(SHARED_BITS, group.num_bits)
    with open_device(device, engine, num_bits, "ladder", params) as core:
        return [
            core.powmod(base, exponent, group.prime, exp_bits=group.exponent_bits).value
            for base in bases
        ]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.full) for n in GROUPS]
)
def test_key_agreement_with_openssl(name: str, tmp_path: Path, rng: random.Random) -> None:
    group = GROUPS[name]
    words = ["genpkey", "-algorithm", "DH", "-pkeyopt", f"group:{name}", "-out", "theirs.pem"]
    openssl(tmp_path, *words)
    openssl(tmp_path, *"pkey -in theirs.pem -pubout -outform DER -out theirs".split())
    public = DerSequence().decode((tmp_path / "theirs").read_bytes())
    their_public = DerInteger().decode(DerBitString().decode(public[1]).value).value
    secret = rng.getrandbits(group.exponent_bits)
    our_public, shared = powers(group, [2, their_public], secret)
    ours = DerSequence([public[0], DerBitString(DerInteger(our_public).encode()).encode()])
    (tmp_path / "ours").write_bytes(ours.encode())
    derive = "pkeyutl -derive -inkey theirs.pem -peerkey ours -peerform DER -out shared"
    openssl(tmp_path, *derive.split())
    assert int.from_bytes((tmp_path / "shared").read_bytes(), "big") == shared


def test_powmod_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rng: random.Random
) -> None:
    group = GROUPS["modp_1536"]
    exponent = rng.getrandbits(group.exponent_bits)
    words = ["powmod", "--engine", "bit_serial", "--bits", 1536, "--mod", f"{group.prime:x}"]
    words += ["--base", "2", "--exp", f"{exponent:x}", "--exp-bits", group.exponent_bits]
    assert run_cli(monkeypatch, *words, "--device", "model", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["result"] == hex(pow(2, exponent, group.prime))


@pytest.mark.parametrize("num_bits", [1024, pytest.param(2048, marks=pytest.mark.full)])
def test_dsa_signature(num_bits: int, rng: random.Random) -> None:
    """R is made on the core, from an exponent as short as q; OpenSSL accepts the signature."""
    key = dsa.generate_private_key(num_bits)
    numbers = key.private_numbers()
    parameters = numbers.public_numbers.parameter_numbers
    p, q, g = parameters.p, parameters.q, parameters.g
    bits = q.bit_length()
    nonce = rng.randrange(1, q)
    with open_device("sim", "bit_serial", SHARED_BITS, "ladder", {"BitsPerClock": 8}) as core:
        r = core.powmod(g, nonce, p, exp_bits=bits).value % q
    digest = hashes.Hash(hashes.SHA256())
    digest.update(b"message")
    hashed = digest.finalize()
    leading = int.from_bytes(hashed, "big") >> max(0, 256 - bits)
    s = pow(nonce, -1, q) * (leading + numbers.x * r) % q
    signature = encode_dss_signature(r, s)
    key.public_key().verify(signature, hashed, Prehashed(hashes.SHA256()))
