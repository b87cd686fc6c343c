# SPDX-License-Identifier: Apache-2.0
"""From a parameter set to measured area and frequency: Yosys, nextpnr, and the store of results."""
