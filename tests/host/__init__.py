# SPDX-License-Identifier: Apache-2.0
"""Tests of `modfab.host` and of the drivers in C."""
