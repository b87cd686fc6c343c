# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies that tests share: widths, odd moduli, residues at the edges."""

from __future__ import annotations

from hypothesis import strategies as st


def moduli(num_bits: int) -> st.SearchStrategy[int]:
    """Odd moduli of at most `num_bits` bits, the edges often."""
    edges = [3, (1 << num_bits) - 1, (1 << (num_bits - 1)) + 1]
    drawn = st.integers(1, (1 << (num_bits - 1)) - 1).map(lambda half: 2 * half + 1)
    return st.sampled_from(edges) | drawn


def residues(modulus: int) -> st.SearchStrategy[int]:
    """Numbers below a modulus, the edges often."""
    ones = (1 << (modulus.bit_length() - 1)) - 1
    return st.sampled_from([0, 1, modulus - 1, ones]) | st.integers(0, modulus - 1)
