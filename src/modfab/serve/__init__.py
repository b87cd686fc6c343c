# SPDX-License-Identifier: Apache-2.0
"""The daemon that owns devices and keys and answers jobs over a Unix socket: `modfab serve`."""
