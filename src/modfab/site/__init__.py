# SPDX-License-Identifier: Apache-2.0
"""The documentation as a static site."""
