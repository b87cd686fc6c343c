# SPDX-License-Identifier: Apache-2.0
"""An RSA core in hardware, played by the model."""

from __future__ import annotations

from modfab.host.rsa_model import RsaModelTransport


class Hardware(RsaModelTransport):
    """A core that keeps its state when a program closes it."""

    def close(self) -> None:
        """Change nothing: the next program finds the core as it is."""
