# SPDX-License-Identifier: Apache-2.0
"""From engine and widths to RTL: what a core is, and the text that connects its parts."""
