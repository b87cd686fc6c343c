# SPDX-License-Identifier: Apache-2.0
"""What a design would take in CLBs of the XC4000 family, estimated from LUTs and flip-flops."""

from __future__ import annotations

LUT_INPUTS = 4
"""Inputs of the LUTs that may be counted: those of six inputs hold more than half a CLB."""

RULE = (
    "CLBs of ours are estimated from LUTs of four inputs and flip-flops: two LUTs of four "
    "inputs, one more of three, and two flip-flops to a CLB, every CLB full"
)


def clbs(num_luts: int, num_ffs: int, num_lut3: int = 0) -> int:
    """CLBs when every CLB is filled: a lower bound of what a packer reaches.

    A CLB has two LUTs of four inputs, one of three, and two flip-flops. A LUT of at most three
    inputs fits each of the three places.

    Args:
        num_luts: LUTs of at most four inputs; a carry cell counts as the LUTs it takes.
        num_ffs: Flip-flops.
        num_lut3: How many of the LUTs have at most three inputs; 0 where that is not known, so
            that the LUT of three inputs stays empty.

    Source: [BLUM01] section 4.

    >>> clbs(100, 40), clbs(100, 140), clbs(100, 40, num_lut3=30), clbs(90, 40, num_lut3=60)
    (50, 70, 35, 30)
    """
    return max(-(-(num_luts - num_lut3) // 2), -(-num_luts // 3), -(-num_ffs // 2))
