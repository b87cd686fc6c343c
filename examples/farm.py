# SPDX-License-Identifier: Apache-2.0
"""Many signatures on a simulated farm of RSA cores: one key load, and a queue that stays full.

usage: ./modfab python examples/farm.py [CORES]
"""

import sys

from cryptography.hazmat.primitives.asymmetric import rsa

import modfab

cores = int(sys.argv[1]) if len(sys.argv) > 1 else 2
key = rsa.generate_private_key(public_exponent=65537, key_size=1024)
messages = [f"message {number}".encode() for number in range(4 * cores)]


def show(done: int, total: int | None) -> None:
    """Called after every signature."""
    print(f"{done} of {total}")


with modfab.open_rsa("sim", key, engine="bit_serial", cores=cores, progress=show) as farm:
    signatures = farm.sign_many(messages)
with modfab.open_rsa("sim", key.public_key(), engine="bit_serial") as public:
    for message, signature in zip(messages, signatures, strict=True):
        public.verify(message, signature)
print(f"{cores} cores made {len(signatures)} signatures, all valid")
