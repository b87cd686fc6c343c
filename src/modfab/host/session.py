# SPDX-License-Identifier: Apache-2.0
"""RSA in three lines: one key on one device, with the defaults of the command line.

```python
with modfab.open_rsa("sim", "key.pem") as rsa:
    signature = rsa.sign(b"a message", padding="pkcs1", hash="sha256")
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from modfab.build.core import modexp_core
from modfab.build.farm import MAX_CORES
from modfab.build.rsa import check_constant
from modfab.errors import ClosedError, CryptoError, UsageError
from modfab.host.batch import Job
from modfab.host.choice import (
    CoreChoice,
    RsaOptions,
    check_fits,
    halves,
    prime_bits_of,
    public_choice,
)
from modfab.host.closing import Closing
from modfab.host.core_device import CycleProgress
from modfab.host.core_key import ModExp
from modfab.host.defaults import (
    DEFAULT_ENGINE,
    DEFAULT_SEQUENCER,
    PRIVATE_ENGINE,
    PRIVATE_SEQUENCER,
    PUBLIC_SEQUENCER,
    SIMULATED,
)
from modfab.host.device import Device
from modfab.host.digests import Digest, new_digest
from modfab.host.encryption import (
    EncryptionOptions,
    check_ciphertext,
    check_message,
    decrypt,
    encrypt,
)
from modfab.host.key_source import KeySource, read_key
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.open import check_device, open_device
from modfab.host.option_names import encryption_options, signature_options
from modfab.host.private import Farm, PrivateKeyCore, open_farm, run_on_farm
from modfab.host.rsa import ModExpResult, RsaOnModexp
from modfab.host.rsa_device import RsaDevice
from modfab.host.rsa_open import RsaUnit, open_rsa_device
from modfab.host.signature import check_signer, sign, verify
from modfab.host.signature_options import SignatureOptions
from modfab.numbers import whole_words

Core = Literal["rsa", "modexp"]


def open_rsa(
    device: str,
    key: KeySource,
    *,
    passphrase: str | bytes | None = None,
    core: Core = "rsa",
    engine: str | None = None,
    sequencer: str | None = None,
    params: Mapping[str, int] | None = None,
    cores: int = 1,
    progress: CycleProgress | None = None,
) -> RsaSession:
    """Use a key on a device; a context manager, so that the key is wiped from the core at the end.

    Args:
        device: `sim`, `model`, `uio:/dev/uioN`, `devmem:0xADDRESS` or `serial:PATH[,BAUD]`.
        key: A path, the bytes of a key file, a key of `cryptography`, or one of `modfab.host.keys`.
        passphrase: Opens an encrypted key.
        core: Of private operations: `rsa` blinds and checks, `modexp` does not blind.
        engine, sequencer, params: Of a simulated core; left out, those of the command line.
        cores: More than one make a simulated farm for `sign_many` and `decrypt_many`.
        progress: Told now and then how far an operation is, in cycles; a farm, in operations.

    Returns:
        The session. Cores are compiled, opened and loaded when they are first needed.

    Raises:
        UsageError: A name or number is wrong, or there is no such file.
        CryptoError: There is no RSA key in it.
        OperandError: The chosen core cannot take this key.
    """
    check_device(device)
    if not 1 <= cores <= MAX_CORES:
        raise UsageError(f"Expected 1 to {MAX_CORES} cores, but got {cores}; choose such a number.")
    loaded = read_key(key, passphrase)
    values = dict(params or {})
    private = CoreChoice(
        device, engine or PRIVATE_ENGINE, sequencer or DEFAULT_SEQUENCER, dict(values)
    )
    if core == "rsa":
        engines, pair = halves(private.engine, values, None, None)
        private = replace(
            private, sequencer=sequencer or PRIVATE_SEQUENCER, rsa=RsaOptions(engines, pair)
        )
    elif core != "modexp":
        raise UsageError(f"Expected the core rsa or modexp, but got {core!r}; choose one of these.")
    public = public_choice(device, engine or DEFAULT_ENGINE, loaded)
    if engine is not None:
        public = replace(public, params=values)
    modexp_core(public.engine, whole_words(loaded.num_bits), public.params, public.sequencer)
    if isinstance(loaded, RsaPrivate):
        _check_private(private, loaded)
    return RsaSession(loaded, private, public, cores, progress)


def _check_private(choice: CoreChoice, key: RsaPrivate) -> None:
    """Refuse what no core can be built of, before one is needed."""
    check_fits(choice, key)
    check_constant(choice.sequencer)
    if choice.rsa is not None:
        choice.rsa_core(prime_bits_of(key))
    else:
        modexp_core(choice.engine, whole_words(key.num_bits), choice.params, choice.sequencer)


class RsaSession(Closing):
    """One key on one device; made by `open_rsa`.

    Attributes:
        key: The key, its private half too where it was given.
        last: What the last exponentiation on a single core cost, in cycles; None before it.
    """

    def __init__(
        self,
        key: RsaPublic,
        private: CoreChoice,
        public: CoreChoice,
        cores: int = 1,
        progress: CycleProgress | None = None,
    ) -> None:
        self.key = key
        self.last: ModExpResult | None = None
        self._choices = private, public
        self._cores, self._progress = cores, progress
        self._stack: ExitStack | None = ExitStack()
        self._unit: PrivateKeyCore | None = None
        self._rsa: RsaDevice | None = None
        self._farm: Farm | None = None
        self._exponentiators: dict[tuple[int, str, int], Device] = {}

    # ---- the private key ----
    def sign(
        self, data: bytes, padding: str = "pss", hash: str | None = None, **options: Any
    ) -> bytes:
        """Sign data of any length.

        Args:
            data: The message.
            padding: `pss` or `pkcs1`.
            hash: Hash of the message; None is the key's, or `sha256`.
            options: `mgf_hash`, `salt`, `allow_sha1` as for `SignatureOptions`.

        Returns:
            As many bytes as the modulus.

        Raises:
            UsageError: An option is wrong, or does not suit the key.
            OperandError: The key is too small for the hash.
            DeviceError: The core gave a wrong result or none.
        """
        return self.sign_many([data], padding, hash, **options)[0]

    def sign_many(
        self, data: Sequence[bytes], padding: str = "pss", hash: str | None = None, **options: Any
    ) -> list[bytes]:
        """As `sign`, for many messages: with `cores` above 1, all cores of a farm work on them."""
        self._check_open()
        chosen = signature_options(padding, hash, **options)
        scheme = chosen.for_signing(self.key)
        digests = [new_digest(scheme.hash_name, text) for text in data]
        for digest in digests:
            check_signer(digest, self.key, chosen)
        jobs = [partial(_sign, digest, self.key, chosen) for digest in digests]
        return self._private(jobs)

    def decrypt(
        self, data: bytes, padding: str = "oaep", hash: str | None = None, **options: Any
    ) -> bytes:
        """Decrypt what was encrypted for this key.

        Args:
            data: The ciphertext, as many bytes as the modulus.
            padding: `oaep`, `pkcs1` or `raw`.
            hash: Hash of OAEP; None is `sha1`, as in OpenSSL.
            options: `mgf_hash`, `label` as for `EncryptionOptions`.

        Raises:
            UsageError: An option is wrong.
            OperandError: The ciphertext cannot belong to this key.
            NotValidError: Decryption failed.
            DeviceError: The core gave a wrong result or none.
        """
        return self.decrypt_many([data], padding, hash, **options)[0]

    def decrypt_many(
        self, data: Sequence[bytes], padding: str = "oaep", hash: str | None = None, **options: Any
    ) -> list[bytes]:
        """As `decrypt`, for many ciphertexts; the first that fails ends it."""
        self._check_open()
        chosen = encryption_options(padding, hash, **options)
        for text in data:
            check_ciphertext(text, self.key)
        return self._private([partial(_decrypt, text, self.key, chosen) for text in data])

    # ---- the public key ----
    def verify(
        self,
        data: bytes,
        signature: bytes,
        padding: str = "pss",
        hash: str | None = None,
        **options: Any,
    ) -> Literal[True]:
        """Check a signature; options as for `sign`.

        Returns:
            True; what is not valid raises, so that nobody can forget to look.

        Raises:
            UsageError: An option is wrong, or does not suit the key.
            NotValidError: The signature is not valid.
        """
        self._check_open()
        chosen = signature_options(padding, hash, **options)
        digest = new_digest(chosen.for_verifying(self.key).hash_name, data)
        verify(digest, signature, self.key, self._public_operation(), chosen)
        return True

    def encrypt(
        self, data: bytes, padding: str = "oaep", hash: str | None = None, **options: Any
    ) -> bytes:
        """Encrypt a short message for the owner of the key; options as for `decrypt`.

        Raises:
            UsageError: An option is wrong.
            OperandError: The message does not suit the key.
        """
        self._check_open()
        chosen = encryption_options(padding, hash, **options)
        check_message(data, self.key, chosen)
        return encrypt(data, self.key, self._public_operation(), chosen)

    # ---- numbers ----
    def powmod(
        self, base: int, exp: int, modulus: int | None = None, *, constant: bool = True
    ) -> int:
        """base^exp mod modulus on the exponentiator, which is simulated or has its own device.

        Args:
            base: 0 or more, below the modulus.
            exp: 0 or more.
            modulus: Odd, 3 or more; None is the key's n.
            constant: True takes as many cycles for every exponent up to the modulus' length; a
                longer one shows its number of words. False takes fewer, and they tell the exponent.
        """
        self._check_open()
        chosen = self.key.n if modulus is None else modulus
        bits = max(chosen.bit_length(), self.key.num_bits)
        sequencer = DEFAULT_SEQUENCER if constant else PUBLIC_SEQUENCER
        device = self._exponentiator(bits, sequencer, exp.bit_length())
        exp_bits = device.exp_bits if constant else exp.bit_length()
        self.last = device.powmod(base, exp, chosen, exp_bits, self._progress)
        return self.last.value

    # ---- life ----
    def close(self) -> None:
        """Wipe and release every core; a second call does nothing, others raise ClosedError."""
        if self._stack is not None:
            stack, self._stack = self._stack, None
            stack.close()

    def __enter__(self) -> RsaSession:
        self._check_open()
        return self

    # ---- steps ----
    def _check_open(self) -> ExitStack:
        if self._stack is None:
            raise ClosedError
        return self._stack

    def _private(self, jobs: Sequence[Job[bytes]]) -> list[bytes]:
        stack = self._check_open()
        choice, key = self._choices[0], self.key
        if not isinstance(key, RsaPrivate):
            raise CryptoError(
                "This operation needs the private key, but only the public one was given; open the "
                "session with the private key."
            )
        if self._cores > 1:
            if self._farm is None:
                self._farm = stack.enter_context(open_farm(choice, key, self._cores))
            return run_on_farm(self._farm.device, jobs, self._progress)
        if self._unit is None:
            self._unit = self._open_private(stack, choice, key)
        modexp = self._unit.private_operation(key)  # which loads the key with the first
        results = [job(modexp) for job in jobs]
        self.last = self._unit.last
        return results

    def _open_private(
        self, stack: ExitStack, choice: CoreChoice, key: RsaPrivate
    ) -> PrivateKeyCore:
        if choice.rsa is None:
            bits = whole_words(key.num_bits)
            device = stack.enter_context(
                open_device(choice.device, choice.engine, bits, choice.sequencer, choice.params)
            )
            return RsaOnModexp(device, self._progress)
        core = choice.rsa_core(prime_bits_of(key))
        self._rsa = stack.enter_context(open_rsa_device(choice.device, core))
        return RsaUnit(self._rsa, self._progress)

    def _public_operation(self) -> ModExp:
        """X -> x^e mod n; on hardware, by the core that is there."""
        stack, choice, key = self._check_open(), self._choices[0], self.key
        rsa_core = choice.device not in SIMULATED and choice.rsa is not None
        if rsa_core and isinstance(key, RsaPrivate):
            if self._rsa is None:
                self._unit = self._open_private(stack, choice, key)
            return self._public_on_rsa
        device = self._exponentiator(key.num_bits, PUBLIC_SEQUENCER)

        def modexp(base: int) -> int:
            exp_bits = key.e.bit_length()
            self.last = device.powmod(base, key.e, key.n, exp_bits, self._progress)
            return self.last.value

        return modexp

    def _public_on_rsa(self, base: int) -> int:
        if self._rsa is None or not isinstance(self.key, RsaPrivate):
            raise ClosedError
        self._rsa.load_key(self.key, self._progress)
        self.last = self._rsa.public(base, self._progress)
        return self.last.value

    def _exponentiator(self, num_bits: int, sequencer: str, exp_bits: int = 0) -> Device:
        """One for moduli of `num_bits`, and for exponents as long or of `exp_bits`."""
        bits = whole_words(num_bits)
        which = bits, sequencer, max(bits, whole_words(exp_bits))
        found = self._exponentiators.get(which)
        if found is None:
            choice = self._choices[1]
            rest = choice.params, which[-1]
            found = self._check_open().enter_context(
                open_device(choice.device, choice.engine, bits, sequencer, *rest)
            )
            self._exponentiators[which] = found
        return found


def _sign(digest: Digest, key: RsaPublic, options: SignatureOptions, modexp: ModExp) -> bytes:
    return sign(digest, key, modexp, options)


def _decrypt(data: bytes, key: RsaPublic, options: EncryptionOptions, modexp: ModExp) -> bytes:
    return decrypt(data, key, modexp, options)
