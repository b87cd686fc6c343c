# SPDX-License-Identifier: Apache-2.0
"""What a build of the RSA core withstands: faults, measured time, leakage."""
