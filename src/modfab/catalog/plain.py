# SPDX-License-Identifier: Apache-2.0
"""What the catalogue entries of the engines without Montgomery form (R = 1) share."""

from __future__ import annotations

from modfab.catalog.descriptor import Cycles, Formula, Parameter, Params
from modfab.numbers import words_of

NUM_BITS = Parameter("NumBits", "bits", range(16, 4097), 2048, "bits of the modulus")
NUM_SLOTS = Parameter("NumSlots", "slots", range(8, 129), 8, "operand slots")
NUM_LANES = Parameter("NumLanes", "lanes", (1, 2), 1, "products at a time")


def num_lanes(params: Params) -> int:
    """Lanes are a parameter."""
    return params["NumLanes"]


def r_bits(params: Params) -> int:
    """R = 1."""
    return 0


def _transfer(params: Params) -> int:
    return words_of(params["NumBits"]) + 1


def plain_cycles(lane: Formula, text: str) -> Cycles:
    """The cycles of an engine on `mf_mul_residue_ctrl`.

    Args:
        lane: Cycles of a product in a lane.
        text: The formula of a product for people.
    """
    return Cycles(
        mul=lambda params: lane(params) + 2,
        mul2=lambda params: lane(params) + 3,
        setup=lambda params: 4,
        load=_transfer,
        load_modulus=_transfer,
        store=_transfer,
        store_latency=lambda params: 2,
        wipe=lambda params: params["NumSlots"],
        text=text,
    )
