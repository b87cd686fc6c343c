# SPDX-License-Identifier: Apache-2.0
"""Every public vector set of `cryptography-vectors` that fits, its exponentiations on the model.

Private operations run on the RSA core, public ones on the exponentiator. By default some of each
set, with `--full` every vector. Some of 1024 bits run on the simulated cores. `docs/vectors.md` has
the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from modfab.build.rsa import rsa_core
from modfab.errors import CryptoError
from modfab.host.digests import Hash, new_digest
from modfab.host.encryption import Encryption, EncryptionOptions, decrypt
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.open import open_device
from modfab.host.rsa import RsaOnModexp
from modfab.host.rsa_open import RsaUnit, open_rsa_device, prime_bits_of
from modfab.host.signature import sign, verify
from modfab.host.signature_options import Signature
from modfab.numbers import WORD_BITS, words_of
from modfab.paths import checkout_dir
from tests.support.rsa_vectors import (
    FOLDER,
    LABORATORIES,
    EncryptionVector,
    SignatureVector,
    encryptions,
    judged_signatures,
    labelled_encryptions,
    laboratory_signatures,
    made_signatures,
)

Vector = SignatureVector | EncryptionVector
PSS, PKCS1 = Signature.PSS, Signature.PKCS1
OAEP_HASHES = (Hash.SHA1, Hash.SHA224, Hash.SHA256, Hash.SHA384, Hash.SHA512)
SIM_BITS = 1024
SAMPLE = 3


@dataclass(frozen=True, slots=True)
class VectorSet:
    """One file, and what its vectors are."""

    file: str
    scheme: str
    vectors: Sequence[Vector]


def _signed(file: str, padding: Signature) -> VectorSet:
    name = file.rpartition("/")[2]
    scheme = "PSS" if padding is PSS else "PKCS#1 v1.5 signature"
    if "SigVer" in file:
        return VectorSet(file, f"{scheme}, verdicts", judged_signatures(file, padding))
    if "SigGen" in file:
        return VectorSet(file, scheme, made_signatures(name, padding))
    return VectorSet(file, scheme, laboratory_signatures(file, padding))


def _encrypted(file: str, options: EncryptionOptions) -> VectorSet:
    if options.padding is Encryption.PKCS1:
        return VectorSet(file, "PKCS#1 v1.5 encryption", encryptions(file, options))
    text = f"OAEP {options.oaep_hash.value}, MGF1 {options.oaep_mgf_hash.value}"
    return VectorSet(file, text, encryptions(file, options))


def vector_sets() -> list[VectorSet]:
    """All sets, in the order of the table."""
    nist = [
        ("FIPS_186-2/SigGen15_186-2.txt", PKCS1),
        ("FIPS_186-2/SigGen15_186-2.rsp", PKCS1),
        ("FIPS_186-2/SigGen15_186-3.rsp", PKCS1),
        ("FIPS_186-2/SigVer15_186-3.rsp", PKCS1),
        ("SigVer15EMTest.txt", PKCS1),
        ("pkcs1v15sign-vectors.txt", PKCS1),
        ("FIPS_186-2/SigGenPSS_186-2.txt", PSS),
        ("FIPS_186-2/SigGenPSS_186-2.rsp", PSS),
        ("FIPS_186-2/SigGenPSS_186-3.rsp", PSS),
        ("FIPS_186-2/SigVerPSS_186-3.rsp", PSS),
        (f"{LABORATORIES}/pss-vect.txt", PSS),
        (f"{LABORATORIES}/pss-int.txt", PSS),
    ]
    crypt = [
        ("pkcs1v15crypt-vectors.txt", EncryptionOptions(Encryption.PKCS1)),
        (f"{LABORATORIES}/oaep-vect.txt", EncryptionOptions()),
        (f"{LABORATORIES}/oaep-int.txt", EncryptionOptions()),
    ]
    custom = [
        (
            f"oaep-custom/oaep-{mgf.value}-{name.value}.txt",
            EncryptionOptions(Encryption.OAEP, name, mgf),
        )
        for mgf in OAEP_HASHES
        for name in OAEP_HASHES
        if (mgf, name) != (Hash.SHA1, Hash.SHA1)
    ]
    label = "oaep-label.txt"
    return [
        *(_signed(file, padding) for file, padding in nist),
        *(_encrypted(file, options) for file, options in crypt + custom),
        VectorSet(label, "OAEP with a label", labelled_encryptions(label)),
    ]


SETS = {found.file: found for found in vector_sets()}
UNFIT = {
    "FIPS_186-2/SigGenRSA_186-2.txt": "X9.31 padding",
    "FIPS_186-2/SigGenRSA_186-2.rsp": "X9.31 padding",
    "FIPS_186-2/SigGenRSA.rsp": "X9.31 padding",
    "FIPS_186-2/SigVerRSA.rsp": "X9.31 padding",
    "FIPS_186-2/KeyGenRSA.rsp": "making keys",
}
"""Files without a vector for a command, and what they are about."""


def with_factors(key: RsaPrivate) -> RsaPrivate:
    p, q = rsa.rsa_recover_prime_factors(key.n, key.e, key.d)
    return RsaPrivate(n=key.n, e=key.e, d=key.d, p=p, q=q)


def operations(vector: Vector) -> list[str]:
    """What can be done with a vector."""
    if isinstance(vector, EncryptionVector):
        return ["decrypt"]
    can_sign = isinstance(vector.key, RsaPrivate) and vector.key.d and vector.valid
    made_again = can_sign and (vector.padding is PKCS1 or vector.salt is not None)
    return ["verify", "sign"] if made_again and "SigVer" not in vector.name else ["verify"]


def check_public(spec: str, vectors: Sequence[SignatureVector]) -> None:
    """Verify on exponentiators, one for each width."""
    for width in sorted({WORD_BITS * words_of(vector.key.num_bits) for vector in vectors}):
        with open_device(spec, "sos", width, "l2r") as device:
            core = RsaOnModexp(device)
            for vector in vectors:
                if WORD_BITS * words_of(vector.key.num_bits) == width:
                    assert verdict(vector, core) == vector.valid, vector.name


def verdict(vector: SignatureVector, core: RsaOnModexp) -> bool:
    digest = new_digest(vector.hash_name, vector.message)
    key = RsaPublic(n=vector.key.n, e=vector.key.e)
    try:
        verify(digest, vector.signature, key, core.public_operation(key), vector.options)
    except CryptoError:
        return False
    return True


def check_private(spec: str, vectors: Sequence[Vector]) -> None:
    """Sign or decrypt on RSA cores, one for each width."""
    cases: list[tuple[RsaPrivate, Vector]] = []
    known: dict[int, RsaPrivate] = {}
    for vector in vectors:
        assert isinstance(vector.key, RsaPrivate)
        key = known.get(vector.key.n) or with_factors(vector.key)
        known[key.n] = key
        cases.append((key, vector))
    for width in sorted({prime_bits_of(key) for key, _ in cases}):
        with open_rsa_device(spec, rsa_core("sos", width, {}, "window")) as device:
            unit = RsaUnit(device)
            for key, vector in cases:
                if prime_bits_of(key) == width:
                    check_private_one(unit, key, vector)
            assert device.faults == 0


def check_private_one(unit: RsaUnit, key: RsaPrivate, vector: Vector) -> None:
    modexp = unit.private_operation(key)
    if isinstance(vector, EncryptionVector):
        plain = decrypt(vector.ciphertext, key, modexp, vector.options)
        assert plain == vector.message, vector.name
    else:
        digest = new_digest(vector.hash_name, vector.message)
        made = sign(digest, key, modexp, vector.options, vector.salt)
        assert made == vector.signature, vector.name


def check(spec: str, vectors: Sequence[Vector]) -> None:
    assert vectors
    signatures = [vector for vector in vectors if isinstance(vector, SignatureVector)]
    private = [vector for vector in vectors if set(operations(vector)) & {"sign", "decrypt"}]
    check_public(spec, signatures)
    check_private(spec, private)


@pytest.mark.parametrize("file", SETS)
def test_sample_on_the_model(file: str) -> None:
    vectors = SETS[file].vectors
    check("model", vectors[:: -(-len(vectors) // SAMPLE)])


@pytest.mark.full
@pytest.mark.parametrize("file", SETS)
def test_on_the_model(file: str) -> None:
    check("model", SETS[file].vectors)


SMALL = [name for name, found in SETS.items() if found.vectors[0].key.num_bits == SIM_BITS]
MIXED = "oaep-custom/oaep-sha1-sha256.txt"  # 2048 bits, like all with two hashes
ALWAYS = {
    "FIPS_186-2/SigVer15_186-3.rsp",
    f"{LABORATORIES}/pss-vect.txt",
    f"{LABORATORIES}/oaep-vect.txt",
}


@pytest.mark.parametrize(
    "file",
    [
        name if name in ALWAYS else pytest.param(name, marks=pytest.mark.full)
        for name in [*SMALL, MIXED]
    ],
)
def test_sample_on_the_simulated_core(file: str) -> None:
    check("sim", SETS[file].vectors[:2])


def test_every_file_is_used_or_says_why_not() -> None:
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.txt")}
    files |= {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.rsp")}
    notes = {name for name in files if name.lower().endswith("readme.txt")}
    assert files - notes == set(SETS) | set(UNFIT)
    assert not set(SETS) & set(UNFIT)


def table() -> str:
    """The table of `docs/vectors.md`."""
    lines = [
        "| file | scheme | bits | verified | signed | decrypted |",
        "|---|---|---|---|---|---|",
    ]
    total: Counter[str] = Counter()
    for file, found in SETS.items():
        done = Counter(name for vector in found.vectors for name in operations(vector))
        total += done
        bits = sorted({vector.key.num_bits for vector in found.vectors})
        size = str(bits[0]) if len(bits) == 1 else f"{bits[0]} to {bits[-1]}"
        lines.append(f"| `{file}` | {found.scheme} | {size} | {_cells(done)} |")
    lines.append(f"| **all** | | | {_cells(total)} |")
    return "\n".join(lines)


def _cells(done: Counter[str]) -> str:
    return " | ".join(f"{done[name]:,}" if done[name] else "-" for name in KINDS)


KINDS = ("verify", "sign", "decrypt")


def test_the_table_of_the_docs() -> None:
    root = checkout_dir()
    assert root is not None
    page = (root / "docs" / "vectors.md").read_text()
    assert table() in page, f"docs/vectors.md should have this table:\n{table()}"
