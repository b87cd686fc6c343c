# SPDX-License-Identifier: Apache-2.0
"""The RSA core's programs: assembler and memory map."""
