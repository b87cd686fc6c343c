# SPDX-License-Identifier: Apache-2.0
"""modfab: FPGA cores for Montgomery multiplication, modular exponentiation and RSA.

`open_rsa` uses a key on a device, `open_modexp` computes modular exponentiations;
`examples/` has both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modfab.host.open import open_modexp as open_modexp
    from modfab.host.session import open_rsa as open_rsa

__version__ = "0.1.0"

_HOMES = {"open_modexp": "modfab.host.open", "open_rsa": "modfab.host.session"}


def __getattr__(name: str) -> object:
    """Load the API when it is used: a program that needs one module waits for no other."""
    if name not in _HOMES:
        raise AttributeError(f"module 'modfab' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
