# SPDX-License-Identifier: Apache-2.0
"""cocotb tests of the farm."""
