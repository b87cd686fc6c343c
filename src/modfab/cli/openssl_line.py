# SPDX-License-Identifier: Apache-2.0
"""The `openssl` command that verifies what `modfab sign` made."""

from __future__ import annotations

import shlex
from pathlib import Path

from modfab.cli.files import STANDARD
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.signature_options import Salt, Signature, SignatureScheme


def openssl_line(
    scheme: SignatureScheme, key: RsaPublic, key_path: Path, input_path: Path, output_path: Path
) -> str:
    """What to type; `openssl` has other defaults, so every choice is spelled out.

    Args:
        scheme: How the file was signed.
        key, key_path: Of the signer: a private key, or a public one where a core holds the rest.
        input_path, output_path: The file and its signature.

    >>> from modfab.host.signature_options import SignatureOptions
    >>> key = RsaPublic(n=1 << 2047, e=3)
    >>> scheme = SignatureOptions(Signature.PKCS1).for_signing(key)
    >>> openssl_line(scheme, key, Path("public.pem"), Path("a"), Path("a b"))
    "openssl dgst -sha256 -verify public.pem -signature 'a b' a"
    """
    if scheme.hash_name.is_shake:  # which openssl refuses for RSA
        words = ["modfab", "verify", "--key", str(key_path), "--sig", str(output_path)]
        return shlex.join([*words, "--hash", scheme.hash_name.value, "--in", str(input_path)])
    words = ["openssl", "dgst", f"-{scheme.hash_name.value}"]
    if scheme.padding is Signature.PSS:
        salt = Salt.AUTO if scheme.salt is Salt.MAX else scheme.salt
        text = salt.value if isinstance(salt, Salt) else str(salt)
        words += ["-sigopt", "rsa_padding_mode:pss", "-sigopt", f"rsa_pss_saltlen:{text}"]
        if scheme.mgf_hash is not scheme.hash_name:
            words += ["-sigopt", f"rsa_mgf1_md:{scheme.mgf_hash.value}"]
    words += ["-prverify" if isinstance(key, RsaPrivate) else "-verify", str(key_path)]
    words += ["-signature", str(output_path)]
    return shlex.join([*words, *([] if input_path == STANDARD else [str(input_path)])])
