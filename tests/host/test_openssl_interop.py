# SPDX-License-Identifier: Apache-2.0
"""The `openssl` command and `modfab`, both ways: one encrypts or signs, the other undoes it.

1024 bits on the golden model by default; 2048 and 3072 bits on the simulated core in `--full`.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from modfab.host.encryption import DECRYPTION_FAILED
from tests.support.cli import run_cli
from tests.support.rsa_keys import OPENSSL_HASH

PHRASE = "pass phrase"
SIZES = [
    pytest.param((1024, "model"), id="1024"),
    pytest.param((2048, "sim"), id="2048", marks=pytest.mark.full),
    pytest.param((3072, "sim"), id="3072", marks=pytest.mark.full),
]
LABEL = ["--label", "file:label"]
HASHES = [name.value for name in OPENSSL_HASH]


def oaep(hash_name: str, *more: str) -> list[str]:
    """Options of `openssl pkeyutl`."""
    options = ("rsa_padding_mode:oaep", f"rsa_oaep_md:{hash_name}", *more)
    return [word for option in options for word in ("-pkeyopt", option)]


MORE_ENCRYPTION = {
    **{f"oaep-{name}": (oaep(name), ["--hash", name]) for name in HASHES},
    "mixed": (
        oaep("sha512-224", "rsa_mgf1_md:sha3-384"),
        ["--hash", "sha512-224", "--mgf-hash", "sha3-384"],
    ),
    "label": (oaep("sha1", "rsa_oaep_label:616200ff"), ["--label", "hex:616200ff"]),
    "label-file": (oaep("sha256", "rsa_oaep_label:6c6162656c"), ["--hash", "sha256", *LABEL]),
}
ENCRYPTION = {
    "oaep": (["-pkeyopt", "rsa_padding_mode:oaep"], []),
    "pkcs1": (["-pkeyopt", "rsa_padding_mode:pkcs1"], ["--padding", "pkcs1"]),
    "oaep-sha256": (oaep("sha256"), ["--padding", "oaep", "--hash", "sha256"]),
    "java": (oaep("sha256", "rsa_mgf1_md:sha1"), ["--hash", "sha256", "--mgf-hash", "sha1"]),
    "raw": (["-pkeyopt", "rsa_padding_mode:none"], ["--padding", "raw"]),
}
SALTS = ["digest", "max", "auto", "0", "17"]
MGF = ["sha1", "sha256", "sha3-224", "sha512-256"]
SIGNATURE = {"pss": ["-sigopt", "rsa_padding_mode:pss"], "pkcs1": []}


@dataclass(frozen=True)
class Bench:
    """A folder with a key of OpenSSL's and a message, and the two commands."""

    folder: Path
    num_bits: int
    device: str
    monkeypatch: pytest.MonkeyPatch

    def openssl(self, *words: str) -> None:
        program = shutil.which("openssl")
        assert program is not None, "the launcher installs openssl where it is missing"
        done = subprocess.run([program, *words], cwd=self.folder, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()

    def modfab(self, *words: str) -> int:
        return run_cli(self.monkeypatch, *words, "--device", self.device)

    def read(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()


@pytest.fixture(params=SIZES)
def bench(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    num_bits, device = request.param
    return make_bench(tmp_path, num_bits, device, monkeypatch)


def make_bench(
    tmp_path: Path, num_bits: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> Bench:
    bench = Bench(tmp_path, num_bits, device, monkeypatch)
    monkeypatch.chdir(tmp_path)
    bench.openssl("genrsa", "-out", "key.pem", str(num_bits))
    bench.openssl("rsa", "-in", "key.pem", "-pubout", "-out", "public.pem")
    (tmp_path / "label").write_bytes(b"label")
    (tmp_path / "message").write_bytes(b"from one to the other\n")
    (tmp_path / "block").write_bytes(bytes(1) + bytes(range(1, 128)) + bytes(num_bits // 8 - 128))
    return bench


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The shortest key that every hash fits, on the model."""
    return make_bench(tmp_path, 1536, "model", monkeypatch)


@pytest.mark.parametrize("padding", ENCRYPTION)
def test_encryption_both_ways(bench: Bench, padding: str) -> None:
    check_encryption(bench, *ENCRYPTION[padding], "block" if padding == "raw" else "message")


@pytest.mark.parametrize("padding", MORE_ENCRYPTION)
def test_every_hash_of_oaep(small: Bench, padding: str) -> None:
    check_encryption(small, *MORE_ENCRYPTION[padding], "message")


def check_encryption(bench: Bench, theirs: list[str], options: list[str], message: str) -> None:
    files = ["-in", message, "-out", "ciphertext"]
    bench.openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", "public.pem", *files, *theirs)
    decrypt = ["decrypt", "--key", "key.pem", "--in", "ciphertext", "--out", "plain"]
    assert bench.modfab(*decrypt, *options) == 0
    assert bench.read("plain") == bench.read(message)
    encrypt = ["encrypt", "--key", "public.pem", "--in", message, "--out", "ciphertext"]
    assert bench.modfab(*encrypt, *options) == 0
    files = ["-in", "ciphertext", "-out", "back"]
    bench.openssl("pkeyutl", "-decrypt", "-inkey", "key.pem", *files, *theirs)
    assert bench.read("back") == bench.read(message)


@pytest.mark.parametrize("hash_name", ["sha256", "sha384"])
@pytest.mark.parametrize("padding", SIGNATURE)
def test_signature_both_ways(bench: Bench, padding: str, hash_name: str) -> None:
    theirs = ["dgst", f"-{hash_name}", *SIGNATURE[padding]]
    both_ways(bench, theirs, ["--padding", padding, "--hash", hash_name])


@pytest.mark.parametrize("hash_name", HASHES)
@pytest.mark.parametrize("padding", SIGNATURE)
def test_every_hash_of_signatures(small: Bench, padding: str, hash_name: str) -> None:
    theirs = ["dgst", f"-{hash_name}", *SIGNATURE[padding]]
    both_ways(small, theirs, ["--padding", padding, "--hash", hash_name])


@pytest.mark.parametrize("mgf_hash", MGF)
@pytest.mark.parametrize("salt", SALTS)
def test_every_salt_and_mask(small: Bench, mgf_hash: str, salt: str) -> None:
    options = ["--mgf-hash", mgf_hash, "--salt", salt]
    theirs = ["dgst", "-sha256", *SIGNATURE["pss"], "-sigopt", f"rsa_mgf1_md:{mgf_hash}"]
    both_ways(small, [*theirs, "-sigopt", f"rsa_pss_saltlen:{salt}"], options)


def both_ways(bench: Bench, theirs: list[str], options: list[str]) -> None:
    """Each signs what the other verifies."""
    sign = ["sign", "--key", "key.pem", "--in", "message", "--out", "ours", *options]
    allow = ["--allow-sha1"] if options[-2:] == ["--hash", "sha1"] else []
    assert bench.modfab(*sign, *allow) == 0
    bench.openssl(*theirs, "-verify", "public.pem", "-signature", "ours", "message")
    bench.openssl(*theirs, "-sign", "key.pem", "-out", "theirs", "message")
    verify = ["verify", "--key", "public.pem", "--in", "message", *options]
    assert bench.modfab(*verify, "--sig", "theirs") == 0
    assert bench.modfab(*verify, "--sig", "ours") == 0


def test_wrong_oaep(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["-in", "message", "-out", "ciphertext"]
    bench.openssl("pkeyutl", "-encrypt", "-pubin", "-inkey", "public.pem", *files)
    decrypt = ["decrypt", "--key", "key.pem", "--in", "ciphertext", "--out", "plain"]
    assert bench.modfab(*decrypt) == 1
    assert capsys.readouterr() == ("", f"modfab: {DECRYPTION_FAILED}\n")
    assert not (bench.folder / "plain").exists()


@pytest.mark.parametrize(
    "conversion",
    [
        ("rsa", "-traditional", "-aes128", "-passout", f"pass:{PHRASE}"),
        ("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-passout", f"pass:{PHRASE}"),
        ("pkcs8", "-topk8", "-outform", "DER", "-passout", f"pass:{PHRASE}"),
        ("rsa", "-traditional", "-outform", "DER"),
    ],
    ids=lambda words: "-".join(words[:3]),
)
@pytest.mark.parametrize("device", ["model", pytest.param("sim", marks=pytest.mark.full)])
def test_key_formats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, conversion: tuple[str, ...]
) -> None:
    bench = Bench(tmp_path, 1024, device, monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KEY_PHRASE", PHRASE)
    bench.openssl("genrsa", "-out", "key.pem", "1024")
    bench.openssl(conversion[0], "-in", "key.pem", "-out", "key", *conversion[1:])
    bench.openssl("rsa", "-in", "key.pem", "-RSAPublicKey_out", "-out", "pkcs1.pem")
    bench.openssl("req", "-x509", "-new", "-key", "key.pem", "-subj", "/CN=a", "-out", "cert.pem")
    sign = ["sign", "--key", "key", "--passin", "env:KEY_PHRASE", "--in", "key.pem"]
    assert bench.modfab(*sign, "--out", "signature") == 0
    for public in ("pkcs1.pem", "cert.pem"):
        verify = ["verify", "--key", public, "--in", "key.pem", "--sig", "signature"]
        assert bench.modfab(*verify) == 0
