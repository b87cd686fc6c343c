# SPDX-License-Identifier: Apache-2.0
"""What the measurements mean: ours beside what the papers print."""
