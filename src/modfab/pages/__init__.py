# SPDX-License-Identifier: Apache-2.0
"""Everything that writes files from the catalogue."""
