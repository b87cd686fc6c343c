# SPDX-License-Identifier: Apache-2.0
"""Tests of everything; helpers are imported as `tests.<name>`."""
