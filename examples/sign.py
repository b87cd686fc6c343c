# SPDX-License-Identifier: Apache-2.0
"""Sign a message on the simulated RSA core, and let OpenSSL verify it.

usage: ./modfab python examples/sign.py [sim|model|uio:/dev/uio0]
"""

import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

import modfab

MESSAGE = b"Signed cycle by cycle."

device = sys.argv[1] if len(sys.argv) > 1 else "sim"
key = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # or "key.pem", or its bytes

with modfab.open_rsa(device, key) as core:
    signature = core.sign(MESSAGE, padding="pkcs1", hash="sha256")
    print(f"signed on device {device} in {core.last.exp_cycles:,} cycles")
    print(f"the key's set-up took {core.last.setup_cycles:,} cycles, once")
    core.verify(MESSAGE, signature, padding="pkcs1", hash="sha256")  # raises when it is not valid

key.public_key().verify(signature, MESSAGE, padding.PKCS1v15(), hashes.SHA256())
print("OpenSSL: the signature is valid")
