# SPDX-License-Identifier: Apache-2.0
"""`modfab key`, and the error texts for damaged keys."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path

import pytest
from Crypto.Util.asn1 import DerSequence
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from modfab.build.rsa import rsa_core
from modfab.cli.key_cmd import facts_of, uses_of
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.models.rsa.entry import RsaEntry
from tests.support.cli import PythonDevice, run_cli, use_device
from tests.support.rsa_core import make_key
from tests.support.rsa_keys import ours, shared_key

TRADITIONAL = PrivateFormat.TraditionalOpenSSL, NoEncryption()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    key = shared_key()
    (tmp_path / "key.pem").write_bytes(key.private_bytes(Encoding.PEM, *TRADITIONAL))
    form = PublicFormat.SubjectPublicKeyInfo
    (tmp_path / "public.pem").write_bytes(key.public_key().public_bytes(Encoding.PEM, form))
    (tmp_path / "text").write_bytes(b"text\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def three_primes(rng: random.Random) -> bytes:
    """RSAPrivateKey with version 1 and a third prime (RFC 8017, appendix A.1.2)."""
    one, two = make_key(rng, 256, 256), make_key(rng, 256, 256)
    p, q, r = one.p, one.q, two.p
    n, phi = p * q * r, (p - 1) * (q - 1) * (r - 1)
    d = pow(65537, -1, phi)
    third = DerSequence([r, d % (r - 1), pow(p * q, -1, r)]).encode()
    numbers = [1, n, 65537, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)]
    return DerSequence([*numbers, DerSequence([third]).encode()]).encode()


def test_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "key", "--key", "key.pem", "--json") == 0
    text = capsys.readouterr().out
    report = json.loads(text)
    key = ours(shared_key())
    assert (report["kind"], report["bits"]) == ("RSA, private", 1024)
    assert report["bits_of_the_primes"] == f"{key.p.bit_length()} and {key.q.bit_length()}"
    programs = rsa_core("qp_systolic", 512, None, "window", engines=2, pair=True).programs()
    on_rsa, on_modexp, public = report["uses"]
    assert on_rsa["setup_cycles"] == programs.program(RsaEntry.KEY, 65537)
    assert on_rsa["cycles"] == programs.program(RsaEntry.PRIVATE, 65537)
    assert "neither blinded nor checked" in on_modexp["what"]
    assert public["cycles"] == 18 * 1026 + 1024 + 4  # see the sequencer's page
    for secret in (key.d, key.p, key.q):
        assert str(secret) not in text
        assert f"{secret:x}" not in text
    assert run_cli(monkeypatch, "key", "--key", "public.pem") == 0
    out = capsys.readouterr().out
    assert "RSA, public" in out
    assert "sign, decrypt" not in out


def test_a_wrong_passphrase_is_asked_for_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    form = PrivateFormat.PKCS8, BestAvailableEncryption(b"right")
    (folder / "locked.pem").write_bytes(shared_key().private_bytes(Encoding.PEM, *form))
    answers = ["wrong", "right"]
    monkeypatch.setattr("modfab.cli.passphrase.TERMINAL", os.devnull)
    monkeypatch.setattr("getpass.getpass", lambda prompt: answers.pop(0))
    assert run_cli(monkeypatch, "key", "--key", "locked.pem") == 2
    captured = capsys.readouterr()
    assert (captured.out, answers) == ("", ["right"])
    assert "passphrase does not open it" in captured.err


def test_what_cannot_compute_with_a_key_says_why() -> None:
    short = uses_of(RsaPrivate(n=77, e=7, d=43, p=7, q=11))
    assert [use.refusal.partition(",")[0] for use in short] == [
        "The RSA core takes two primes of 34 to 2064 bits each and of as many 32-bit words as each "
        "other",
        "The engine qp_systolic takes keys of 64 to 8192 bits",
        "",
    ]
    assert [use.cycles is None for use in short] == [True, True, False]
    (even,) = uses_of(RsaPublic(n=78, e=7))
    assert "n must be odd" in even.refusal
    (wide,) = uses_of(RsaPublic(n=(1 << 8999) + 1, e=65537))
    assert wide.what == "verify, encrypt"
    long = RsaPublic(n=(1 << 17000) + 1, e=(1 << 16999) + 1)  # too long for str()
    assert facts_of(long)["public_exponent"] == hex(long.e)
    assert wide.refusal.startswith("No engine takes a key of 9000 bits, the longest is 8192")


def test_a_key_from_a_pipe(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pipe, as in `--key <(command)`, can be read once only."""
    reader, writer = os.pipe()
    os.write(writer, (folder / "public.pem").read_bytes())
    os.close(writer)
    assert run_cli(monkeypatch, "key", "--key", f"/dev/fd/{reader}", "--json") == 0
    os.close(reader)
    assert json.loads(capsys.readouterr().out)["kind"] == "RSA, public"


def test_cycles_of_key_are_those_of_the_commands(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(monkeypatch, "key", "--key", "key.pem", "--json") == 0
    on_rsa, on_modexp, public = json.loads(capsys.readouterr().out)["uses"]
    sign = ("sign", "--key", "key.pem", "--in", "text", "--out", "s", "--device", "model", "--json")
    for options, use in (((), on_rsa), (("--core", "modexp"), on_modexp)):
        assert run_cli(monkeypatch, *sign, *options) == 0
        report = json.loads(capsys.readouterr().out)
        assert (report["setup_cycles"], report["exp_cycles"]) == (
            use["setup_cycles"],
            use["cycles"],
        )
    verify = ("verify", "--key", "key.pem", "--in", "text", "--sig", "s", "--device", "model")
    assert run_cli(monkeypatch, *verify, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["setup_cycles"], report["exp_cycles"]) == (
        public["setup_cycles"],
        public["cycles"],
    )


def test_three_primes(
    folder: Path,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "three.der").write_bytes(three_primes(rng))
    use_device(monkeypatch, None)
    sign = ("sign", "--key", "three.der", "--in", "text", "--out", "s", "--padding", "pkcs1")
    assert run_cli(monkeypatch, *sign) == 2
    text = "modfab: The RSA core computes with two primes, but this key has more of them; --core m"
    assert capsys.readouterr().err.startswith(text)
    assert not (folder / "s").exists()
    use_device(monkeypatch, PythonDevice())
    assert run_cli(monkeypatch, *sign, "--core", "modexp") == 0
    captured = capsys.readouterr()
    assert "has neither blinding nor a check of its own" in captured.err
    verify = ("verify", "--key", "three.der", "--in", "text", "--sig", "s", "--padding", "pkcs1")
    assert run_cli(monkeypatch, *verify) == 0
    assert run_cli(monkeypatch, "key", "--key", "three.der") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "more than two primes" in shown
    assert "RSA core, qp_systolic The RSA core computes with two primes, but this key has" in shown
    assert re.search(r"neither blinded nor checked [\d,]+ cycles, set-up of the key [\d,]+ ", shown)


def test_primes_of_different_lengths(
    folder: Path,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    key = make_key(rng, 600, 424)
    parts = key.parts()
    numbers = [0, key.n, key.e, key.d, *(parts[name] for name in ("P", "Q", "DP", "DQ", "QI"))]
    (folder / "uneven.der").write_bytes(DerSequence(numbers).encode())
    use_device(monkeypatch, None)
    for command in ("sign", "decrypt"):
        words = (command, "--key", "uneven.der", "--in", "key.pem", "--out", "s")
        (folder / "key.pem").write_bytes(bytes(128))
        assert run_cli(monkeypatch, *words) == 2
        err = capsys.readouterr().err
        assert "two primes of 34 to 2064 bits each and of as many 32-bit words" in err
        assert "have 600 and 424 bits; --core modexp takes it, without blinding" in err


def damaged(folder: Path, rng: random.Random) -> dict[str, bytes]:
    pem = (folder / "key.pem").read_bytes()
    der = shared_key().private_bytes(Encoding.DER, *TRADITIONAL)
    numbers: list[int] = DerSequence().decode(der)[:]
    pair, other = make_key(rng, 256, 256), make_key(rng, 256, 256)
    p, q = pair.p * pair.q, other.p  # good numbers, but for p, which is no prime
    d = pow(65537, -1, (pair.p - 1) * (pair.q - 1) * (q - 1))
    composite = [0, p * q, 65537, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)]
    ssh = b"-----BEGIN OPENSSH PRIVATE KEY-----\nYWJj\n-----END OPENSSH PRIVATE KEY-----\n"
    return {
        "cut.pem": pem[:500],
        "cut.der": der[:-100],
        "noise.pem": pem.replace(b"\nMII", b"\n?!I"),
        "n.der": DerSequence([*numbers[:1], numbers[1] + 2, *numbers[2:]]).encode(),
        "e.der": DerSequence([*numbers[:2], numbers[2] + 2, *numbers[3:]]).encode(),
        "prime.der": DerSequence(composite).encode(),
        "ssh": ssh,
        "any": b"nothing of the kind",
    }


WHY = {
    "cut.pem": ": its PEM block has no END line, so that the file is cut off; copy it again.",
    "cut.der": ": 100 bytes are missing at its end; copy it again.",
    "noise.pem": ": its PEM block is no base64, so that the file is damaged; copy it again.",
    "n.der": ": its n is not the product of its primes; make the key anew, or find an undamaged",
    "e.der": ": its e and d do not belong together; make the key anew, or find an undamaged copy.",
    "prime.der": "; if it is in another format (OpenSSH, PKCS#12), convert it with ssh-keygen or",
    "ssh": ": it is in the format of OpenSSH; convert a copy with ssh-keygen -p -m PEM -f COPY.",
    "any": "; if it is in another format (OpenSSH, PKCS#12), convert it with ssh-keygen or openss",
}


@pytest.mark.parametrize("name", WHY)
@pytest.mark.parametrize("command", ["sign", "encrypt", "key"])
def test_why_a_key_cannot_be_read(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    command: str,
    rng: random.Random,
) -> None:
    (folder / name).write_bytes(damaged(folder, rng)[name])
    use_device(monkeypatch, None)
    words = [command, "--key", name] + ([] if command == "key" else ["--in", "text", "--out", "s"])
    assert run_cli(monkeypatch, *words) == 2
    start = f"modfab: Expected an RSA key in PEM or DER, but {name} holds no key that can be read"
    err = capsys.readouterr().err
    assert err.startswith(start + WHY[name])
    assert err.count("\n") == 1
