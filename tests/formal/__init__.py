# SPDX-License-Identifier: Apache-2.0
"""Runs of the proofs in formal/."""
