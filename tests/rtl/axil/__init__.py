# SPDX-License-Identifier: Apache-2.0
"""Bench of the AXI4-Lite core."""
