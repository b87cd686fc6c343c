# SPDX-License-Identifier: Apache-2.0
"""Device, engines and sequencers that the command line and the API take unless told otherwise.

A board's Python may have the standard library only: nothing here imports what handles keys.
"""

from __future__ import annotations

DEFAULT_DEVICE = "sim"
SIMULATED = ("sim", "model")
DEFAULT_ENGINE = "bit_serial"
DEFAULT_SEQUENCER = "ladder"
PRIVATE_ENGINE = "qp_systolic"
PRIVATE_SEQUENCER = "window"
PUBLIC_SEQUENCER = "l2r"
WIDE_ENGINE = "qp_systolic"
"""Of public operations where the default engine is too short."""
