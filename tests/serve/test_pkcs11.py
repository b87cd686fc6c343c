# SPDX-License-Identifier: Apache-2.0
"""The PKCS#11 module: OpenSC's tool tests it, under sanitizers too; OpenSSH signs with it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.serve.client import Client
from modfab.serve.keyring import rejection_seed
from modfab.serve.protocol import Frame, Operation, Status
from tests.support.daemon import PythonUnit, daemon, key_folder, short_key, wait_for
from tests.support.false_daemon import NOBODY, false_daemon, skip_without_other_users
from tests.support.openssl import (
    SANITIZERS,
    Stage,
    compile_client,
    make_stage,
    start_as_another_group,
)
from tests.support.rejection import copies_of, missing, rejection_message
from tests.support.rsa_keys import ours, shared_key

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = Path(__file__).parent / "c" / "pkcs11_client.c"
TOKEN_SOURCE = Path(__file__).parent / "c" / "pkcs11_token.c"
MOST_KEYS = 64
FUNCTION_FAILED = 6
DEVICE_ERROR = 0x30


def skip_without(*programs: str) -> None:
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} is not installed")


def build(folder: Path, sanitize: str = "") -> Path:
    """The module; skips where it cannot be compiled."""
    skip_without("make", "cc", "pkg-config", "openssl")
    for package in ("p11-kit-1", "libcrypto"):
        if subprocess.run(["pkg-config", "--exists", package], check=False).returncode:
            pytest.skip(f"the header files of {package} are not installed")
    words = ["make", "-s", "-C", str(ROOT / "sw" / "pkcs11"), f"OUT={folder}"]
    words += [f"SANITIZE={sanitize}"] * bool(sanitize)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "modfab-pkcs11.so"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("pkcs11"))


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return make_stage(tmp_path, Path(os.devnull), shared_key(1024))


@pytest.fixture
def served(stage: Stage) -> Iterator[Client]:
    keys = key_folder(stage.folder / "keys", web=shared_key(1024))
    with daemon(stage.socket, keys, PythonUnit) as client:
        yield client


def tool(stage: Stage, module: Path, *words: str, code: int | None = 0) -> str:
    skip_without("pkcs11-tool")
    return stage.run("pkcs11-tool", "--module", module, *words, code=code)


def test_objects(stage: Stage, served: Client, module: Path) -> None:
    text = tool(stage, module, "-O")
    assert "Public Key Object; RSA 1024 bits" in text
    assert "sensitive" in text  # but the key was in a file:
    assert "always sensitive" not in text
    assert "never extractable" not in text
    assert text.count("label:      web") == 2


def test_opensc_finds_no_error(stage: Stage, served: Client, module: Path) -> None:
    assert "No errors" in tool(stage, module, "--test", "--login")
    assert served.health()["errors"] == 0


@pytest.mark.full
def test_opensc_finds_no_error_under_sanitizers(
    stage: Stage, served: Client, tmp_path: Path
) -> None:
    sanitized = build(tmp_path / "sanitized", SANITIZERS)
    runtime = subprocess.run(
        ["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    ).stdout.strip()
    skip_without("pkcs11-tool")
    words = ["env", f"LD_PRELOAD={runtime}", "ASAN_OPTIONS=detect_leaks=0", "pkcs11-tool"]
    text = stage.run(*words, "--module", sanitized, "--test", "--login")
    assert "No errors" in text
    assert "Sanitizer" not in text


@pytest.mark.parametrize(
    ("mechanism", "padding"), [("SHA256-RSA-PKCS", "pkcs1"), ("SHA256-RSA-PKCS-PSS", "pss")]
)
def test_signatures(
    stage: Stage, served: Client, module: Path, mechanism: str, padding: str
) -> None:
    words = ("--sign", "-m", mechanism, "--label", "web", "-i", "message", "-o", "signature")
    tool(stage, module, *words)
    check = ("dgst", "-sha256", "-verify", "public.pem", "-sigopt", f"rsa_padding_mode:{padding}")
    text = stage.openssl(*check, "-signature", "signature", "message", ours=False)
    assert "Verified OK" in text


@pytest.mark.parametrize("padding", ["pkcs1", "oaep"])
def test_decryption(stage: Stage, served: Client, module: Path, padding: str) -> None:
    option = ["-pkeyopt", f"rsa_padding_mode:{padding}"]
    option += ["-pkeyopt", "rsa_oaep_md:sha256"] * (padding == "oaep")
    words = ["pkeyutl", "-encrypt", "-pubin", "-inkey", "public.pem", "-in", "message"]
    stage.openssl(*words, "-out", "secret", *option, ours=False)
    mechanism = ["-m", "RSA-PKCS"]
    if padding == "oaep":
        mechanism = ["-m", "RSA-PKCS-OAEP", "--hash-algorithm", "SHA256", "--mgf", "MGF1-SHA256"]
    words = ["--decrypt", *mechanism, "--label", "web", "-i", "secret", "-o", "plain"]
    tool(stage, module, *words)
    assert (stage.folder / "plain").read_text() == "what is signed\n"


def test_without_a_daemon(stage: Stage, module: Path) -> None:
    """The token has no key then; nothing is done in software."""
    words = ("--sign", "-m", "RSA-PKCS", "--label", "web", "-i", "message")
    assert "not found" in tool(stage, module, *words, code=None)


def test_openssh_signs_with_an_agent(
    stage: Stage, served: Client, module: Path, tmp_path: Path
) -> None:
    skip_without("ssh-agent", "ssh-add", "ssh-keygen")
    (tmp_path / "key.pub").write_text(stage.run("ssh-keygen", "-D", module))
    script = (
        f"ssh-add -s {module} && ssh-keygen -Y sign -f key.pub -n file message && "
        "echo user@host $(cat key.pub) > allowed && "
        "ssh-keygen -Y verify -f allowed -I user@host -n file -s message.sig < message"
    )
    askpass = ("SSH_ASKPASS=/bin/true", "SSH_ASKPASS_REQUIRE=force", "DISPLAY=")
    words = ("env", *askpass, "ssh-agent", "-P", f"{module.parent}/*", "sh", "-c", script)
    assert 'Good "file" signature for user@host' in stage.run(*words)
    (tmp_path / "message").write_text("another text\n")
    verify = "ssh-keygen -Y verify -f allowed -I user@host -n file -s message.sig < message"
    assert "incorrect signature" in stage.run("sh", "-c", verify, code=None)


# ---- calls of a program ----
def compile_caller(target: Path, sanitize: str, source: Path = SOURCE) -> Path:
    words = ["pkg-config", "--cflags", "p11-kit-1"]
    flags = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    return compile_client(target, source, sanitize, *flags)


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A program and the module that it loads, both with sanitizers."""
    folder = tmp_path_factory.mktemp("sanitized")
    loaded = build(folder, SANITIZERS)
    return compile_caller(folder / "caller", SANITIZERS), loaded


@pytest.mark.parametrize("what", ["first", "sign", "random"])
def test_calls(stage: Stage, served: Client, sanitized: tuple[Path, Path], what: str) -> None:
    stage.run(*sanitized, what)


@pytest.mark.parametrize("what", ["sign", "decrypt", "random"])
def test_the_configuration_of_a_program_is_not_for_the_module(
    stage: Stage, served: Client, sanitized: tuple[Path, Path], what: str
) -> None:
    """Here OpenSSL's default context has no hash, mask or random bytes."""
    config = stage.folder / "base.cnf"
    sections = "openssl_conf = a\n[a]\nproviders = b\n[b]\nbase = c\n[c]\nactivate = 1\n"
    config.write_text(sections)
    Stage(stage.folder, config, stage.socket).run(*sanitized, what)


@pytest.fixture(scope="module")
def token(sanitized: tuple[Path, Path]) -> tuple[Path, Path]:
    program = compile_caller(sanitized[0].parent / "token", SANITIZERS, TOKEN_SOURCE)
    return program, sanitized[1]


def test_token(stage: Stage, served: Client, token: tuple[Path, Path]) -> None:
    """Lists, sessions, objects, searches, parameters of mechanisms."""
    stage.run(*token)


@pytest.mark.parametrize("num_bits", [1017, 1019, 1024])
def test_bits_of_a_modulus(
    stage: Stage, token: tuple[Path, Path], rng: random.Random, num_bits: int
) -> None:
    keys = key_folder(stage.folder / "keys", web=short_key(rng, num_bits))
    with daemon(stage.socket, keys, PythonUnit):
        assert stage.run(*token, "bits").split() == [str(num_bits)]


def test_calls_of_a_decryption(
    stage: Stage, served: Client, sanitized: tuple[Path, Path], rng: random.Random
) -> None:
    """Errors of a decryption; no copy of what a wrong padding decrypts to stays in memory."""
    stage.run(*sanitized, "decrypt")
    key, secret, message = ours(shared_key(1024)), b"", b""
    while len(message) < 16:  # a short one may be anywhere
        secret = rng.randrange(key.n).to_bytes(key.num_bytes, "big")
        message = rejection_message(rejection_seed(key, secret), key.num_bytes)
    (stage.folder / "secret").write_bytes(secret)
    cleansed = [bytes.fromhex(line) for line in stage.run(*sanitized, "cleansed").split()]
    raised_again = (0, secret)  # to e, which the check compares
    assert missing(cleansed, [*copies_of(key, secret, asked=True), raised_again]) == []


def test_a_fork_while_the_daemon_works(stage: Stage, sanitized: tuple[Path, Path]) -> None:
    """The child begins anew, though a thread that it does not have held the lock."""
    busy, go, is_ready = stage.folder / "busy", stage.folder / "go", threading.Event()

    def wait(base: int) -> int:
        if not is_ready.is_set():  # the daemon tries its keys first
            return base
        busy.touch()
        wait_for(go.exists)
        return base

    keys = key_folder(stage.folder / "keys", web=shared_key(1024))
    with daemon(stage.socket, keys, lambda: PythonUnit(wait)):
        is_ready.set()
        try:
            stage.run(*sanitized, "fork", busy, go)
        finally:
            go.touch()


def names(count: int, length: int) -> tuple[bytes, ...]:
    return tuple(f"{index:03}".ljust(length, "k").encode() for index in range(count))


@pytest.mark.parametrize(("count", "length"), [(1, 3), (64, 64), (65, 3), (200, 64)])
def test_more_keys_than_the_token_shows(
    stage: Stage, sanitized: tuple[Path, Path], count: int, length: int
) -> None:
    """Also when their names do not fit into an answer of another kind."""
    with false_daemon(stage.socket, Frame(Status.OK, names(count, length)).encode()) as requests:
        assert stage.run(*sanitized, "count").split() == ["0", str(2 * min(count, MOST_KEYS))]
    asked = tuple(request.fields[0] for request in requests if request.fields)
    assert asked == names(count, length)[:MOST_KEYS]


def test_many_keys_of_a_daemon(stage: Stage, sanitized: tuple[Path, Path]) -> None:
    web = shared_key(1024)
    folder = key_folder(stage.folder / "keys", **{f"{index:064}": web for index in range(130)})
    with daemon(stage.socket, folder, PythonUnit):
        assert stage.run(*sanitized, "count").split() == ["0", str(2 * MOST_KEYS)]


@pytest.mark.parametrize("answer", [b"\0\0\0\x02\x02\x00", b"\0\0\0\x03\x01\x00\xff", b""])
def test_what_is_no_daemon(stage: Stage, sanitized: tuple[Path, Path], answer: bytes) -> None:
    with false_daemon(stage.socket, answer):
        assert stage.run(*sanitized, "count").split() == [str(FUNCTION_FAILED), "0"]


def test_a_token_is_whole_or_not_there(stage: Stage, sanitized: tuple[Path, Path]) -> None:
    """A daemon that cannot tell its keys is no daemon without keys."""
    answer = Frame(Status.DEVICE, (b"The core is gone.",)).encode()
    with false_daemon(stage.socket, answer):
        assert stage.run(*sanitized, "count").split() == [str(DEVICE_ERROR), "0"]


def test_a_wrong_result_is_an_error(stage: Stage, sanitized: tuple[Path, Path]) -> None:
    """As that of a daemon which was started again with another key of the name."""
    answer = Frame(Status.OK, (bytes(128), b"web", bytes(8))).encode()  # also a list of names
    with false_daemon(stage.socket, answer) as requests:
        stage.run(*sanitized, "wrong")
    assert sum(request.code == Operation.PRIVATE for request in requests) == 2


def test_another_user_is_told_nothing(stage: Stage, sanitized: tuple[Path, Path]) -> None:
    skip_without_other_users()
    answer = Frame(Status.OK, (b"web",)).encode()
    with false_daemon(stage.socket, answer, user=NOBODY) as requests:
        assert stage.run(*sanitized, "count").split() == [str(FUNCTION_FAILED), "0"]
    assert requests == []


@pytest.mark.parametrize("trusted", [True, False])
def test_the_socket_of_who_is_not_trusted(
    stage: Stage, served: Client, module: Path, trusted: bool
) -> None:
    """A set-group-ID program asks the daemon of the system, not that of MODFAB_SOCKET."""
    program = compile_caller(stage.folder / "program", "undefined")
    if not trusted:
        start_as_another_group(program)
    log = stage.run(program, module, "path")
    assert f"secure {int(not trusted)}" in log
    assert log.split("\n")[1].strip() == (str(stage.socket)[:64] if trusted else "/run/modfab.sock")
