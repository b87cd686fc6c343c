# SPDX-License-Identifier: Apache-2.0
"""A configured core as a folder to take away: RTL, constraints, packaging, driver, bench, page."""
