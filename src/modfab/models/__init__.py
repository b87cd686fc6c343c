# SPDX-License-Identifier: Apache-2.0
"""Bit- and cycle-exact golden models; each module's stem is the stem of the RTL it describes."""
