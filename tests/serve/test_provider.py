# SPDX-License-Identifier: Apache-2.0
"""The OpenSSL provider under sanitizers: all schemes, threads, forks, wrong paddings, failures."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from modfab.host.encryption import Encryption, EncryptionOptions, decrypt
from modfab.serve import protocol
from modfab.serve.client import Client
from modfab.serve.protocol import Frame, Operation, Status
from tests.support.daemon import PythonUnit, daemon, key_folder, short_key, write_key
from tests.support.false_daemon import NOBODY, false_daemon, skip_without_other_users
from tests.support.openssl import (
    SANITIZERS,
    Stage,
    build,
    compile_client,
    make_stage,
    start_as_another_group,
)
from tests.support.rejection import copies_of, missing
from tests.support.rsa_keys import ours, python_private, shared_key

SOURCE = Path(__file__).parent / "c" / "provider_client.c"
STATE_SOURCE = Path(__file__).parent / "c" / "provider_state.c"
CONTEXT_SOURCE = Path(__file__).parent / "c" / "provider_context.c"
LIKE_SOURCE = Path(__file__).parent / "c" / "provider_like.c"
LIMITS_SOURCE = Path(__file__).parent / "c" / "provider_limits.c"
KEYS = ["modfab:web", "web.pem"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Configuration and client, both with sanitizers."""
    folder = tmp_path_factory.mktemp("provider")
    config = build(folder, SANITIZERS)
    return config, compile_client(folder / "client", SOURCE, SANITIZERS)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration for programs that have no sanitizers themselves."""
    return build(tmp_path_factory.mktemp("plain"))


@pytest.fixture
def stage(tmp_path: Path, built: tuple[Path, Path]) -> Stage:
    return make_stage(tmp_path, built[0], shared_key(1024))


@pytest.fixture
def served(stage: Stage) -> Iterator[Client]:
    keys = key_folder(stage.folder / "keys", web=shared_key(1024))
    with daemon(stage.socket, keys, PythonUnit, PythonUnit) as client:
        yield client


def jobs(client: Client) -> int:
    devices = client.health()["devices"]
    assert isinstance(devices, list)
    return sum(device["jobs"] for device in devices)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("what", "at_least"), [("all", 30), ("threads", 65)])
def test_schemes_threads_and_forks(
    stage: Stage, served: Client, built: tuple[Path, Path], key: str, what: str, at_least: int
) -> None:
    before = jobs(served)
    stage.run(built[1], key, "public.pem", what)
    assert jobs(served) - before >= at_least
    assert served.health()["errors"] == 0


@pytest.mark.parametrize("key", KEYS)
def test_implicit_rejection(
    stage: Stage, served: Client, built: tuple[Path, Path], key: str, rng: random.Random
) -> None:
    """Right, random and almost right paddings give what pycryptodome's decoder gives."""
    own = ours(shared_key(1024))
    size = own.num_bytes
    filler = bytes(rng.randrange(1, 256) for _ in range(size))
    blocks = [
        b"\0\2" + filler[: size - 10] + b"\0message",
        b"\0\2" + filler[:8] + b"\0" + filler[: size - 11],
        b"\0\2" + filler[:7] + b"\0" + filler[: size - 10],  # the padding is too short
        b"\0\2" + filler[: size - 2],  # no end
        b"\0\2" + filler[: size - 3] + b"\0",  # an empty message
        b"\0\1" + filler[: size - 10] + b"\0message",
        b"\1\2" + filler[: size - 10] + b"\0message",
    ]
    assert {len(block) for block in blocks} == {size}
    numbers = [int.from_bytes(block, "big") for block in blocks]
    secrets = [pow(number % own.n, own.e, own.n) for number in numbers]
    secrets += [rng.randrange(own.n) for _ in range(12)]
    texts = [secret.to_bytes(size, "big") for secret in secrets]
    output = stage.run(built[1], key, "public.pem", "decrypt", *(text.hex() for text in texts))
    wanted = [
        decrypt(text, own, python_private(own), EncryptionOptions(Encryption.PKCS1))
        for text in texts
    ]
    assert [bytes.fromhex(line) for line in output.split("\n")[:-1]] == wanted
    assert wanted[0] == b"message"
    longest = max(range(7, len(texts)), key=lambda index: len(wanted[index]))
    check_cleansed(stage, built[1], key, texts[longest], wanted[longest])


def check_cleansed(stage: Stage, client: Path, key: str, secret: bytes, message: bytes) -> None:
    """No copy is left of what a wrong padding decrypts to, nor of a key from a file."""
    words = client, key, "public.pem", "cleansed", secret.hex()
    *lines, last = stage.run(*words).split()
    assert bytes.fromhex(last) == message
    cleansed, own = [bytes.fromhex(line) for line in lines], ours(shared_key(1024))
    asked = key == "modfab:web"
    assert missing(cleansed, copies_of(own, secret, asked=asked)) == []
    if not asked:
        d = own.d.to_bytes(own.num_bytes, "big")
        assert missing(cleansed, [(0, d), (0, hashlib.sha256(d).digest())]) == []
        n, p = own.n.to_bytes(own.num_bytes, "big"), own.p.to_bytes(own.num_bytes // 2, "big")
        assert any(part.startswith(n) and p in part for part in cleansed)
        numbers = (protocol.number(part) for part in (own.n, own.e, own.d, own.p, own.q))
        request = Frame(Operation.PRIVATE_WITH, (*numbers, secret)).encode()
        assert any(part.startswith(request) for part in cleansed)


@pytest.mark.parametrize("key", KEYS)
def test_tls_padding(
    stage: Stage, served: Client, built: tuple[Path, Path], key: str, rng: random.Random
) -> None:
    own = ours(shared_key(1024))
    size = own.num_bytes
    filler = bytes(rng.randrange(1, 256) for _ in range(size))
    secret = b"\3\3" + rng.randbytes(46)
    right = b"\0\2" + filler[: size - 51] + b"\0" + secret
    wrong = [
        b"\0\2" + filler[: size - 51] + b"\0\3\2" + secret[2:],
        b"\0\2" + filler[: size - 51] + b"\1" + secret,
        b"\0\1" + filler[: size - 51] + b"\0" + secret,
        b"\0\2" + filler[: size - 52] + b"\0\0" + secret,
    ]
    words = [
        pow(int.from_bytes(block, "big"), own.e, own.n).to_bytes(size, "big").hex()
        for block in (right, *wrong, wrong[0])
    ]
    first, *others = stage.run(built[1], key, "public.pem", "tls", *words).split()
    assert bytes.fromhex(first) == secret
    assert len(set(others)) == len(others)  # random each time
    assert all(len(other) == 96 and other[4:] != first[4:] for other in others)


def test_without_a_daemon(stage: Stage, built: tuple[Path, Path]) -> None:
    text = stage.config.read_text().replace("activate = 1\n\n# Keys", "activate = 1\nX\n\n# Keys")
    for setting, works in (("patience = 0", False), ("patience = 0\nfallback = yes", True)):
        config = stage.folder / "own.cnf"
        config.write_text(text.replace("\nX\n", f"\n{setting}\n"))
        own = Stage(stage.folder, config, stage.socket)
        if works:
            own.run(built[1], "web.pem", "public.pem", "all")
        else:
            assert "the daemon gave no result" in own.run(
                built[1], "web.pem", "public.pem", "fails"
            )
        assert "No daemon answers" in own.run(
            built[1], "modfab:web", "public.pem", "fails", code=None
        )


@pytest.mark.parametrize(
    "setting",
    ["timeout = soon", "patience = 86401", "fallback = maybe", "socket = " + "x" * 200],
)
def test_wrong_settings(stage: Stage, plain: Path, setting: str) -> None:
    config = stage.folder / "own.cnf"
    text = plain.read_text()
    config.write_text(text.replace("activate = 1\n\n# Keys", f"activate = 1\n{setting}\n\n# Keys"))
    own = Stage(stage.folder, config, Path())
    environment = {"MODFAB_SOCKET": ""}
    words = ["env", *(f"{name}={value}" for name, value in environment.items())]
    log = own.run(*words, "openssl", "dgst", "-sign", "web.pem", "-out", "s", "message", code=None)
    assert "correct the provider's section" in log


def test_a_private_key_is_never_given_away(stage: Stage, served: Client, plain: Path) -> None:
    stage = Stage(stage.folder, plain, stage.socket)
    assert "PRIVATE" not in stage.openssl("pkey", "-in", "modfab:web", code=None)
    public = stage.openssl("pkey", "-in", "modfab:web", "-pubout")
    assert public == (stage.folder / "public.pem").read_text()
    names = ("none", "no key of this name"), ("a/b", "letters, digits"), ("a" * 65, "1 to 64")
    for uri, text in names:
        assert text in stage.openssl("pkey", "-in", f"modfab:{uri}", code=None)


# ---- what answers is no daemon, or a bad one ----
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (Frame(Status.OK, (b"\1" * 128, bytes(8), bytes(8))).encode(), "wrong result"),
        (Frame(Status.OK, (bytes(127), bytes(8), bytes(8))).encode(), "gave no result"),
        (Frame(Status.OK, (b"",) * 9).encode(), "gave no result"),
        (Frame(Status.OK).encode(), "gave no result"),
        (Frame(Status.DEVICE, (b"broken",)).encode(), "gave no result"),
        (Frame(77, (b"broken",)).encode(), "gave no result"),
        (b"\0\0\xff\xff" + bytes(100), "gave no result"),
        (b"\0\0\0\x04\x01\x00\xff\xff", "gave no result"),
        (b"\0\0\0\x03\x01\x00\xff", "gave no result"),
        (b"\0\0\0\x02\x02\x00", "gave no result"),
    ],
)
def test_bad_answers(stage: Stage, built: tuple[Path, Path], answer: bytes, text: str) -> None:
    with false_daemon(stage.socket, answer):
        assert text in stage.run(built[1], "modfab:web", "public.pem", "fails")


@pytest.mark.parametrize(
    ("key", "code", "text"),
    [("modfab:web", None, "nothing was sent to it"), ("web.pem", 0, "gave no result")],
)
def test_what_another_user_listens_with_gets_nothing(
    stage: Stage, built: tuple[Path, Path], key: str, code: int | None, text: str
) -> None:
    """Not the key of a file, which goes along with its operation."""
    skip_without_other_users()
    with false_daemon(stage.socket, Frame(Status.OK).encode(), user=NOBODY) as requests:
        assert text in stage.run(built[1], key, "public.pem", "fails", code=code)
    assert requests == []


# ---- what the provider keeps between calls ----
@pytest.fixture(scope="module")
def state(built: tuple[Path, Path]) -> Path:
    return compile_client(built[0].parent / "state", STATE_SOURCE, SANITIZERS)


@pytest.mark.parametrize("what", ["keys", "settings"])
def test_state(stage: Stage, served: Client, state: Path, what: str) -> None:
    """Contexts keep a key that OpenSSL drops; salts are read back, wrong settings refused."""
    stage.run(state, "web.pem", what)


@pytest.mark.parametrize("trusted", [True, False])
def test_the_socket_of_who_is_not_trusted(stage: Stage, plain: Path, trusted: bool) -> None:
    """A set-group-ID program asks the configured daemon, not that of MODFAB_SOCKET."""
    program = compile_client(stage.folder / "program", STATE_SOURCE, "undefined")
    config = stage.folder / "own.cnf"
    settings = "activate = 1\npatience = 0\nsocket = /none/configured\n\n# Keys"
    config.write_text(plain.read_text().replace("activate = 1\n\n# Keys", settings))
    if not trusted:
        start_as_another_group(program)
    own = Stage(stage.folder, Path("/dev/null"), Path("/none/chosen"))
    log = own.run(program, config, "secure")
    assert f"secure {int(not trusted)}" in log
    assert ("(/none/chosen)" if trusted else "(/none/configured)") in log


# ---- the provider beside OpenSSL's own ----
@pytest.fixture(scope="module")
def like(built: tuple[Path, Path]) -> Path:
    return compile_client(built[0].parent / "like", LIKE_SOURCE, SANITIZERS)


@pytest.mark.parametrize("what", ["begun", "identifiers", "long", "edges", "digests", "generation"])
def test_it_answers_as_openssl_does(stage: Stage, served: Client, like: Path, what: str) -> None:
    stage.run(like, "web.pem", what)


def test_the_default_context_may_have_no_algorithm(
    stage: Stage, served: Client, built: tuple[Path, Path]
) -> None:
    """Random bytes and hashes are those of the provider's own context, which leaves nothing."""
    program = compile_client(built[0].parent / "context", CONTEXT_SOURCE, SANITIZERS)
    stage.run(program, "web.pem")
    assert jobs(served) == 4
    config = stage.folder / "fallback.cnf"
    text = stage.config.read_text()
    config.write_text(
        text.replace("activate = 1\n\n# Keys", "activate = 1\nfallback = yes\n\n# Keys")
    )
    Stage(stage.folder, config, stage.folder / "nobody").run(program, "web.pem")


# ---- at their limits ----
@pytest.fixture(scope="module")
def limits(built: tuple[Path, Path]) -> Path:
    return compile_client(built[0].parent / "limits", LIMITS_SOURCE, SANITIZERS)


@pytest.mark.parametrize("what", ["salts", "lengths", "tls", "rejection", "store", "keys"])
def test_limits(stage: Stage, served: Client, limits: Path, what: str) -> None:
    stage.run(limits, "web.pem", what)


def test_salts_of_a_key_with_a_byte_of_one_bit(
    stage: Stage, served: Client, limits: Path, rng: random.Random
) -> None:
    """The encoding is a byte shorter than the modulus."""
    write_key(stage.folder / "odd.pem", short_key(rng, 1025))
    stage.run(limits, "odd.pem", "salts")
