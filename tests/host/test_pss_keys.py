# SPDX-License-Identifier: Apache-2.0
"""RSA-PSS keys: what their parameters allow is what the `openssl` command allows.

A sample of key, hash, mask hash and salt by default, every combination with `--full`.
"""

from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from Crypto.Util.asn1 import DerBitString, DerInteger, DerNull, DerObject, DerObjectId, DerSequence

from modfab.errors import CryptoError, OperandError, UsageError
from modfab.host.digests import Hash, new_digest
from modfab.host.encryption import Encryption, EncryptionOptions, decrypt, encrypt
from modfab.host.keys import RsaPrivate, RsaPublic, load_private, load_public
from modfab.host.pss_limits import PssLimits, private_limits, public_limits
from modfab.host.signature import sign, verify
from modfab.host.signature_options import Salt, Signature, SignatureOptions
from tests.support.cli import PythonDevice, run_cli, use_device
from tests.support.rsa_keys import python_private, python_public

PHRASE = b"phrase"
KINDS = {
    "free": ([], PssLimits()),
    "sha256": (["rsa_pss_keygen_md:sha256"], PssLimits(Hash.SHA256, Hash.SHA1, 20)),
    "mixed": (
        ["rsa_pss_keygen_md:sha512", "rsa_pss_keygen_mgf1_md:sha256", "rsa_pss_keygen_saltlen:20"],
        PssLimits(Hash.SHA512, Hash.SHA256, 20),
    ),
    "long": (
        ["rsa_pss_keygen_md:sha256", "rsa_pss_keygen_mgf1_md:sha256", "rsa_pss_keygen_saltlen:40"],
        PssLimits(Hash.SHA256, Hash.SHA256, 40),
    ),
    "truncated": (
        ["rsa_pss_keygen_md:sha512-256", "rsa_pss_keygen_saltlen:0"],
        PssLimits(Hash.SHA512_256, Hash.SHA1, 0),
    ),
}
SALTS: list[Salt | int | None] = [None, Salt.DIGEST, Salt.MAX, Salt.AUTO, 0, 20, 40, 78]
MESSAGE = b"signed by one, looked at by the other\n"
Choice = tuple[Hash, Hash | None, Salt | int | None]
CHOICES: list[Choice] = list(
    itertools.product(
        [Hash.SHA256, Hash.SHA512, Hash.SHA512_256],
        [None, Hash.SHA1, Hash.SHA256, Hash.SHA512],
        SALTS,
    )
)


def no_phrase() -> bytes:
    raise AssertionError("the passphrase was asked for")


def openssl(folder: Path, *words: str) -> bool:
    """Whether the command succeeded."""
    program = shutil.which("openssl")
    assert program is not None, "the launcher installs openssl where it is missing"
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


def make_files(folder: Path, kind: str) -> tuple[RsaPrivate, RsaPublic]:
    """A key of this kind in `key.pem` and `public.pem`, and both as modfab reads them."""
    words = [word for option in KINDS[kind][0] for word in ("-pkeyopt", option)]
    bits = ["-pkeyopt", "rsa_keygen_bits:1152"]
    assert openssl(folder, "genpkey", "-algorithm", "RSA-PSS", *bits, *words, "-out", "key.pem")
    assert openssl(folder, "pkey", "-in", "key.pem", "-pubout", "-out", "public.pem")
    (folder / "message").write_bytes(MESSAGE)
    key = load_private(folder / "key.pem", no_phrase)
    return key, load_public(folder / "public.pem", no_phrase)


def their_options(choice: Choice) -> list[str]:
    hash_name, mgf_hash, salt = choice
    words = [f"-{hash_name.value}", "-sigopt", "rsa_padding_mode:pss"]
    if salt is not None:
        text = salt.value if isinstance(salt, Salt) else str(salt)
        words += ["-sigopt", f"rsa_pss_saltlen:{text}"]
    if mgf_hash is not None:
        words += ["-sigopt", f"rsa_mgf1_md:{mgf_hash.value}"]
    return words


def our_options(choice: Choice) -> SignatureOptions:
    hash_name, mgf_hash, salt = choice
    return SignatureOptions(Signature.PSS, hash_name, mgf_hash, salt)


def our_signature(key: RsaPrivate, choice: Choice) -> bytes | None:
    try:
        return sign(new_digest(choice[0], MESSAGE), key, python_private(key), our_options(choice))
    except UsageError:
        return None


def we_accept(key: RsaPublic, choice: Choice, signature: bytes) -> bool:
    digest = new_digest(choice[0], MESSAGE)
    try:
        verify(digest, signature, key, python_public(key), our_options(choice))
    except (CryptoError, UsageError):
        return False
    return True


def they_differ(kind: str, choice: Choice) -> bool:
    """Whether versions of OpenSSL differ: a key with limits and the length `auto`.

    3.0, which modfab follows, signs with it and does not verify; 3.5 and 3.6 the other way round.
    """
    return kind != "free" and choice[2] is Salt.AUTO and "OpenSSL 3.0." not in version()


@cache
def version() -> str:
    return subprocess.run(["openssl", "version"], capture_output=True, check=True).stdout.decode()


def check_choices(folder: Path, kind: str, choices: list[Choice], rng: random.Random) -> None:
    """Sign with both, where they agree that it may be done; then verify with other options."""
    key, public = make_files(folder, kind)
    for made in choices:
        if they_differ(kind, made):
            print(f"not compared with {version().strip()}, which differs from 3.0: {kind}, {made}")
            continue
        ours = our_signature(key, made)
        files = ["-out", "theirs", "message"]
        allowed = openssl(folder, "dgst", *their_options(made), "-sign", "key.pem", *files)
        assert (ours is not None) == allowed, (kind, made)
        if ours is None:
            continue
        (folder / "ours").write_bytes(ours)
        for asked in (made, rng.choice(CHOICES)):
            if they_differ(kind, asked):
                print(f"not verified as {asked}: {version().strip()} differs from 3.0")
                continue
            for name in ("ours", "theirs"):
                words = ["-verify", "public.pem", "-signature", name, "message"]
                verdict = openssl(folder, "dgst", *their_options(asked), *words)
                found = we_accept(public, asked, (folder / name).read_bytes())
                assert found == verdict, (kind, made, asked, name)


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_says_what_is_allowed(tmp_path: Path, kind: str) -> None:
    key, public = make_files(tmp_path, kind)
    assert key.pss == public.pss == KINDS[kind][1]
    assert key.public() == public


@pytest.mark.parametrize("kind", KINDS)
def test_sample_of_choices(rng: random.Random, tmp_path: Path, kind: str) -> None:
    check_choices(tmp_path, kind, rng.sample(CHOICES, 8), rng)


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_every_choice(rng: random.Random, tmp_path: Path, kind: str) -> None:
    check_choices(tmp_path, kind, CHOICES, rng)


@pytest.mark.parametrize("kind", ["free", "mixed"])
@pytest.mark.parametrize(
    "conversion",
    [
        ["pkcs8", "-topk8", "-passout", "pass:phrase"],
        ["pkcs8", "-topk8", "-scrypt", "-passout", "pass:phrase"],
        ["pkcs8", "-topk8", "-outform", "DER", "-passout", "pass:phrase"],
        ["pkey", "-outform", "DER"],
    ],
    ids=["pbes2", "scrypt", "der-pbes2", "der"],
)
def test_key_formats(tmp_path: Path, kind: str, conversion: list[str]) -> None:
    key, _ = make_files(tmp_path, kind)
    assert openssl(tmp_path, *conversion, "-in", "key.pem", "-out", "key")
    assert load_private(tmp_path / "key", lambda: PHRASE) == key
    assert load_public(tmp_path / "key", lambda: PHRASE) == key.public()


def test_an_encryption_that_hides_the_parameters(tmp_path: Path) -> None:
    make_files(tmp_path, "mixed")
    words = ["-topk8", "-v1", "PBE-SHA1-3DES", "-passout", "pass:phrase", "-in", "key.pem"]
    for form in ("PEM", "DER"):
        assert openssl(tmp_path, "pkcs8", *words, "-outform", form, "-out", "key")
        with pytest.raises(CryptoError, match="hides whether the key is for PSS only"):
            load_private(tmp_path / "key", lambda: PHRASE)


@pytest.mark.parametrize("kind", ["free", "mixed"])
@pytest.mark.parametrize("form", ["PEM", "DER"])
def test_public_forms(tmp_path: Path, kind: str, form: str) -> None:
    _, public = make_files(tmp_path, kind)
    words = ["req", "-x509", "-new", "-key", "key.pem", "-subj", "/CN=a", "-out", "cert"]
    assert openssl(tmp_path, *words, "-sha512", "-outform", form)
    assert openssl(tmp_path, "pkey", "-in", "key.pem", "-pubout", "-outform", form, "-out", "key")
    for name in ("cert", "key"):
        assert load_public(tmp_path / name, no_phrase) == public


def test_only_the_key_that_is_read_counts(tmp_path: Path) -> None:
    """Two keys in one file: the first is used, and not the other one's parameters."""
    make_files(tmp_path, "mixed")
    restricted = (tmp_path / "key.pem").read_bytes()
    assert openssl(tmp_path, "genrsa", "-out", "plain.pem", "1024")
    both = (tmp_path / "plain.pem").read_bytes() + restricted
    (tmp_path / "both.pem").write_bytes(both)
    assert load_private(tmp_path / "both.pem", no_phrase).pss is None


def test_other_blocks_do_no_harm(tmp_path: Path) -> None:
    """What else is in the file, damaged or of another kind; the limits are found behind it, too."""
    key, public = make_files(tmp_path, "mixed")
    names = ("PRIVATE KEY", "PUBLIC KEY", "CERTIFICATE", "SOMETHING ELSE")
    texts = ("AAAA", "MAMCAQA=", "MAA=", "MAwwBgYEKgMEBQMCAAE=")
    junk = "".join(
        f"-----BEGIN {name}-----\n{text}\n-----END {name}-----\n"
        for name in names
        for text in texts
    ).encode()
    for name, load in (("key.pem", load_private), ("public.pem", load_public)):
        (tmp_path / "both").write_bytes((tmp_path / name).read_bytes() + junk)
        assert load(tmp_path / "both", no_phrase) == (key if name == "key.pem" else public)
    before = junk + (tmp_path / "key.pem").read_bytes()
    assert private_limits(before, None, key.n) == key.pss
    before = junk + (tmp_path / "public.pem").read_bytes()
    assert public_limits(before, key.n) == key.pss


def test_unknown_parameters(tmp_path: Path) -> None:
    _, _ = make_files(tmp_path, "mixed")
    assert openssl(tmp_path, "pkey", "-in", "key.pem", "-outform", "DER", "-out", "key")
    good = (tmp_path / "key").read_bytes()
    sha512, mgf1 = bytes.fromhex("6086480165030402030500"), bytes.fromhex("2a864886f70d010108")
    for old, new in ((sha512, sha512[:8] + b"\x7f" + sha512[9:]), (mgf1, mgf1[:-1] + b"\x7f")):
        assert good.count(old) == 1
        (tmp_path / "key").write_bytes(good.replace(old, new))
        with pytest.raises(CryptoError, match=r"a known hash and MGF1|no key that can be read"):
            load_private(tmp_path / "key", no_phrase)


MODULUS = 0xC5


def info_of(*parameters: DerObject) -> DerSequence:
    """A SubjectPublicKeyInfo of an RSA-PSS key with these parameters."""
    oid = DerObjectId("1.2.840.113549.1.1.10")
    numbers = DerSequence([MODULUS, 3]).encode()
    return DerSequence([DerSequence([oid, *parameters]), DerBitString(numbers)])


def public_info(trailer: int) -> DerSequence:
    """The same with that trailer field."""
    return info_of(DerSequence([DerInteger(trailer, explicit=3)]))


def test_a_trailer_that_is_not_the_usual_one() -> None:
    known = PssLimits(Hash.SHA1, Hash.SHA1, 20)
    assert public_limits(public_info(1).encode(), MODULUS) == known
    with pytest.raises(CryptoError, match="a known hash and MGF1"):
        public_limits(public_info(2).encode(), MODULUS)


@pytest.mark.parametrize(
    "parameters", [DerInteger(5), DerSequence([5]), DerSequence([DerSequence()])]
)
def test_parameters_of_another_form(parameters: DerObject) -> None:
    with pytest.raises(CryptoError, match="a known hash and MGF1"):
        public_limits(info_of(parameters).encode(), MODULUS)


def test_no_parameters() -> None:
    assert public_limits(info_of().encode(), MODULUS) == PssLimits()
    assert public_limits(info_of(DerNull()).encode(), MODULUS) == PssLimits()


@pytest.mark.parametrize("version", [1, 3])
def test_certificates_with_and_without_a_version(version: int) -> None:
    """A certificate of version 1 has no version field."""
    first = [DerInteger(2, explicit=0)] * (version == 3)
    empty = DerSequence()
    fields = [*first, DerInteger(1), *[empty] * 4, public_info(1)]
    certificate = DerSequence([DerSequence(fields), empty, DerBitString(b"")]).encode()
    assert public_limits(certificate, MODULUS) == PssLimits(Hash.SHA1, Hash.SHA1, 20)


@pytest.mark.parametrize(
    ("kind", "use"),
    [
        ("free", "PSS only, any hash, salt of 0 bytes or more"),
        ("mixed", "PSS only, sha512, salt of 20 bytes or more"),
    ],
)
def test_key_command_says_what_it_is_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    use: str,
) -> None:
    make_files(tmp_path, kind)
    for name in ("key.pem", "public.pem"):
        assert run_cli(monkeypatch, "key", "--key", tmp_path / name) == 0
        assert f" use {use} " in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("kind", ["free", "mixed"])
def test_nothing_but_pss(tmp_path: Path, kind: str) -> None:
    key, public = make_files(tmp_path, kind)
    pkcs1 = SignatureOptions(Signature.PKCS1)
    digest = new_digest(Hash.SHA256)
    with pytest.raises(UsageError, match="An RSA-PSS key signs with --padding pss only"):
        sign(digest, key, python_private(key), pkcs1)
    with pytest.raises(UsageError, match="An RSA-PSS key signs with --padding pss only"):
        verify(digest, bytes(144), public, python_public(public), pkcs1)
    for padding in Encryption:
        options = EncryptionOptions(padding)
        with pytest.raises(OperandError, match="An RSA-PSS key signs and does nothing else"):
            encrypt(bytes(144), public, python_public(public), options)
        with pytest.raises(OperandError, match="An RSA-PSS key signs and does nothing else"):
            decrypt(bytes(144), key, python_private(key), options)


def test_texts(tmp_path: Path) -> None:
    key, public = make_files(tmp_path, "mixed")
    for options, text in (
        (SignatureOptions(hash_name=Hash.SHA256), "allow --hash sha512 only, but got sha256"),
        (SignatureOptions(mgf_hash=Hash.SHA512), "allow --mgf-hash sha256 only, but got sha512"),
        (SignatureOptions(salt=19), "demand a salt of 20 bytes or more, but 19 were asked for"),
    ):
        with pytest.raises(UsageError, match=text):
            options.for_signing(key)
        with pytest.raises(UsageError, match=text):
            options.for_verifying(public)
    with pytest.raises(UsageError, match="--salt auto accepts any; leave it out"):
        SignatureOptions(salt=Salt.AUTO).for_verifying(public)


@pytest.mark.parametrize("core", ["rsa", "modexp"])
def test_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], core: str
) -> None:
    """Without options the commands follow the key, as `openssl pkeyutl` does."""
    make_files(tmp_path, "mixed")
    monkeypatch.chdir(tmp_path)
    use_device(monkeypatch, PythonDevice())
    sign = ["sign", "--key", "key.pem", "--in", "message", "--out", "sig", "--core", core]
    assert run_cli(monkeypatch, *sign) == 0
    check = ["verify", "--key", "public.pem", "--in", "message", "--sig", "sig"]
    assert run_cli(monkeypatch, *check) == 0
    theirs = ["dgst", "-sha512", "-sigopt", "rsa_padding_mode:pss", "-verify", "public.pem"]
    assert openssl(tmp_path, *theirs, "-signature", "sig", "message")
    capsys.readouterr()
    for refused in (
        [*sign, "--padding", "pkcs1"],
        [*sign, "--hash", "sha256"],
        ["encrypt", "--key", "public.pem", "--in", "message", "--out", "new"],
        ["decrypt", "--key", "key.pem", "--in", "sig", "--out", "new", "--padding", "raw"],
    ):
        assert run_cli(monkeypatch, *refused) == 2
        assert "RSA-PSS key" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
