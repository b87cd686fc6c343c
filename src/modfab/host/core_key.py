# SPDX-License-Identifier: Apache-2.0
"""An RSA key for pycryptodome's padding schemes whose exponentiations are computed elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from Crypto.Math.Numbers import Integer
from Crypto.PublicKey.RSA import RsaKey

from modfab.host.keys import RsaPrivate, RsaPublic

ModExp = Callable[[int], int]
"""Modular exponentiation with a fixed exponent and modulus: a core, or `pow` in a test."""


class CoreKey(RsaKey):
    """What the padding schemes see: they pad, hash and compare, the core exponentiates.

    pycryptodome calls two methods of a key, `_encrypt` and `_decrypt_to_bytes`; the range of
    versions in pyproject.toml is the one in which it does, and a test counts the calls.
    """

    def __init__(self, key: RsaPublic, *, public: ModExp | None, private: ModExp | None) -> None:
        """Bind a key to its operations.

        Args:
            key: For decryption an `RsaPrivate`: PKCS#1 v1.5 derives the message it returns
                for a wrong padding from the private exponent.
            public: x -> x**e mod n; None computes it here, which the schemes ask for only to
                check a signature they just made.
            private: x -> x**d mod n; None when the key is used for public operations only.
        """
        super().__init__(n=key.n, e=key.e)
        self._num_bytes = key.num_bytes
        self._public = public
        self._private = private
        self._signed = 0
        if isinstance(key, RsaPrivate):
            self._d = Integer(key.d)

    def _encrypt(self, plaintext: int) -> int:
        if self._public is not None:
            return self._public(plaintext)
        # The check of a signature just made; without e the operation's own check has to do.
        return pow(plaintext, self.e, self.n) if self.e else self._signed

    def _decrypt_to_bytes(self, ciphertext: int) -> bytes:
        if self._private is None:
            raise TypeError("this key was bound without a private operation")
        self._signed = ciphertext
        return self._private(ciphertext).to_bytes(self._num_bytes, "big")
