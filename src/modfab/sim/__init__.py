# SPDX-License-Identifier: Apache-2.0
"""Simulation: RTL compiled by Verilator into shared libraries that Python drives."""
