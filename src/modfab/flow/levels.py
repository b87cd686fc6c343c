# SPDX-License-Identifier: Apache-2.0
"""Levels of a measurement, and the work that the circuit of each does on its own."""

from __future__ import annotations

from collections.abc import Mapping

EXP_LEVELS = ("modexp_axil", "modexp")
"""Levels of an exponentiator, with its bus first."""

RSA_CORE_LEVELS = ("rsa_axil", "rsa")
"""Levels of an RSA core, with its bus first."""

WORK_LEVELS: Mapping[str, tuple[str, ...]] = {
    "mul": ("engine",),
    "square": ("engine",),
    "mul2": ("engine",),
    "setup": ("engine",),
    "exp": EXP_LEVELS,
    "key": (*RSA_CORE_LEVELS, "farm_axil"),
    "private": (*RSA_CORE_LEVELS, "farm_axil"),
    "public": RSA_CORE_LEVELS,
    "change": RSA_CORE_LEVELS,
}
"""Work, as `Record.cycles` names it -> levels whose circuit does it on its own."""
