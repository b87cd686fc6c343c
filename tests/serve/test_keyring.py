# SPDX-License-Identifier: Apache-2.0
"""Keys from a folder: owner and mode, links, names, contents; the seed of implicit rejection."""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path

import pytest
from Crypto.Util.asn1 import DerSequence

from modfab.errors import CryptoError, UsageError
from modfab.host.encryption import Encryption, EncryptionOptions, decrypt
from modfab.host.keys import Passphrase, RsaPrivate, load_private
from modfab.serve.keyring import Keyring, rejection_seed
from modfab.serve.protocol import MAX_FRAME_BYTES, Frame, NoKeyError, Status, receive
from tests.host.test_pss_keys import openssl
from tests.support.daemon import key_folder, shared_short_key
from tests.support.false_daemon import skip_without_other_users
from tests.support.rejection import rejection_message
from tests.support.rsa_keys import ours, python_private


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return key_folder(tmp_path / "keys", web=shared_short_key(512))


def test_keys_by_name(folder: Path) -> None:
    (folder / "notes.txt").write_text("no key")
    key_folder(folder, wide=shared_short_key(1024))
    ring = Keyring(folder)
    assert ring.names() == ["web", "wide"]
    assert ring.get("web") == ours(shared_short_key(512))
    assert ring.widest() == ours(shared_short_key(1024))
    ring.forget()
    assert ring.names() == []
    with pytest.raises(NoKeyError):
        ring.get("web")
    assert Keyring(None).widest() is None


def test_a_private_exponent_that_is_too_long(folder: Path) -> None:
    """Loaders take it; as a number of the modulus' length it would not fit."""
    key = ours(shared_short_key(512))
    d = key.d + (key.p - 1) * (key.q - 1)
    parts = (0, key.n, key.e, d, key.p, key.q, d % (key.p - 1), d % (key.q - 1))
    der = DerSequence([*parts, pow(key.q, -1, key.p)]).encode()
    (folder / "web.pem").write_bytes(der)
    with pytest.raises(CryptoError, match=r"web\.pem cannot be used.*d must be above 0 and below"):
        Keyring(folder)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_file_that_others_may_use(folder: Path, mode: int) -> None:
    (folder / "web.pem").chmod(mode)
    with pytest.raises(UsageError, match="chmod 0600"):
        Keyring(folder)


def test_a_folder_that_others_may_use(folder: Path) -> None:
    folder.chmod(0o750)
    with pytest.raises(UsageError, match="chmod 0700"):
        Keyring(folder)


def test_another_owner(folder: Path) -> None:
    skip_without_other_users()
    os.chown(folder / "web.pem", 12345, -1)
    with pytest.raises(UsageError, match="own it"):
        Keyring(folder)


def test_links_and_other_things(folder: Path, tmp_path: Path) -> None:
    (folder / "web.pem").rename(tmp_path / "web.pem")
    (folder / "web.pem").symlink_to(tmp_path / "web.pem")
    with pytest.raises(UsageError, match="no symbolic link"):
        Keyring(folder)
    (folder / "web.pem").unlink()
    os.mkfifo(folder / "web.pem", 0o600)
    with pytest.raises(UsageError, match="Expected a file"):
        Keyring(folder)
    (folder / "web.pem").unlink()
    (folder / "web.pem").mkdir(0o700)
    with pytest.raises(UsageError, match=f"Expected a file at {folder}/web.pem"):
        Keyring(folder)
    with pytest.raises(UsageError, match="--keys"):
        Keyring(tmp_path / "none")


def test_a_name_that_is_none(folder: Path) -> None:
    (folder / "web.pem").rename(folder / "a b.pem")
    with pytest.raises(UsageError, match="rename the file"):
        Keyring(folder)


def test_names_that_fill_a_frame(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest list of names that the daemon can send is the longest that it loads."""
    monkeypatch.setattr("modfab.serve.keyring._load", lambda path: ours(shared_short_key(512)))
    room = MAX_FRAME_BYTES - 2 - (2 + len("web"))
    for index in range(room // 66):  # each a length and 64 letters
        (folder / f"{index:064}.pem").touch()
    last = "x" * (room % 66 - 2)
    (folder / f"{last}.pem").touch()
    names = tuple(name.encode() for name in Keyring(folder).names())
    ours_end, theirs = socket.socketpair()
    with ours_end, theirs:
        assert len(Frame(Status.OK, names).encode()) == 4 + MAX_FRAME_BYTES
        ours_end.sendall(Frame(Status.OK, names).encode())
        assert receive(theirs) == Frame(Status.OK, names)
    (folder / f"{last}.pem").rename(folder / f"{last}x.pem")
    with pytest.raises(UsageError, match=r"a list of them has room for 65536; shorten the names"):
        Keyring(folder)


def test_the_file_that_was_looked_at_is_the_one_that_is_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = key_folder(tmp_path / "other", web=shared_short_key(1024)) / "web.pem"

    def swapped(path: Path, passphrase: Passphrase) -> RsaPrivate:
        other.replace(folder / "web.pem")
        return load_private(path, passphrase)

    monkeypatch.setattr("modfab.serve.keyring.load_private", swapped)
    assert Keyring(folder).get("web") == ours(shared_short_key(512))


def test_a_file_without_a_key(folder: Path) -> None:
    (folder / "web.pem").write_text("nothing")
    with pytest.raises(CryptoError, match=r"without a passphrase in .*web.pem"):
        Keyring(folder)


@pytest.mark.parametrize("options", [(), ("-pkeyopt", "rsa_pss_keygen_md:sha256")])
def test_a_key_for_pss_only(folder: Path, options: tuple[str, ...]) -> None:
    """Nothing in the daemon could hold it to that."""
    path = folder / "pss.pem"
    words = ("genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:1024", *options)
    assert openssl(folder, *words, "-out", str(path))
    path.chmod(0o600)
    with pytest.raises(CryptoError, match=r"pss\.pem is for PSS signatures only.* move the file"):
        Keyring(folder)


def test_rejection_seed(rng: random.Random) -> None:
    """The last message that the seed gives is the one that a wrong padding decrypts to."""
    key = ours(shared_short_key(512))
    ciphertext = rng.randrange(key.n).to_bytes(key.num_bytes, "big")
    message = decrypt(ciphertext, key, python_private(key), EncryptionOptions(Encryption.PKCS1))
    assert rejection_message(rejection_seed(key, ciphertext), key.num_bytes) == message
