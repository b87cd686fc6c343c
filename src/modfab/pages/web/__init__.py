# SPDX-License-Identifier: Apache-2.0
"""The report: measurements and published figures as a static site that needs no network."""
