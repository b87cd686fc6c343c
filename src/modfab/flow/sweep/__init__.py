# SPDX-License-Identifier: Apache-2.0
"""Sweeps: many measurements over processes of this machine or of a cluster."""
