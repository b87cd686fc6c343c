# SPDX-License-Identifier: Apache-2.0
"""modfab: FPGA cores for Montgomery multiplication, modular exponentiation and RSA."""

__version__ = "0.1.0"
