# SPDX-License-Identifier: Apache-2.0
"""Tests of `modfab.serve`, the OpenSSL provider and its clients."""
