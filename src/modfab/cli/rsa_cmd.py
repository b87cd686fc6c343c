# SPDX-License-Identifier: Apache-2.0
"""`modfab encrypt`, `decrypt`, `sign` and `verify`: RSA of files, exponentiated on a core."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from modfab.cli.core_run import (
    DEFAULT_DEVICE,
    DEFAULT_ENGINE,
    CoreChoice,
    DeviceOption,
    PrivateCore,
    key_for,
    print_report,
    run_many,
    run_private,
    run_public,
)
from modfab.cli.files import (
    STANDARD,
    check_output,
    input_name,
    named_output,
    read_block,
    read_chunks,
    write_output,
)
from modfab.cli.many import (
    FileOutcome,
    Inputs,
    Many,
    file_bar,
    file_job,
    pairs_of,
    print_outcomes,
    private_many,
    public_many,
)
from modfab.cli.merged import with_options
from modfab.cli.openssl_line import openssl_line
from modfab.cli.options import AsJson, EngineName
from modfab.cli.padding import (
    TypedEncryption,
    encryption_options,
    signing_options,
    verifying_options,
)
from modfab.cli.passphrase import passphrase_file, passphrase_source
from modfab.cli.private_core import with_private_core
from modfab.errors import CryptoError, UsageError
from modfab.host.batch import Job
from modfab.host.choice import public_choice
from modfab.host.core_key import ModExp
from modfab.host.digests import Digest, Hash, new_digest
from modfab.host.encryption import (
    Encryption,
    EncryptionOptions,
    check_ciphertext,
    check_message,
    decrypt,
    encrypt,
)
from modfab.host.keys import RsaPublic, load_private, load_public
from modfab.host.rsa import RsaOnModexp
from modfab.host.rsa_open import RsaVerifier
from modfab.host.signature import check_signer, sign, verify
from modfab.host.signature_options import Signature, SignatureOptions, SignatureScheme

PublicKeyOption = Annotated[
    Path, typer.Option("--key", help="Public key, certificate or private key, PEM or DER.")
]
PrivateKeyOption = Annotated[Path, typer.Option("--key", help="Private key, PEM or DER.")]
PublicCoreOption = Annotated[
    PrivateCore,
    typer.Option(
        "--core",
        help="modexp: an exponentiator. rsa: an RSA core for public operations only, which "
        "computes twice and compares.",
    ),
]
OutOption = Annotated[
    Path,
    typer.Option("-o", "--out", callback=named_output, help="Output file; - is standard output."),
]
PassinOption = Annotated[
    str | None,
    typer.Option(
        "--passin",
        metavar="env:NAME|file:PATH",
        help="Passphrase of an encrypted key; without it a prompt asks.",
    ),
]


@with_options("many", public_many)
@with_options("options", encryption_options)
def encrypt_command(
    options: TypedEncryption,
    many: Many,
    key_path: PublicKeyOption,
    output_path: OutOption = STANDARD,
    passin: PassinOption = None,
    engine: EngineName = DEFAULT_ENGINE,
    device: DeviceOption = DEFAULT_DEVICE,
    core: PublicCoreOption = "modexp",
    as_json: AsJson = False,
) -> None:
    """Encrypt a short file (at most about the length of the key) with an RSA public key.

    Example: modfab encrypt --key public.pem --in message --out secret
    """
    kept = _kept(key_path, passin) | _label(options)
    if many.asked:
        pairs = pairs_of(many, output_path, ".enc", kept)
        key = load_public(key_path, passphrase_source(passin, key_path))

        def make(path: Path, modexp: ModExp) -> bytes:
            return encrypt(read_block(path), key, modexp, options)

        jobs = [file_job(pair, make, secret=False) for pair in pairs]
        choice = public_choice(device, engine, key, core)
        fields = _encryption_fields("encrypt", key, options)
        _run_files("Encrypted", choice, key, jobs, fields, as_json=as_json, public=True)
        return
    _check_files(output_path, {"--in": many.input_path} | kept, as_json=as_json)
    key = load_public(key_path, passphrase_source(passin, key_path))
    message = read_block(many.input_path)
    check_message(message, key, options)
    choice = public_choice(device, engine, key, core)
    ciphertext, cost = run_public(
        choice,
        key,
        "encrypting",
        lambda unit: encrypt(message, key, unit.public_operation(key), options),
    )
    write_output(output_path, ciphertext, secret=False)
    if output_path != STANDARD:
        fields = _encryption_fields("encrypt", key, options)
        line = f"Encrypted {len(message)} bytes into {output_path}"
        print_report(line, fields, choice, cost, as_json=as_json)


@with_options("many", private_many)
@with_options("options", encryption_options)
@with_private_core
def decrypt_command(
    choice: CoreChoice,
    options: TypedEncryption,
    many: Many,
    key_path: PrivateKeyOption,
    output_path: OutOption = STANDARD,
    passin: PassinOption = None,
    as_json: AsJson = False,
) -> None:
    """Decrypt a file with an RSA private key.

    Example: modfab decrypt --key key.pem --in secret --out plain --engine sos --engines 2

    With pkcs1 a wrong key or a damaged file gives random bytes, not an error, as in OpenSSL
    since 3.2: an error would help an attacker who can send files.
    """
    _check_implicit_rejection(choice, options)
    kept = _kept(key_path, passin) | _label(options)
    if many.asked:
        pairs = pairs_of(many, output_path, ".dec", kept)
        key = _private_key(choice, key_path, passin)

        def make(path: Path, modexp: ModExp) -> bytes:
            return decrypt(read_block(path), key, modexp, options)

        jobs = [file_job(pair, make, secret=True) for pair in pairs]
        fields = _encryption_fields("decrypt", key, options)
        _run_files("Decrypted", choice, key, jobs, fields, many.cores, as_json=as_json)
        return
    input_path = many.input_path
    _check_files(output_path, {"--in": input_path} | kept, as_json=as_json)
    key = _private_key(choice, key_path, passin)
    ciphertext = read_block(input_path)
    check_ciphertext(ciphertext, key)
    message, cost = run_private(
        choice,
        key,
        "decrypting",
        lambda unit: decrypt(ciphertext, key, unit.private_operation(key), options),
    )
    write_output(output_path, message, secret=True)
    if output_path != STANDARD:
        fields = _encryption_fields("decrypt", key, options)
        line = f"Decrypted {len(message)} bytes into {output_path}"
        print_report(line, fields, choice, cost, as_json=as_json)


@with_options("many", private_many)
@with_options("options", signing_options)
@with_private_core
def sign_command(
    choice: CoreChoice,
    options: SignatureOptions,
    many: Many,
    key_path: PrivateKeyOption,
    output_path: OutOption = STANDARD,
    passin: PassinOption = None,
    as_json: AsJson = False,
) -> None:
    """Sign a file of any length with an RSA private key; the salt of pss is as long as the hash.

    Example: modfab sign --key key.pem --in README.md --out README.sig --padding pkcs1
    """
    kept = _kept(key_path, passin)
    if many.asked:
        pairs = pairs_of(many, output_path, ".sig", kept)
        key = _private_key(choice, key_path, passin)
        scheme = options.for_signing(key)
        check_signer(new_digest(scheme.hash_name), key, options)

        def make(path: Path, modexp: ModExp) -> bytes:
            return sign(_digest_file(path, scheme.hash_name), key, modexp, options)

        jobs = [file_job(pair, make, secret=False) for pair in pairs]
        fields = _signature_fields("sign", key, scheme)
        _run_files("Signed", choice, key, jobs, fields, many.cores, as_json=as_json)
        return
    input_path = many.input_path
    _check_files(output_path, {"--in": input_path} | kept, as_json=as_json)
    key = _private_key(choice, key_path, passin)
    scheme = options.for_signing(key)
    digest = _digest_file(input_path, scheme.hash_name)
    check_signer(digest, key, options)
    signature, cost = run_private(
        choice, key, "signing", lambda unit: sign(digest, key, unit.private_operation(key), options)
    )
    write_output(output_path, signature, secret=False)
    if output_path != STANDARD:
        fields = _signature_fields("sign", key, scheme)
        how = f"{scheme.padding.value} and {scheme.hash_name.value}"
        line = f"Signed {input_name(input_path)} into {output_path} with {how}"
        print_report(line, fields, choice, cost, as_json=as_json)
        if not as_json:
            print(f"verify: {openssl_line(scheme, key, key_path, input_path, output_path)}")


@with_options("options", verifying_options)
def verify_command(
    options: SignatureOptions,
    key_path: PublicKeyOption,
    signature_path: Annotated[Path, typer.Option("--sig", help="Signature; - is standard input.")],
    inputs: Inputs = None,
    passin: PassinOption = None,
    engine: EngineName = DEFAULT_ENGINE,
    device: DeviceOption = DEFAULT_DEVICE,
    core: PublicCoreOption = "modexp",
    as_json: AsJson = False,
) -> None:
    """Check the signature of a file with an RSA public key; exit code 1 when it is not valid.

    Example: modfab verify --key public.pem --in README.md --sig README.sig

    Example: modfab verify --core rsa --key public.pem --in image.bin --sig image.sig
    """
    input_path = _only(inputs or [STANDARD])
    if input_path == STANDARD and signature_path == STANDARD:
        raise UsageError(
            "Standard input cannot be both the file and its signature; name a file after --in or "
            "--sig."
        )
    key = load_public(key_path, passphrase_source(passin, key_path))
    scheme = options.for_verifying(key)
    signature = read_block(signature_path)
    digest = _digest_file(input_path, scheme.hash_name)
    choice = public_choice(device, engine, key, core)

    def job(unit: RsaOnModexp | RsaVerifier) -> CryptoError | None:
        try:
            verify(digest, signature, key, unit.public_operation(key), options)
        except CryptoError as error:
            return error
        return None

    refusal, cost = run_public(choice, key, "verifying", job)
    fields = _signature_fields("verify", key, scheme)
    if refusal is None or as_json:
        line = f"The signature of {input_name(input_path)} is valid"
        fields["valid"] = refusal is None
        print_report(line, fields, choice, cost, as_json=as_json)
    if refusal is not None:
        raise refusal


def _check_implicit_rejection(choice: CoreChoice, options: EncryptionOptions) -> None:
    if choice.rsa is not None and choice.rsa.loaded and options.padding is Encryption.PKCS1:
        raise UsageError(
            "--padding pkcs1 needs the private key here, for its answer to a wrong padding, but "
            "--loaded leaves it in the core; choose oaep or raw, or give the private key."
        )


def _run_files(
    verb: str,
    choice: CoreChoice,
    key: RsaPublic,
    jobs: list[Job[FileOutcome]],
    fields: dict[str, object],
    cores: int = 1,
    *,
    as_json: bool,
    public: bool = False,
) -> None:
    """Work on many files, with one key load."""
    with file_bar(verb.lower(), len(jobs)) as done:
        outcomes, cost = run_many(choice, key, jobs, done, cores, public=public)
    print_outcomes(verb, outcomes, fields, choice, cost, as_json=as_json)


def _private_key(choice: CoreChoice, path: Path, passin: str | None) -> RsaPublic:
    """The key of a private operation; its public half where the core holds it already."""
    source = passphrase_source(passin, path)
    if choice.rsa is not None and choice.rsa.loaded:
        return load_public(path, source)
    return key_for(choice, load_private(path, source))


def _kept(key_path: Path, passin: str | None) -> dict[str, Path]:
    """Files that open the key, by the option that names them; a result must not replace them."""
    phrase = passphrase_file(passin)
    return {"--key": key_path} | ({"--passin": phrase} if phrase else {})


def _label(options: TypedEncryption) -> dict[str, Path]:
    return {"--label": options.label_path} if options.label_path else {}


def _only(inputs: list[Path]) -> Path:
    if len(inputs) > 1:
        raise UsageError(
            f"One signature is checked of one file, but --in names {len(inputs)}; give one."
        )
    return inputs[0]


def _check_files(output_path: Path, inputs: dict[str, Path], *, as_json: bool) -> None:
    if as_json and output_path == STANDARD:
        raise UsageError(
            "Standard output cannot take both the result and the report of --json; name a file "
            "after --out."
        )
    check_output(output_path, inputs)


def _digest_file(path: Path, hash_name: Hash) -> Digest:
    digest = new_digest(hash_name)
    for chunk in read_chunks(path):
        digest.update(chunk)
    return digest


def _encryption_fields(
    command: str, key: RsaPublic, options: EncryptionOptions
) -> dict[str, object]:
    fields: dict[str, object] = {"command": command, "num_bits": key.num_bits}
    fields |= {"padding": options.padding.value, "hash": None}
    if options.padding is Encryption.OAEP:
        fields |= {"hash": options.oaep_hash.value, "mgf_hash": options.oaep_mgf_hash.value}
    return fields


def _signature_fields(command: str, key: RsaPublic, scheme: SignatureScheme) -> dict[str, object]:
    fields: dict[str, object] = {"command": command, "num_bits": key.num_bits}
    fields |= {"padding": scheme.padding.value, "hash": scheme.hash_name.value}
    if scheme.padding is Signature.PSS:
        fields |= {"mgf_hash": scheme.mgf_hash.value, "salt": scheme.salt}
    return fields
