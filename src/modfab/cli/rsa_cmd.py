# SPDX-License-Identifier: Apache-2.0
"""`modfab encrypt`, `decrypt`, `sign` and `verify`: RSA with files, the power on a core."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from modfab.cli.core_run import (
    DEFAULT_DEVICE,
    DEFAULT_ENGINE,
    PUBLIC_SEQUENCER,
    CoreChoice,
    DeviceOption,
    key_for,
    print_report,
    run_on_core,
    run_private,
)
from modfab.cli.files import (
    STANDARD,
    check_output,
    input_name,
    read_block,
    read_chunks,
    write_output,
)
from modfab.cli.options import AsJson, EngineName
from modfab.cli.passphrase import passphrase_source
from modfab.cli.private_core import with_private_core
from modfab.errors import CryptoError, UsageError
from modfab.host.digests import Digest, Hash, new_digest
from modfab.host.encryption import Encryption, check_ciphertext, check_message, decrypt, encrypt
from modfab.host.keys import RsaPublic, load_private, load_public
from modfab.host.rsa import RsaOnModexp
from modfab.host.signature import Signature, check_signer, sign, verify

SignatureHash = Literal["sha256", "sha384", "sha512"]

PublicKeyOption = Annotated[
    Path, typer.Option("--key", help="Public key, certificate or private key, PEM or DER.")
]
PrivateKeyOption = Annotated[Path, typer.Option("--key", help="Private key, PEM or DER.")]
InOption = Annotated[Path, typer.Option("--in", help="Input file; - is standard input.")]
OutOption = Annotated[Path, typer.Option("--out", help="Output file; - is standard output.")]
PassinOption = Annotated[
    str | None,
    typer.Option(
        "--passin",
        metavar="env:NAME|file:PATH",
        help="Passphrase of an encrypted key; without it a prompt asks.",
    ),
]
EncryptionOption = Annotated[Encryption, typer.Option("--padding", help="Padding.")]
SignatureOption = Annotated[Signature, typer.Option("--padding", help="Padding.")]
OaepHashOption = Annotated[
    Hash | None,
    typer.Option("--hash", help="Hash of OAEP and its mask; sha1 unless given, as in openssl."),
]
SignatureHashOption = Annotated[SignatureHash, typer.Option("--hash", help="Hash of the file.")]


def encrypt_command(
    key_path: PublicKeyOption,
    input_path: InOption = STANDARD,
    output_path: OutOption = STANDARD,
    padding: EncryptionOption = Encryption.OAEP,
    hash_name: OaepHashOption = None,
    passin: PassinOption = None,
    engine: EngineName = DEFAULT_ENGINE,
    device: DeviceOption = DEFAULT_DEVICE,
    as_json: AsJson = False,
) -> None:
    """Encrypt a short file (at most about the length of the key) with an RSA public key.

    Example: modfab encrypt --key public.pem --in message --out secret
    """
    chosen_hash = _oaep_hash(padding, hash_name)
    _check_files(output_path, {"--in": input_path, "--key": key_path}, as_json=as_json)
    key = load_public(key_path, passphrase_source(passin, key_path))
    message = read_block(input_path)
    check_message(message, key, padding, chosen_hash)
    choice = CoreChoice(device, engine, PUBLIC_SEQUENCER)
    ciphertext, cost = run_on_core(
        choice,
        key,
        "encrypting",
        lambda core: encrypt(message, key, core.public_power(key), padding, chosen_hash),
    )
    write_output(output_path, ciphertext, secret=False)
    if output_path != STANDARD:
        fields = _fields("encrypt", key, padding, chosen_hash)
        line = f"Encrypted {len(message)} bytes into {output_path}"
        print_report(line, fields, choice, cost, as_json=as_json)


@with_private_core
def decrypt_command(
    choice: CoreChoice,
    key_path: PrivateKeyOption,
    input_path: InOption = STANDARD,
    output_path: OutOption = STANDARD,
    padding: EncryptionOption = Encryption.OAEP,
    hash_name: OaepHashOption = None,
    passin: PassinOption = None,
    as_json: AsJson = False,
) -> None:
    """Decrypt a file with an RSA private key.

    Example: modfab decrypt --key key.pem --in secret --out plain --engine sos --engines 2

    With pkcs1 a wrong key or a damaged file gives random bytes, not an error, as in OpenSSL
    since 3.2: an error would help an attacker who can send files.
    """
    chosen_hash = _oaep_hash(padding, hash_name)
    if choice.rsa is not None and choice.rsa.loaded and padding is Encryption.PKCS1:
        raise UsageError(
            "--padding pkcs1 needs the private key here, for its answer to a wrong padding, but "
            "--loaded leaves it in the core; choose oaep or raw, or give the private key."
        )
    _check_files(output_path, {"--in": input_path, "--key": key_path}, as_json=as_json)
    key = _private_key(choice, key_path, passin)
    ciphertext = read_block(input_path)
    check_ciphertext(ciphertext, key)
    message, cost = run_private(
        choice,
        key,
        "decrypting",
        lambda unit: decrypt(ciphertext, key, unit.private_power(key), padding, chosen_hash),
    )
    write_output(output_path, message, secret=True)
    if output_path != STANDARD:
        fields = _fields("decrypt", key, padding, chosen_hash)
        line = f"Decrypted {len(message)} bytes into {output_path}"
        print_report(line, fields, choice, cost, as_json=as_json)


@with_private_core
def sign_command(
    choice: CoreChoice,
    key_path: PrivateKeyOption,
    input_path: InOption = STANDARD,
    output_path: OutOption = STANDARD,
    padding: SignatureOption = Signature.PSS,
    hash_name: SignatureHashOption = "sha256",
    passin: PassinOption = None,
    as_json: AsJson = False,
) -> None:
    """Sign a file of any length with an RSA private key; the salt of pss is as long as the hash.

    Example: modfab sign --key key.pem --in README.md --out README.sig --padding pkcs1
    """
    _check_files(output_path, {"--in": input_path, "--key": key_path}, as_json=as_json)
    key = _private_key(choice, key_path, passin)
    digest = _digest_file(input_path, hash_name)
    check_signer(digest, key, padding)
    signature, cost = run_private(
        choice, key, "signing", lambda unit: sign(digest, key, unit.private_power(key), padding)
    )
    write_output(output_path, signature, secret=False)
    if output_path != STANDARD:
        fields = _fields("sign", key, padding, Hash(hash_name))
        line = f"Signed {input_name(input_path)} into {output_path}"
        print_report(line, fields, choice, cost, as_json=as_json)


def verify_command(
    key_path: PublicKeyOption,
    signature_path: Annotated[Path, typer.Option("--sig", help="Signature; - is standard input.")],
    input_path: InOption = STANDARD,
    padding: SignatureOption = Signature.PSS,
    hash_name: SignatureHashOption = "sha256",
    passin: PassinOption = None,
    engine: EngineName = DEFAULT_ENGINE,
    device: DeviceOption = DEFAULT_DEVICE,
    as_json: AsJson = False,
) -> None:
    """Check the signature of a file with an RSA public key; exit code 1 when it is not valid.

    Example: modfab verify --key public.pem --in README.md --sig README.sig
    """
    if input_path == STANDARD and signature_path == STANDARD:
        raise UsageError(
            "Standard input cannot be both the file and its signature; name a file after --in or "
            "--sig."
        )
    key = load_public(key_path, passphrase_source(passin, key_path))
    signature = read_block(signature_path)
    digest = _digest_file(input_path, hash_name)
    choice = CoreChoice(device, engine, PUBLIC_SEQUENCER)

    def job(core: RsaOnModexp) -> CryptoError | None:
        try:
            verify(digest, signature, key, core.public_power(key), padding)
        except CryptoError as error:
            return error
        return None

    refusal, cost = run_on_core(choice, key, "verifying", job)
    fields = _fields("verify", key, padding, Hash(hash_name))
    if refusal is None or as_json:
        line = f"The signature of {input_name(input_path)} is valid"
        fields["valid"] = refusal is None
        print_report(line, fields, choice, cost, as_json=as_json)
    if refusal is not None:
        raise refusal


def _private_key(choice: CoreChoice, path: Path, passin: str | None) -> RsaPublic:
    """The key of a private operation; its public half where the core holds it already."""
    source = passphrase_source(passin, path)
    if choice.rsa is not None and choice.rsa.loaded:
        return load_public(path, source)
    return key_for(choice, load_private(path, source))


def _check_files(output_path: Path, inputs: dict[str, Path], *, as_json: bool) -> None:
    if as_json and output_path == STANDARD:
        raise UsageError(
            "Standard output cannot take both the result and the report of --json; name a file "
            "after --out."
        )
    check_output(output_path, inputs)


def _oaep_hash(padding: Encryption, hash_name: Hash | None) -> Hash:
    if hash_name is not None and padding is not Encryption.OAEP:
        raise UsageError(
            f"--hash belongs to --padding oaep, but the padding is {padding.value}; leave one of "
            "them out."
        )
    return hash_name or Hash.SHA1


def _digest_file(path: Path, hash_name: SignatureHash) -> Digest:
    digest = new_digest(Hash(hash_name))
    for chunk in read_chunks(path):
        digest.update(chunk)
    return digest


def _fields(
    command: str, key: RsaPublic, padding: Encryption | Signature, hash_name: Hash
) -> dict[str, object]:
    hashed = isinstance(padding, Signature) or padding is Encryption.OAEP
    return {
        "command": command,
        "num_bits": key.num_bits,
        "padding": padding.value,
        "hash": hash_name.value if hashed else None,
    }
