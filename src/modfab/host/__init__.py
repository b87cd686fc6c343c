# SPDX-License-Identifier: Apache-2.0
"""The host side: devices, drivers and RSA on top of them."""
