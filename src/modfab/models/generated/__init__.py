# SPDX-License-Identifier: Apache-2.0
"""Constants made from the register map by `python -m modfab.build.regs`."""
