# SPDX-License-Identifier: Apache-2.0
"""Commands of the register map of `mf_rsa_axil`, and sentences of its driver."""

from __future__ import annotations

from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.keys import RsaPrivate
from modfab.models.rsa.entry import RsaEntry

COMMANDS = {
    RsaEntry.KEY: regs.CTRL_KEY_MASK,
    RsaEntry.PRIVATE: regs.CTRL_START_PRIVATE_MASK,
    RsaEntry.PUBLIC: regs.CTRL_START_PUBLIC_MASK,
    RsaEntry.DERIVE: regs.CTRL_DERIVE_MASK,
    RsaEntry.TEST: regs.CTRL_TEST_MASK,
    RsaEntry.CHANGE: regs.CTRL_CHANGE_MASK,
    RsaEntry.LEAVE: regs.CTRL_ERASE_MASK,
}
"""Program -> its bit of CTRL; where several are written at once, the first one counts."""

NO_PRIVATE = (
    "This RSA core was built for public operations only (public_only=1) and holds no private key; "
    "give it a public key, or use a core that was built without that option."
)
NO_PUBLIC = (
    "This RSA core computes with two primes and takes no public key alone; load the private key, "
    "use a core that was built with public_only=1, or choose --core modexp."
)
NO_KEYGEN = (
    "The RSA core made no key. It was not built for that: load a key, or use a core that was built "
    "with keygen=1. If it was, it has found no prime, which is rare; run the command again."
)
MAKES_KEYS = (
    "This RSA core makes keys (keygen=1), and the command derive made another one than this, which "
    "was wiped; load the key without derive."
)
NO_CONTEXT = (
    "Every key context of the RSA core holds a key that this program has not loaded, or is locked; "
    "erase one, or zeroize the core."
)
LOCKED = (
    "The RSA core holds a locked key and takes no other; use the one it holds, or zeroize the core "
    "first."
)
NOT_LOCKED = (
    "The RSA core has not taken the lock, so another key can still be loaded; zeroize the core, "
    "and test the device if it persists."
)
HOLDS_KEY = "The RSA core holds a key, and its self-test would wipe it; zeroize the core first."
NO_RESULT = (
    "The RSA core says that the operation ended well, but shows no valid result; run it again, and "
    "test the device if it persists."
)
OTHER_KEY = (
    "The RSA core holds another key than this one; load this key, or give the public key of the "
    "one it holds."
)


def wrong_context(context: int, contexts: int) -> str:
    """What is wrong with the number of a key context."""
    return (
        f"The core has key contexts 0 to {contexts - 1}, but {context} was asked for; choose one "
        "of these, or build the core with more keys (keys=2 to 4)."
    )


def parts_of(key: RsaPrivate, derive: bool) -> dict[int, tuple[int, bool]]:
    """Window -> the number that goes there, and whether it is as long as a prime, else as n.

    Args:
        key: Of two primes.
        derive: The core makes dP, dQ and qInv of d itself.
    """
    parts = {
        regs.P_WINDOW: (key.p, True),
        regs.Q_WINDOW: (key.q, True),
        regs.E_WINDOW: (key.e, False),
    }
    if derive:
        return parts | {regs.D_WINDOW: (key.d, False)}
    return parts | {
        regs.DP_WINDOW: (key.d % (key.p - 1), True),
        regs.DQ_WINDOW: (key.d % (key.q - 1), True),
        regs.QI_WINDOW: (pow(key.q, -1, key.p), True),
    }
