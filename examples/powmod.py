# SPDX-License-Identifier: Apache-2.0
"""Diffie-Hellman with two modular exponentiations a side, on the simulated exponentiator.

usage: ./modfab python examples/powmod.py [sim|model|uio:/dev/uio0]
"""

import secrets
import sys

import modfab

PRIME = 2**255 - 19  # any odd modulus will do; a real exchange takes a group of RFC 7919
GENERATOR = 2

device = sys.argv[1] if len(sys.argv) > 1 else "sim"
ours, theirs = (1 + secrets.randbelow(PRIME - 2) for _ in range(2))

with modfab.open_modexp(device, num_bits=256) as core:
    public = core.powmod(GENERATOR, ours, PRIME)
    received = pow(GENERATOR, theirs, PRIME)
    shared = core.powmod(received, ours, PRIME)

print(f"{public.exp_cycles:,} cycles an exponentiation, whatever the exponent is")
print(f"the modulus' set-up took {public.setup_cycles:,} cycles, then {shared.setup_cycles}")
print("both sides agree" if shared.value == pow(public.value, theirs, PRIME) else "WRONG")
