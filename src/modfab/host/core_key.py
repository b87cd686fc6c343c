# SPDX-License-Identifier: Apache-2.0
"""An RSA key for pycryptodome's padding schemes whose modular powers are computed elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from Crypto.Math.Numbers import Integer
from Crypto.PublicKey.RSA import RsaKey

from modfab.host.keys import RsaPrivate, RsaPublic

Power = Callable[[int], int]
"""One modular power with a fixed exponent and modulus: a core, or `pow` in a test."""


class CoreKey(RsaKey):
    """What the padding schemes see: they pad, hash and compare, the core computes the power.

    pycryptodome calls two methods of a key, `_encrypt` and `_decrypt_to_bytes`; the range of
    versions in pyproject.toml is the one in which it does, and a test counts the calls.
    """

    def __init__(self, key: RsaPublic, *, public: Power | None, private: Power | None) -> None:
        """Bind a key to the powers.

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
        # A signature just made is looked at once more; without e the power's own check has to do.
        return pow(plaintext, self.e, self.n) if self.e else self._signed

    def _decrypt_to_bytes(self, ciphertext: int) -> bytes:
        if self._private is None:
            raise TypeError("this key was bound without a private power")
        self._signed = ciphertext
        return self._private(ciphertext).to_bytes(self._num_bytes, "big")
