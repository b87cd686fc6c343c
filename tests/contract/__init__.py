# SPDX-License-Identifier: Apache-2.0
"""One suite that every engine goes through; see rtl/mul/README.md."""
